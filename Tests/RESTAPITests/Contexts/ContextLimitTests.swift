// SPDX-License-Identifier: Apache-2.0

// The limit of pending changes in an editing context, including undo.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Memory of an editing context")
struct ContextLimitTests {
    private func each(limit: Int, _ body: (APIWorld) throws -> Void) throws {
        var options = APIOptions()
        options.contextMemoryLimit = limit
        try APIWorld.each(options: options, body)
    }

    private func note(_ letter: Character, _ count: Int) -> String {
        "{\"note\":\"\(String(repeating: letter, count: count))\"}"
    }

    @Test("a context stays within its limit by dropping the oldest undo steps")
    func undo() throws {
        try each(limit: 100_000) { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("User", "Anna"))"
            for letter in "abcdefgh" {
                #expect(try world.send(.patch, path, note(letter, 30_000)).status == 200)
                let pending = try world.size(of: context)
                #expect(pending <= 100_000)
                #expect(pending > 30_000)
            }
            let steps = try #require(try world.get(context)["undo"]?.int64)
            #expect(steps == 2)
            for letter in "gf" {
                #expect(try world.send(.post, "\(context)/undo").status == 200)
                #expect(try world.get(path)["note"]?.string?.first == letter)
            }
            #expect(try world.get(context)["undo"] == 0)
            for _ in 0..<2 { #expect(try world.send(.post, "\(context)/redo").status == 200) }
            #expect(try world.get(path)["note"]?.string?.first == "h")
        }
    }

    @Test("a value counts once toward the limit")
    func honesty() throws {
        try each(limit: 100_000) { world throws in
            let context = try world.openContext()
            let note = String(repeating: "x", count: 90_000)
            #expect(try world.send(.post, "\(context)/users", "{\"name\":\"Dora\",\"note\":\"\(note)\"}").status == 201)
            let size = try world.size(of: context)
            #expect(size > 90_000 && size < 95_000, "\(size)")
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.send(.delete, "\(context)/users/t1").status == 204)
        }
    }

    @Test("a change beyond the limit is refused, and undo is kept")
    func refusal() throws {
        try each(limit: 100_000) { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("User", "Anna"))"
            for letter in "abc" { #expect(try world.send(.patch, path, note(letter, 25_000)).status == 200) }
            let undo = try world.get(context)["undo"]
            let refused = try world.send(.patch, path, note("d", 120_000))
            #expect(refused.status == 413)
            #expect(refused["hint"]?.string?.contains("try again") == true)
            #expect(try world.get(context)["undo"] == undo)
            #expect(try world.get(path)["note"]?.string?.first == "c")
            // The pending changes can be saved, which makes room.
            _ = try world.send(.patch, "\(context)/\(try world.reference("User", "Bea"))", note("e", 60_000))
            #expect(try world.send(.patch, path, note("f", 60_000)).status == 413)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.send(.patch, path, note("f", 40_000)).status == 200)
        }
    }

    @Test("a child's save beyond the parent's limit is refused, and both are unchanged")
    func children() throws {
        try each(limit: 100_000) { world throws in
            let root = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            func add(_ name: String) throws -> Answer {
                let note = String(repeating: "x", count: 30_000)
                return try world.send(.post, "\(child)/users", "{\"name\":\"\(name)\",\"note\":\"\(note)\"}")
            }
            for name in ["D", "E", "F"] {
                #expect(try add(name).status == 201)
                #expect(try world.send(.post, "\(child)/save").status == 200)
            }
            #expect(try add("G").status == 201)
            _ = try world.send(.patch, "\(child)/users/t1", #"{"name":"Dora"}"#)
            let before = try (world.get("\(root)/changes").json, world.get("\(child)/changes").json)
            let undo = try (world.get(root)["undo"], world.get(child)["undo"])
            let refused = try world.send(.post, "\(child)/save")
            #expect(refused.status == 413)
            #expect(refused.text.contains("c1"))
            #expect(try world.get("\(root)/changes").json == before.0)
            #expect(try world.get("\(child)/changes").json == before.1)
            #expect(try world.get(root)["undo"] == undo.0)
            #expect(try world.get(child)["undo"] == undo.1)
            #expect(try world.send(.post, "\(root)/save").status == 200)
            #expect(try world.send(.post, "\(child)/save").status == 200)
            #expect(try world.send(.post, "\(root)/save").status == 200)
            #expect(try world.get("/api/users?name=Dora&result=count")["count"] == 1)
        }
    }
}

extension APIWorld {
    /// The bytes of the pending changes in a context, including undo.
    fileprivate func size(of context: String) throws -> Int {
        let name = try #require(context.split(separator: "/").last)
        return try #require(api.contexts).with(String(name), of: api, \.pendingSize)
    }
}
