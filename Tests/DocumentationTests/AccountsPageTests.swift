// SPDX-License-Identifier: Apache-2.0

// The guide to accounts: its model and its access file are valid, and its requests have the statuses that the page shows.

import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import AccessRules

@Suite("docs/accounts.md")
struct AccountsPageTests {
    private let page: Page

    init() throws { page = try Page("docs/accounts.md") }

    private final class Messages: Sendable {
        let last = Mutex<AccountMessage?>(nil)
    }

    private struct NoOthers: Authenticator {
        func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
            if request.fields[.authorization] == nil { return nil }
            throw InvalidCredential("It isn't a token of an account.")
        }
    }

    private static func api(_ page: Page, _ folder: String, _ messages: Messages) throws -> API {
        let blocks = page.blocks(in: "json").map(\.text)
        try #require(blocks.count == 3)
        let file = try ModelFile(json: Array(blocks[0].utf8), name: "Accounts")
        let model = try ManagedObjectModel(file.current.model)
        let policy = try AccessPolicy(parsing: Array(blocks[1].utf8), for: model.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = folder + "/app.sqlite"
        try coordinator.add(SQLiteStore(path: store, model: model))
        let accounts = try Accounts(
            key: AccountKey(besides: store),
            sessions: AccountSessions(SessionFile(besides: store), now: .now) { Issue.record($0) },
            cost: PasswordHash.Cost(exponent: 4, blockSize: 8, parallelism: 1),
            onMessage: { message in messages.last.withLock { $0 = message } }
        )
        let authenticator = AccountAuthenticator(accounts, otherwise: NoOthers())
        return try API(
            coordinator,
            accessGuard: AccessGuard(policy, authenticator: authenticator, accounts: accounts)
        )
    }

    @Test("each request has the status that the page shows")
    func requests() throws {
        let lines = page.blocks(in: "sh").flatMap(\.lines)
        #expect(lines.count == 16)
        try Checkout.withFolder { folder in
            let messages = Messages()
            let api = try Self.api(page, folder, messages)
            var token = ""
            var refreshToken = ""
            for line in lines {
                let parts = line.split(separator: " # ", maxSplits: 1)
                let text = parts[0].replacing("$TOKEN", with: token).replacing("$REFRESH", with: refreshToken)
                    .replacing("$RESET", with: messages.last.withLock { $0?.token } ?? "")
                let answer = api.respond(to: try CurlLine(String(text)).request)
                #expect("\(answer.status.code)" == parts[1].drop { $0 == " " }.prefix(3), "\(line)")
                guard case .bytes(let bytes) = answer.body, let json = try? JSONValue(parsing: bytes),
                    let next = json["refreshToken"]?.string
                else { continue }
                refreshToken = next
                token = json["token"]?.string ?? ""
            }
            for name in ["accounts.json", "sessions.jsonl"] {
                #expect(page.code.contains("app.sqlite.\(name)"))
                #expect(FileManager.default.fileExists(atPath: "\(folder)/app.sqlite.\(name)"))
            }
        }
    }

    @Test("the page has each member of accounts and of messages in the file")
    func members() throws {
        for (section, object) in [("The file", "accounts"), ("Messages", "messages")] {
            let rows = try #require(page.section(section)).rows.map { $0[0].codeSpans }
            #expect(rows == AccessKeys.all.first { $0.object == object }?.keys.map { [$0] })
        }
    }

    @Test("the webhook gets what the page shows")
    func message() throws {
        let shown = try JSONValue(parsing: #require(page.blocks(in: "json").last).text)
        try Checkout.withFolder { folder in
            let messages = Messages()
            let api = try Self.api(page, folder, messages)
            let body = #"{"name": "ana@example.org", "password": "correct horse"}"#
            for (path, body) in [("sign-up", body), ("reset", #"{"name": "ana@example.org"}"#)] {
                var request = HTTPRequest(.post, "/api/auth/\(path)", body: .bytes(Array(body.utf8)))
                request.fields[.contentType] = "application/json"
                #expect(api.respond(to: request).status.code < 300)
            }
            let sent = Mutex<JSONValue>(.null)
            let delivery = MessageDelivery()
            delivery.use(
                MessageReceiver(try HookURL("https://mail.example/accounts"), secret: Array(folder.utf8)) { request in
                    sent.withLock { $0 = (try? JSONValue(parsing: request.body)) ?? .null }
                    #expect(request.fields["Outcrop-Hook"] == "accounts")
                    return .status(204)
                }
            )
            let message = messages.last.withLock(\.self)
            delivery.deliver(try #require(message))
            delivery.end(within: .seconds(10))
            let received = sent.withLock(\.self)
            var object = try #require(received.object)
            for name in ["token", "expires"] {
                #expect(object[name]?.string?.isEmpty == false)
                object[name] = "…"
            }
            #expect(JSONValue.object(object) == shown)
        }
    }

    @Test("the page has each route")
    func routes() throws {
        let messages = Messages()
        try Checkout.withFolder { folder in
            let api = try Self.api(page, folder, messages)
            guard case .bytes(let bytes) = api.respond(to: HTTPRequest(.get, "/openapi.json")).body else { return }
            let paths = try JSONValue(parsing: bytes)["paths"]?.object?.members ?? []
            let routes = paths.filter { $0.name.hasPrefix("/api/auth/") }.flatMap { path -> [String] in
                let methods = (path.value.object?.names ?? []).filter { $0 != "parameters" }
                return methods.map { "\($0.uppercased()) \(path.name.dropFirst("/api/auth/".count))" }
            }
            let rows = try #require(page.section("Routes")).rows.flatMap { $0[0].codeSpans }
            #expect(rows.sorted() == routes.sorted())
        }
    }
}
