// SPDX-License-Identifier: Apache-2.0

// The guide to access rules: its files are valid, its commands show what is printed, and its requests have the statuses that
// the page shows.

import DemoData
import FoundationEssentials
import HTTPMessage
import Identities
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore
import TestSupport
import Testing

@testable import AccessRules
@testable import OutcropCommand

@Suite("docs/access.md")
struct AccessPageTests {
    private let page: Page

    init() throws { page = try Page("docs/access.md") }

    @Test("the page shows what the program prints")
    func console() throws { try Console.expectOutputs(of: page) }

    @Test("the page's files have no mistakes")
    func files() throws {
        let model = try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo").current.model
        let blocks = page.blocks(in: "json").map(\.text)
        #expect(blocks.count == 2)
        for text in blocks { _ = try AccessPolicy(parsing: Array(text.utf8), for: model) }
    }

    @Test("each request has the status that the page shows")
    func requests() throws {
        let lines = page.blocks(in: "sh").flatMap(\.lines).filter { $0.hasPrefix("curl ") }
        #expect(lines.count == 14)
        let console = try #require(page.blocks(in: "console").flatMap(Console.commands).first)
        try Checkout.withFolder { folder in
            let keys = KeyFile(besides: folder + "/app.sqlite")
            let editor = try keys.add(NewAPIKey(name: "ana", roles: ["editor"]), now: .now).secret
            let admin = try keys.add(NewAPIKey(name: "me", roles: ["admin"]), now: .now).secret
            let model = try ManagedObjectModel(ModelFile(json: Array(DemoModel.json.utf8), name: "Demo").current.model)
            let policy = try AccessPolicy(parsing: Array(console.shown.joined(separator: "\n").utf8), for: model.model)
            let ring = try KeyRing(keys, now: .now) { _ in }
            let identities = ServedIdentities(ServedIdentities.Settings(roles: Set(policy.roles.keys)), keys: ring)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/app.sqlite", model: model))
            try DemoData(model: model, seed: 1, size: 2_000).fill(coordinator)
            let api = try API(coordinator, accessGuard: AccessGuard(policy, authenticator: identities))
            for line in lines {
                let parts = line.split(separator: " # ", maxSplits: 1)
                let text = parts[0].replacing("$EDITOR", with: editor).replacing("$ADMIN", with: admin)
                let answer = api.respond(to: try CurlLine(String(text)).request)
                #expect("\(answer.status.code)" == parts[1].drop { $0 == " " }.prefix(3), "\(line)")
                guard line.contains("Prefer: explain") || line.contains("rules/test"),
                    case .bytes(let bytes) = answer.body
                else { continue }
                let shown = page.blocks(in: "text").map(\.text)
                #expect(shown.contains { String(decoding: bytes, as: UTF8.self).contains($0) }, "\(line)")
            }
        }
    }

    @Test("the page, or the one about accounts, has each member of the file, and each setting")
    func members() throws {
        let text = try Checkout.text(of: "docs/access.md") + Checkout.text(of: "docs/accounts.md")
        for keys in AccessKeys.all {
            for key in keys.keys {
                #expect(text.contains("`\(key)`") || text.contains("\"\(key)\""), "\(key) of \(keys.object)")
            }
        }
        for setting in Setting.access { #expect(text.contains("--" + setting.option), "\(setting.key)") }
    }
}
