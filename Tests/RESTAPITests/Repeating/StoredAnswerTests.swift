// SPDX-License-Identifier: Apache-2.0

// Stored responses: where, how long and how large.

import AtomicStores
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Stored responses")
struct StoredAnswerTests {
    private static let key: HeaderFields = [.contentType: "application/json", .idempotencyKey: "key"]

    @Test("a stored response is read back from its text as written")
    func text() throws {
        var response = HTTPResponse(
            .created,
            fields: [.location: "/api/posts/1", .etag: "\"1\"", .contentType: "application/json"]
        )
        response.body = .bytes(Array("{\"a\":\"ä\r\n\r\n\"}".utf8))
        let kept = StoredAnswer(response, fingerprint: "abc+/=")
        let read = try #require(StoredAnswer(kept.bytes))
        #expect(read.fingerprint == "abc+/=")
        #expect(read.status == .created)
        #expect(read.fields == response.fields)
        #expect(read.body == kept.body)
        let empty = try #require(StoredAnswer(StoredAnswer(HTTPResponse(.noContent), fingerprint: "x").bytes))
        #expect(empty.status == .noContent && empty.fields.count == 0 && empty.body.isEmpty)
        for wrong in [
            "", "answer 2 x 200\r\n\r\n", "answer 1 x\r\n\r\n", "answer 1 x 200", "answer 1 x 200\r\nno field\r\n\r\n",
        ] {
            #expect(StoredAnswer(Array(wrong.utf8)) == nil, "\(wrong)")
        }
    }

    @Test("a stored response expires after its lifetime")
    func lifetime() throws {
        var options = APIOptions()
        options.answerLifetime = .zero
        try APIWorld.each(options: options) { world throws in
            for _ in 0..<2 {
                let answer = try world.send(.post, "/api/posts", "{\"title\":\"a\"}", fields: Self.key)
                #expect(answer.status == 201)
                #expect(!answer.fields.contains(.idempotencyReplayed))
            }
            #expect(try world.count("Post") == 8)
        }
    }

    @Test("a response beyond the limit isn't stored, and nothing is saved")
    func limit() throws {
        var options = APIOptions()
        options.keptAnswerLimit = 300
        try APIWorld.each(options: options) { world throws in
            let rows = JSONValue.array((0..<30).map { ["name": .string("tag \($0)")] }).serialized()
            for target in ["/api/tags", "/api/tags/batch-insert?result=ids"] {
                let refused = try world.send(.post, target, rows, fields: Self.key)
                #expect(refused.status == 413, "\(refused.text)")
                #expect(refused["code"] == "too-large")
                #expect(refused["limit"] == "keptAnswerLimit")
                #expect(try world.count("Tag") == 3)
            }
            #expect(try world.send(.post, "/api/tags/batch-insert", rows, fields: Self.key)["count"] == 30)
        }
    }

    @Test("responses are stored in stores of any kind, and available after reopening")
    func reopening() throws {
        let model = try ManagedObjectModel(Blog.model)
        try Checkout.withFolder { folder in
            let stores: [() throws -> any PersistentStore] = [
                { try SQLiteStore(path: folder + "/Blog.sqlite", model: model) },
                { try AtomicStore(path: folder + "/Blog.xml", format: .xml, model: model) },
                { try AtomicStore(path: folder + "/Blog.binary", format: .binary, model: model) },
            ]
            for open in stores {
                func send() throws -> Answer {
                    let coordinator = PersistentStoreCoordinator(model: model)
                    try coordinator.add(open())
                    let request = HTTPRequest(
                        .post,
                        "/api/tags",
                        fields: Self.key,
                        body: .bytes(Array("{\"name\":\"a\"}".utf8))
                    )
                    return try Answer(API(coordinator).respond(to: request), statements: nil)
                }
                let (first, again) = (try send(), try send())
                #expect(first.status == 201)
                #expect(again.status == 201)
                #expect(again.bytes == first.bytes)
                #expect(again.fields.contains(.idempotencyReplayed))
            }
        }
    }

    @Test("stored responses aren't in a store's metadata, and survive changes of it")
    func metadata() throws {
        let model = try ManagedObjectModel(Blog.model)
        try Checkout.withFolder { folder in
            func open() throws -> AtomicStore {
                try AtomicStore(path: folder + "/Blog.xml", format: .xml, model: model)
            }
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(open())
            try coordinator.withContext { context in try context.save { PendingNote(key: "a") { _ in [1] } } }
            let store = try open()
            #expect(Set(store.metadata.values.keys) == [StoreMetadata.typeKey, StoreMetadata.identifierKey])
            try store.setMetadata(StoreMetadata(values: ["own": 1, "OutcropNotes": 2]))
            _ = try store.save(StoreSaveRequest())
            #expect(try open().note("a")?.content == [1])
            #expect(try open().metadata.values["own"] == 1)
        }
    }

    @Test("a store that can't store responses refuses requests with a key, and saves nothing")
    func unkept() throws {
        let model = try ManagedObjectModel(Blog.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(FailingStore(InMemoryStore(model: model)))
        try Blog.fill(coordinator)
        let api = try API(coordinator)
        func send(_ target: String, _ body: String) throws -> Answer {
            let request = HTTPRequest(.post, target, fields: Self.key, body: .bytes(Array(body.utf8)))
            return try Answer(api.respond(to: request), statements: nil)
        }
        for (target, body) in [("/api/tags", "{\"name\":\"a\"}"), ("/api/tags/batch-insert", "[{\"name\":\"a\"}]")] {
            let answer = try send(target, body)
            #expect(answer.status == 501, "\(answer.text)")
            #expect(answer["code"] == "not-implemented")
        }
        #expect(try coordinator.read { reader in try reader.count(FetchRequest("Tag")) } == 3)
    }
}
