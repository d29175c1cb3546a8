// SPDX-License-Identifier: Apache-2.0

// A server's store while another program writes to it or locks it exclusively.

import FoundationEssentials
import HTTPMessage
import HTTPTestClient
import JSON
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Stores locked by another program")
struct LockedStoreTests {
    private struct World {
        let server: LiveServer
        let other: Connection

        /// Sends a request on a connection of its own, without waiting for the response.
        func send(_ method: String, _ target: String, _ body: String) throws -> TestClient {
            let client = try server.client()
            let head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            try client.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return client
        }

        func get(_ target: String) throws -> TestResponse { try server.answer(to: HTTPRequest(.get, target)) }
    }

    /// Serves a store that another program has locked, until the test releases the lock.
    private func withLock(_ options: APIOptions, _ body: (World) throws -> Void) throws {
        let model = try ManagedObjectModel(Blog.model)
        try Checkout.withFolder { folder in
            var storeOptions = SQLiteStoreOptions()
            storeOptions.busyTimeout = .seconds(3_600)
            let store = try SQLiteStore(path: folder + "/Blog.sqlite", model: model, options: storeOptions)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            try Blog.fill(coordinator)
            let other = try Connection(path: store.path)
            try other.execute("BEGIN EXCLUSIVE")
            store.meetLock(coordinator)
            try body(World(server: LiveServer(API(coordinator, options: options)), other: other))
        }
    }

    @Test("reads continue while many writes wait for a lock, and the writes succeed after its release")
    func readsGoOn() throws {
        var options = APIOptions()
        options.deadline = .seconds(3_600)
        try withLock(options) { world in
            let writers = try (0..<40).map { number in
                switch number % 3 {
                case 0: try world.send("POST", "/api/tags", "{\"name\":\"new \(number)\"}")
                case 1: try world.send("PATCH", "/api/tags/1", "{\"name\":\"other \(number)\"}")
                default: try world.send("POST", "/api/tags/batch-insert", "[{\"name\":\"batch \(number)\"}]")
                }
            }
            for _ in 0..<5 {
                for target in ["/api/posts", "/api/tags/1", "/api/posts?where=views%20%3E%200", "/readyz", "/api"] {
                    #expect(try world.get(target).status == 200)
                }
                #expect(try world.send("POST", "/api/posts/fetch", "{\"limit\":2}").response().status == 200)
            }
            let draft = try world.send("POST", "/api/contexts", "{}").response()
            let context = try #require(JSONValue(parsing: draft.body)["context"]?.string)
            let made = try world.send("POST", "/api/contexts/\(context)/tags", "{\"name\":\"drafted\"}").response()
            #expect(made.status == 201)
            try world.other.execute("ROLLBACK")
            for (number, writer) in writers.enumerated() {
                let answer = try writer.response()
                #expect(answer.status == (number % 3 == 0 ? 201 : 200), "\(answer.text)")
            }
        }
    }

    @Test("a write that can't get the lock in time is answered with 503 and the code locked")
    func late() throws {
        var options = APIOptions()
        options.deadline = .milliseconds(300)
        options.batchDeadline = .milliseconds(300)
        try withLock(options) { world in
            let writers = try (0..<20).map { number in
                number % 2 == 0
                    ? try world.send("POST", "/api/tags", "{\"name\":\"new \(number)\"}")
                    : try world.send("POST", "/api/tags/batch-delete", "{\"all\":true}")
            }
            for writer in writers {
                let answer = try writer.response()
                let problem = try JSONValue(parsing: answer.body)
                #expect(answer.status == 503)
                #expect(answer["retry-after"] == "1")
                #expect(problem["code"] == "locked", "\(answer.text)")
                #expect(!answer.text.contains("index") && !answer.text.contains("sqlite"))
            }
            try world.other.execute("ROLLBACK")
            // The short deadline applies to these as well.
            let isWritten = try (0..<100).contains { number in
                try world.send("POST", "/api/tags", "{\"name\":\"free \(number)\"}").response().status == 201
            }
            #expect(isWritten)
        }
    }

    @Test("a read of a store that can't be read while it is locked is answered as a read")
    func readsOfALockedStore() throws {
        let model = try ManagedObjectModel(Blog.model)
        try Checkout.withFolder { folder in
            let path = folder + "/Blog.sqlite"
            do {
                let coordinator = PersistentStoreCoordinator(model: model)
                try coordinator.add(SQLiteStore(path: path, model: model))
                try Blog.fill(coordinator)
            }
            let other = try Connection(path: path)
            // Only without a log is there a lock that keeps others from reading.
            try other.set("journal_mode", to: "delete")
            var storeOptions = SQLiteStoreOptions()
            storeOptions.isReadOnly = true
            storeOptions.busyTimeout = .milliseconds(50)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: path, model: model, options: storeOptions))
            let transport = try Transport(API(coordinator))
            try other.execute("BEGIN EXCLUSIVE")
            for request in [
                HTTPRequest(.get, "/api/tags"), HTTPRequest(.get, "/api/tags/1"),
                HTTPRequest(
                    .post,
                    "/api/tags/fetch",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array("{}".utf8))
                ),
            ] {
                let answer = try transport.answer(to: request)
                #expect(answer.status == 503 && answer["code"] == "locked", "\(answer.text)")
                #expect(
                    answer["detail"]?.string?.hasPrefix("Another program holds an exclusive lock on the store") == true
                )
                #expect(answer["hint"] == "Try again later.")
                #expect(answer.fields[.retryAfter] == "1")
            }
            try other.execute("ROLLBACK")
            #expect(try transport.answer(to: HTTPRequest(.get, "/api/tags")).status == 200)
        }
    }
}
