// SPDX-License-Identifier: Apache-2.0

// Requests about editing contexts that are repeated with their Idempotency-Key.

import Dispatch
import HTTPMessage
import JSON
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Repeated requests in editing contexts")
struct ContextRepeatTests {
    private static func key(_ key: String) -> HeaderFields { [.idempotencyKey: key] }

    /// A request to a context whose first tag is `tags/t1`.
    struct Call: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let path: String
        var body: String?
        var fields: HeaderFields = [:]
    }

    static let calls = [
        Call(testDescription: "an object", path: "/tags", body: #"{"name":"b","posts":[{"title":"In it"}]}"#),
        Call(testDescription: "several", path: "/posts", body: #"[{"title":"b"},{"title":"c"}]"#),
        Call(
            testDescription: "one, with no answer",
            path: "/posts",
            body: "{}",
            fields: [.prefer: "return=minimal"]
        ),
        Call(testDescription: "a member", path: "/tags/t1/posts", body: #"{"title":"New"}"#),
        Call(
            testDescription: "a transaction",
            path: "/transaction",
            body: #"{"operations":[{"insert":"Tag","id":"$n","values":{"name":"n"}},{"delete":"tags/t1"}]}"#
        ),
        Call(testDescription: "undo", path: "/undo"), Call(testDescription: "rollback", path: "/rollback"),
        Call(testDescription: "reset", path: "/reset"),
        Call(testDescription: "refresh", path: "/refresh", body: #"{"mergeChanges":false}"#),
        Call(testDescription: "save", path: "/save"),
    ]

    @Test("a repeated request in a context is done once and gets the same response", arguments: calls)
    func again(call: Call) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            for name in ["a", "z"] {
                #expect(try world.send(.post, "\(context)/tags", #"{"name":"\#(name)"}"#).status == 201)
            }
            let fields = call.fields.with(.idempotencyKey, "key")
            let first = try world.send(.post, context + call.path, call.body, fields: fields)
            #expect((200...204).contains(first.status), "\(first.text)")
            #expect(!first.fields.contains(.idempotencyReplayed))
            let before = [try world.get(context).json?["undo"], try world.changes(context)]
            for _ in 0..<2 {
                let again = try world.send(.post, context + call.path, call.body, fields: fields)
                #expect(again.status == first.status)
                #expect(again.bytes == first.bytes)
                #expect(again.fields[.location] == first.fields[.location])
                #expect(again.fields[.etag] == first.fields[.etag])
                #expect(again.fields[.idempotencyReplayed] == "true")
                #expect([try world.get(context).json?["undo"], try world.changes(context)] == before)
            }
            // Another request with the same key is refused, and with another key it is done.
            let other = try world.send(.post, "\(context)/posts", #"{"title":"Other"}"#, fields: fields)
            #expect(other.status == 422)
            #expect(other["code"] == "idempotency")
            let last = try world.send(.post, "\(context)/tags", #"{"name":"last"}"#, fields: Self.key("other"))
            #expect(last.status == 201)
        }
    }

    @Test("failed requests, dry runs and reads aren't stored under their key")
    func notKept() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let key = Self.key("key")
            #expect(try world.send(.post, "\(context)/tags", #"{"nam":"a"}"#, fields: key).status == 422)
            #expect(try world.send(.post, "\(context)/tags?dryRun=true", #"{"name":"a"}"#, fields: key).status == 201)
            #expect(try world.send(.post, "\(context)/tags/fetch", "{}", fields: key).status == 200)
            #expect(try world.send(.post, "\(context)/validate", fields: key).status == 200)
            for isAgain in [false, true] {
                let answer = try world.send(.post, "\(context)/tags", #"{"name":"a"}"#, fields: key)
                #expect(answer.status == 201)
                #expect(isReplayed(answer) == isAgain)
            }
            #expect(try world.get(context)["inserted"] == 1)
            // Another context doesn't know it, and neither do the stores.
            let another = try world.openContext()
            for path in [another, "/api"] {
                let answer = try world.send(.post, "\(path)/tags", #"{"name":"a"}"#, fields: key)
                #expect(answer.status == 201)
                #expect(!answer.fields.contains(.idempotencyReplayed))
            }
        }
    }

    @Test("a context stores the newest hundred responses, within the limits of size and lifetime")
    func limits() throws {
        var options = APIOptions()
        options.keptAnswerLimit = 250
        try APIWorld.each(options: options) { world throws in
            let context = try world.openContext()
            let long = String(repeating: "x", count: 400)
            let refused = try world.send(.post, "\(context)/tags", #"{"name":"\#(long)"}"#, fields: Self.key("long"))
            #expect(refused.status == 413)
            #expect(refused["limit"] == "keptAnswerLimit")
            #expect(try world.get(context)["hasChanges"] == false)
            for name in ["a", "b", "c", "d", "e", "f"] {
                let body = #"{"name":"\#(name)"}"#
                #expect(try world.send(.post, "\(context)/tags", body, fields: Self.key(name)).status == 201)
            }
            let last = try world.send(.post, "\(context)/tags", #"{"name":"f"}"#, fields: Self.key("f"))
            #expect(last.fields.contains(.idempotencyReplayed))
            let first = try world.send(.post, "\(context)/tags", #"{"name":"a"}"#, fields: Self.key("a"))
            #expect(!isReplayed(first))
        }
        try APIWorld.each { world throws in
            let context = try world.openContext()
            for number in 0...100 {
                _ = try world.send(.post, "\(context)/undo", fields: Self.key("\(number)"))
            }
            #expect(try !isReplayed(world.send(.post, "\(context)/undo", fields: Self.key("0"))))
            #expect(try isReplayed(world.send(.post, "\(context)/undo", fields: Self.key("100"))))
        }
        options = APIOptions()
        options.answerLifetime = .zero
        try APIWorld.each(options: options) { world throws in
            let context = try world.openContext()
            for _ in 0..<2 {
                #expect(try !isReplayed(world.send(.post, "\(context)/tags", #"{"name":"a"}"#, fields: Self.key("a"))))
            }
        }
    }

    private func isReplayed(_ answer: Answer) -> Bool { answer.fields.contains(.idempotencyReplayed) }

    @Test("concurrent requests with one key open one context, and after its end another")
    func opening() throws {
        try APIWorld.each { world throws in
            let answers = Mutex<[Answer]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                let answer = try? world.send(.post, "/api/contexts", #"{"name":"a"}"#, fields: Self.key("open"))
                answers.withLock { $0 += [answer].compactMap(\.self) }
            }
            let all = answers.withLock(\.self)
            #expect(all.map(\.status) == Array(repeating: 201, count: 6))
            #expect(Set(all.map(\.text)).count == 1)
            #expect(all.count { !isReplayed($0) } == 1)
            #expect(try world.get("/api/contexts")["items"]?.array?.count == 1)
            let other = try world.send(.post, "/api/contexts", #"{"name":"b"}"#, fields: Self.key("open"))
            #expect(other.status == 422)
            let context = try #require(all[0].fields[.location])
            #expect(try world.send(.delete, context).status == 204)
            let anew = try world.send(.post, "/api/contexts", #"{"name":"a"}"#, fields: Self.key("open"))
            #expect(!isReplayed(anew))
            #expect(anew.fields[.location] != context)
        }
    }

    @Test("concurrent requests with one key in a context are done once")
    func twins() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            for round in 0..<5 {
                let answers = Mutex<[Answer]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { _ in
                    let fields = Self.key("\(round)")
                    let answer = try? world.send(.post, "\(context)/tags", #"{"name":"\#(round)"}"#, fields: fields)
                    answers.withLock { $0 += [answer].compactMap(\.self) }
                }
                let all = answers.withLock(\.self)
                #expect(all.count == 4)
                #expect(Set(all.map(\.text)).count == 1)
                #expect(all.count { !isReplayed($0) } == 1)
            }
            #expect(try world.get(context)["inserted"] == 5)
        }
    }
}

extension HeaderFields {
    fileprivate func with(_ name: FieldName, _ value: String) -> HeaderFields {
        var fields = self
        fields[name] = value
        return fields
    }
}
