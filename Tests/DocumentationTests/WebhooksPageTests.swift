// SPDX-License-Identifier: Apache-2.0

// The guide to webhooks: its file is read, and what it shows is what a server sends and answers.

import DemoData
import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("docs/webhooks.md")
struct WebhooksPageTests {
    @Test("the page's file is valid, and its delivery and its webhook are real")
    func examples() throws {
        let page = try Page("docs/webhooks.md")
        let blocks = page.blocks(in: "json").map(\.text)
        try #require(blocks.count == 3)
        try Checkout.withFolder { folder in
            let api = try Self.demo(folder)
            try Data(blocks[0].utf8).write(to: URL(filePath: folder + "/hooks.json"))
            try Data("a secret for the search\n".utf8).write(to: URL(filePath: folder + "/search.secret"))
            let file = HooksFile(
                path: folder + "/hooks.json",
                allowing: [HookHost("localhost:9000")].compactMap(\.self),
                environment: ["MAIL_SECRET": "a secret for the mail"]
            )
            #expect(file.problems.isEmpty && file.problems(in: api.api).isEmpty, "\(file.problems)")
            var search = try #require(file.hooks.first)
            search.limits.attempts = 1
            try api.hooks.start([search], with: api.api)
            let change = HTTPRequest(
                .patch,
                "/api/tags/1",
                fields: [.prefer: "author=Anna", .contentType: "application/json"],
                body: .bytes(Array(#"{"name":"port"}"#.utf8))
            )
            #expect(api.api.respond(to: change).status == .ok)
            func hook() -> String {
                guard case .bytes(let bytes) = api.api.respond(to: HTTPRequest(.get, "/api/hooks/search")).body else {
                    return ""
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            for _ in 0..<2_000 {
                if hook().contains("\"deadLetterCount\":1") { break }
                usleep(5_000)
            }
            #expect(try Self.masked(hook()) == Self.masked(blocks[2]))
            let requests = api.sent.requests.withLock(\.self)
            let sent = try #require(requests.first)
            #expect(try Self.masked(String(decoding: sent.body, as: UTF8.self)) == Self.masked(blocks[1]))
            for name in ["Outcrop-Hook", "Outcrop-Delivery", "Outcrop-Timestamp", "Outcrop-Signature"] {
                #expect(sent.fields[FieldName(name)] != nil && page.code.contains(name))
            }
            api.hooks.end(within: .seconds(10))
        }
    }

    @Test("the page has each member of a webhook")
    func members() throws {
        let rows = try #require(try Page("docs/webhooks.md").section("The file")).rows.map { $0[0].codeSpans }
        #expect(rows == HooksFile.members.map { [$0] })
    }

    /// Tokens and times are left out.
    private static func masked(_ text: String) throws -> JSONValue {
        try JSONValue(
            parsing: text.replacing(/[0-9a-f]{32}-\d+/, with: "…")
                .replacing(/"\d{4}-\d\d-\d\dT[^"]*"/, with: "\"…\"")
        )
    }

    private final class Demo {
        let api: API
        let hooks: Hooks
        let sent: Sent

        init(_ coordinator: PersistentStoreCoordinator) throws {
            let sent = Sent()
            self.sent = sent
            hooks = Hooks(
                folder: nil,
                send: { request in
                    sent.requests.withLock { $0.append(request) }
                    return .status(503)
                }
            )
            api = try API(coordinator, hooks: hooks)
        }
    }

    private final class Sent: Sendable {
        let requests = Mutex<[HookRequest]>([])
    }

    private static func demo(_ folder: String) throws -> Demo {
        let file = try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo")
        let model = try ManagedObjectModel(file.current.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try SQLiteStore(path: folder + "/demo.sqlite", model: model)
        try coordinator.add(store)
        try DemoData(model: model, seed: 1, size: 2_000).fill(coordinator)
        return try Demo(coordinator)
    }
}
