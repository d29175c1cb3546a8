// SPDX-License-Identifier: Apache-2.0

// Requests repeated with their Idempotency-Key.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Requests with an Idempotency-Key")
struct RepeatTests {
    /// A request with its expected status.
    struct Call: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let target: String
        let body: String
        var fields: HeaderFields = [:]
        var status = 200
    }

    /// Names in angle brackets stand for references: `<Tag core>`.
    static let calls = [
        Call(testDescription: "one", target: "/api/posts", body: "{\"title\":\"New\"}", status: 201),
        Call(
            testDescription: "one with objects in it and temporary names",
            target: "/api/posts",
            body: """
                {"_id":"$p","title":"New","tags":[{"_id":"$t","name":"new"},"<Tag core>"],"author":{"name":"Dan"},
                "pages":[{"text":"a"},{"text":"b"}],"price":"1.10","createdAt":"2026-11-21T09:30:00.25Z"}
                """,
            fields: [.prefer: "return=changes"],
            status: 201
        ),
        Call(
            testDescription: "one, and nothing of it is asked for",
            target: "/api/posts",
            body: "{\"title\":\"New\"}",
            fields: [.prefer: "return=minimal"],
            status: 201
        ),
        Call(
            testDescription: "several",
            target: "/api/tags",
            body: "[{\"name\":\"a\"},{\"name\":\"b\",\"posts\":[\"<Post Faults>\"]}]",
            status: 201
        ),
        Call(
            testDescription: "one whose unique value is another's",
            target: "/api/tags",
            body: "{\"name\":\"core\",\"posts\":[\"<Post Merging>\"]}",
            fields: [.prefer: "merge=object, return=changes"]
        ),
        Call(
            testDescription: "one that is dropped",
            target: "/api/tags",
            body: "{\"name\":\"core\"}",
            fields: [.prefer: "merge=store, return=changes"]
        ),
        Call(testDescription: "a member", target: "/api/<Post Faults>/tags", body: "{\"name\":\"new\"}", status: 201),
        Call(testDescription: "members", target: "/api/<Post Faults>/tags", body: "[\"<Tag swift>\"]"),
        Call(testDescription: "a member that is one", target: "/api/<Post Faults>/tags", body: "[\"<Tag core>\"]"),
        Call(
            testDescription: "a transaction",
            target: "/api/transaction",
            body: """
                {"operations":[{"update":"<User Anna>","values":{"age":35,"posts":{"add":["$p"]}}},
                {"insert":"Post","id":"$p","values":{"title":"T","tags":[{"_id":"$t","name":"tt"}]}},
                {"delete":"<Tag core>"}]}
                """,
            fields: [.prefer: "return=changes"]
        ),
        Call(
            testDescription: "a batch insert",
            target: "/api/posts/batch-insert?result=ids",
            body: "[{\"title\":\"a\"},{\"title\":\"b\"}]"
        ),
        Call(
            testDescription: "a batch insert of lines",
            target: "/api/posts/batch-insert",
            body: "{\"title\":\"a\"}\n{\"title\":\"b\"}\n",
            fields: [.contentType: "application/x-ndjson"]
        ),
        Call(testDescription: "a batch insert of none", target: "/api/posts/batch-insert", body: "[]"),
        Call(
            testDescription: "a batch update",
            target: "/api/posts/batch-update",
            body: "{\"all\":true,\"set\":{\"views\":{\"expression\":\"views + 1\"}},\"result\":\"ids\"}"
        ),
        Call(
            testDescription: "a batch deletion",
            target: "/api/posts/batch-delete",
            body: "{\"where\":\"title == 'Undo'\"}"
        ),
        Call(testDescription: "a batch deletion of none", target: "/api/posts/batch-delete", body: "{\"ids\":[]}"),
    ]

    @Test(
        "a request with a key gets the usual response, and a repeated one the same without doing anything",
        arguments: calls
    )
    func repeating(call: Call) throws {
        let plain = Mutex<[Answer]>([])
        try APIWorld.each { world throws in
            let answer = try send(call, to: world, nil)
            #expect(answer.status == call.status, "\(answer.text)")
            #expect(!answer.fields.contains(.idempotencyReplayed))
            plain.withLock { $0.append(answer) }
        }
        let worlds = Mutex(0)
        try APIWorld.each { world throws in
            let unkeyed = plain.withLock { $0[worlds.withLock { $0 }] }
            worlds.withLock { $0 += 1 }
            let first = try send(call, to: world, "key")
            #expect(first.status == call.status, "\(first.text)")
            #expect(first.text == unkeyed.text)
            #expect(kept(first.fields) == kept(unkeyed.fields))
            #expect(!first.fields.contains(.idempotencyReplayed))
            let before = try state(world)
            for _ in 0..<2 {
                let again = try send(call, to: world, "key")
                #expect(again.status == first.status)
                #expect(again.bytes == first.bytes)
                #expect(kept(again.fields) == kept(first.fields))
                #expect(again.fields.values(of: .idempotencyReplayed) == ["true"])
                #expect(again.fields[.requestID] != first.fields[.requestID])
            }
            #expect(try state(world) == before)
            // The created object exists, as the response shows it.
            if first.status == 201, let location = first.fields[.location] {
                let stored = try world.get(location)
                #expect(stored.fields[.etag] == first.fields[.etag])
                for member in stored.json?.object?.members ?? [] where !first.bytes.isEmpty {
                    // A nested object is shown as if it were included.
                    #expect(first[member.name]?["_id"] ?? first[member.name] == member.value)
                }
            }
        }
    }

    private func send(_ call: Call, to world: APIWorld, _ key: String?) throws -> Answer {
        var fields = call.fields
        if let key { fields[.idempotencyKey] = key }
        return try world.send(
            .post,
            try resolved(call.target, world),
            try resolved(call.body, world),
            fields: fields
        )
    }

    /// References are those of the objects before the first request, which may have deleted some.
    private func resolved(_ text: String, _ world: APIWorld) throws -> String {
        var text = text
        while let start = text.firstIndex(of: "<"), let end = text[start...].firstIndex(of: ">") {
            let words = text[text.index(after: start)..<end].split(separator: " ").map(String.init)
            text.replaceSubrange(start...end, with: try Self.reference(words[0], words[1], world))
        }
        return text
    }

    private static let known = Mutex<[String: String]>([:])

    private static func reference(_ entity: String, _ name: String, _ world: APIWorld) throws -> String {
        let key = "\(world.coordinator.epoch) \(entity) \(name)"
        if let reference = known.withLock({ $0[key] }) { return reference }
        let reference = try world.reference(entity, name)
        known.withLock { $0[key] = reference }
        return reference
    }

    /// The fields that a repeated response has, too.
    private func kept(_ fields: HeaderFields) -> [String?] {
        [.contentType, .etag, .location, .preferenceApplied].map { fields[$0] }
    }

    private func state(_ world: APIWorld) throws -> [String] {
        try ["posts", "tags", "users", "pages"].map { path in
            try world.get("/api/\(path)?limit=100\(path == "posts" ? "&include=tags" : "")").text
        }
    }

    @Test("a different request with the same key is refused")
    func otherRequests() throws {
        try APIWorld.each { world throws in
            let key: HeaderFields = [.idempotencyKey: "key"]
            #expect(try world.send(.post, "/api/tags", "{\"name\":\"a\"}", fields: key).status == 201)
            let before = try state(world)
            var minimal = key
            minimal[.prefer] = "return=minimal"
            let others = [
                try world.send(.post, "/api/tags", "{\"name\":\"b\"}", fields: key),
                try world.send(.post, "/api/tags", "{\"name\":\"a\" }", fields: key),
                try world.send(.post, "/api/Tag", "{\"name\":\"a\"}", fields: key),
                try world.send(.post, "/api/tags", "{\"name\":\"a\"}", fields: minimal),
                try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"b\"}]", fields: key),
            ]
            for other in others {
                #expect(other.status == 422)
                #expect(other["code"] == "idempotency")
                #expect(other.fields[.idempotencyReplayed] == nil)
            }
            #expect(try state(world) == before)
            #expect(
                try world.send(.post, "/api/tags", "{\"name\":\"b\"}", fields: [.idempotencyKey: "Key"]).status == 201
            )
        }
    }

    @Test("a failed request can be repeated with its key")
    func failures() throws {
        try APIWorld.each { world throws in
            let fields: HeaderFields = [.idempotencyKey: "key"]
            let body = "{\"name\":\"core\"}"
            for _ in 0..<2 {
                let refused = try world.send(.post, "/api/tags", body, fields: fields)
                #expect(refused.status == 409)
                #expect(refused.fields[.idempotencyReplayed] == nil)
            }
            #expect(try world.send(.delete, "/api/\(world.reference("Tag", "core"))").status == 204)
            #expect(try world.send(.post, "/api/tags", body, fields: fields).status == 201)
            #expect(try world.send(.post, "/api/tags", body, fields: fields).status == 201)
            #expect(try world.count("Tag") == 3)
            let batch = "[{\"title\":\"a\"},{\"views\":-1}]"
            let key: HeaderFields = [.idempotencyKey: "batch"]
            #expect(try world.send(.post, "/api/posts/batch-insert", batch, fields: key).status == 422)
            let mended = "[{\"title\":\"a\"},{\"views\":1}]"
            #expect(try world.send(.post, "/api/posts/batch-insert", mended, fields: key).status == 200)
        }
    }

    @Test("requests that save nothing, and other methods, store no response")
    func unkept() throws {
        try APIWorld.each { world throws in
            let fields: HeaderFields = [.idempotencyKey: "key"]
            #expect(try world.send(.post, "/api/tags?dryRun=true", "{\"name\":\"a\"}", fields: fields).status == 201)
            #expect(try world.send(.post, "/api/posts/fetch", "{\"limit\":1}", fields: fields).status == 200)
            let tag = try world.reference("Tag", "data")
            for name in ["b", "c"] {
                let answer = try world.send(.patch, "/api/\(tag)", "{\"name\":\"\(name)\"}", fields: fields)
                #expect(answer["name"]?.string == name)
            }
            let answer = try world.send(.post, "/api/tags", "{\"name\":\"a\"}", fields: fields)
            #expect(answer.status == 201)
            #expect(answer.fields[.idempotencyReplayed] == nil)
        }
    }

    @Test(
        "an empty, long or malformed key is refused",
        arguments: ["", " ", "a b", "ä", String(repeating: "k", count: 256)]
    )
    func wrongKeys(key: String) throws {
        try APIWorld.each { world throws in
            let request = HTTPRequest(
                .post,
                "/api/tags",
                fields: [.contentType: "application/json", .idempotencyKey: key],
                body: .bytes(Array("{\"name\":\"a\"}".utf8))
            )
            let answer = try Answer(world.api.respond(to: request), statements: nil)
            #expect(answer.status == 400)
            #expect(answer["code"] == "parameter")
            #expect(try world.count("Tag") == 3)
        }
    }

    @Test("a key may have up to 255 visible ASCII characters")
    func rightKeys() throws {
        try APIWorld.each { world throws in
            let keys = ["~!\"#$%&'()", String(repeating: "k", count: 255), "\"8e03978e-40d5-43e8-bc93-6894a57f9324\""]
            for (number, key) in keys.enumerated() {
                let fields: HeaderFields = [.idempotencyKey: key]
                let body = "{\"name\":\"\(number)\"}"
                #expect(try world.send(.post, "/api/tags", body, fields: fields).status == 201)
                #expect(try world.send(.post, "/api/tags", body, fields: fields).fields.contains(.idempotencyReplayed))
            }
            let two: HeaderFields = [.idempotencyKey: "a", .idempotencyKey: "b"]
            #expect(try world.send(.post, "/api/tags", "{\"name\":\"x\"}", fields: two).status == 400)
        }
    }

    @Test("a batch that is committed in chunks refuses a key")
    func chunks() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(
                .post,
                "/api/posts/batch-insert?chunk=1",
                "[{\"title\":\"a\"}]",
                fields: [.idempotencyKey: "key"]
            )
            #expect(answer.status == 400)
            #expect(answer["code"] == "parameter")
            #expect(try world.count("Post") == 6)
        }
    }
}
