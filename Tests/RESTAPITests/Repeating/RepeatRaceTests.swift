// SPDX-License-Identifier: Apache-2.0

// Concurrent requests with one Idempotency-Key.

import AtomicStores
import Dispatch
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Concurrent requests with one key", .serialized)
struct RepeatRaceTests {
    @Test(
        "concurrent requests with one key are done once and get the same response",
        arguments: ["/api/posts", "/api/tags", "/api/tags/batch-insert"]
    )
    func twins(target: String) throws {
        try APIWorld.each { world throws in
            for round in 0..<5 {
                // The names of tags are unique, so that a late request can't create one.
                let body =
                    target.hasSuffix("insert")
                    ? "[{\"name\":\"\(round)\"}]" : "{\"\(target == "/api/posts" ? "title" : "name")\":\"\(round)\"}"
                let answers = Mutex<[Answer]>([])
                DispatchQueue.concurrentPerform(iterations: 6) { _ in
                    let answer = try? world.send(.post, target, body, fields: [.idempotencyKey: "\(round)"])
                    answers.withLock { $0 += [answer].compactMap(\.self) }
                }
                let all = answers.withLock(\.self)
                #expect(all.count == 6)
                #expect(Set(all.map(\.status)).count == 1, "\(all.map(\.text))")
                #expect(Set(all.map(\.text)).count == 1)
                #expect(all.count { !$0.fields.contains(.idempotencyReplayed) } == 1)
            }
            #expect(try world.count(target == "/api/posts" ? "Post" : "Tag") == (target == "/api/posts" ? 11 : 8))
        }
    }

    static let model = Model {
        Entity("Entry", userInfo: ["path": "entries"]) {
            Attribute("name", .string).optional()
            UniquenessConstraint("name")
        }
    }

    /// An object that lets another save happen before it is saved.
    final class Entry: ManagedObject {
        static let interruption = Mutex<(@Sendable () -> Void)?>(nil)

        override func willSave() {
            let interruption = Self.interruption.withLock { interruption in
                defer { interruption = nil }
                return interruption
            }
            interruption?()
        }
    }

    /// By columns: the first request looks for a stored response, the second is done completely, then the first saves.
    ///
    ///     first    look ─────────────── save: taken ─ look ─ respond
    ///     second         look ─ save
    @Test(
        "the slower of two concurrent requests with one key gets the faster one's response, or is refused",
        arguments: [
            ("{\"name\":\"a\"}", "{\"name\":\"a\"}", 201), ("{}", "{}", 201),
            ("{\"name\":\"a\"}", "{\"name\":\"b\"}", 422),
            ("{\"name\":\"a\"}", "{\"name\":\"a\" }", 422),
        ]
    )
    func crossing(first: String, second: String, status: Int) throws {
        let model = try ManagedObjectModel(Self.model)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Entry.self])
        try coordinator.add(InMemoryStore(model: model))
        let api = try API(coordinator)
        @Sendable func send(_ body: String) -> HTTPResponse {
            let fields: HeaderFields = [.contentType: "application/json", .idempotencyKey: "key"]
            return api.respond(to: HTTPRequest(.post, "/api/entries", fields: fields, body: .bytes(Array(body.utf8))))
        }
        let faster = Mutex<HTTPResponse?>(nil)
        Entry.interruption.withLock { $0 = { faster.withLock { $0 = send(second) } } }
        let slower = try Answer(send(first), statements: nil)
        let response = faster.withLock { $0 }
        let winner = try Answer(#require(response), statements: nil)
        #expect(winner.status == 201)
        #expect(!winner.fields.contains(.idempotencyReplayed))
        #expect(slower.status == status, "\(slower.text)")
        #expect(slower.fields.contains(.idempotencyReplayed) == (status == 201))
        if status == 201 { #expect(slower.bytes == winner.bytes) }
        #expect(try coordinator.read { reader in try reader.count(FetchRequest("Entry")) } == 1)
    }
}
