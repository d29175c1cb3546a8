// SPDX-License-Identifier: Apache-2.0

// The limit of pending changes in all editing contexts together.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Memory of all editing contexts")
struct ContextMemoryTests {
    private func each(_ body: (APIWorld) throws -> Void) throws {
        var options = APIOptions()
        options.contextsMemoryLimit = 200_000
        try APIWorld.each(options: options, body)
    }

    private func add(_ count: Int, to context: String, _ world: APIWorld) throws -> Answer {
        let note = String(repeating: "x", count: count)
        return try world.send(.post, "\(context)/users", "{\"name\":\"Dora\",\"note\":\"\(note)\"}")
    }

    private func total(_ world: APIWorld) throws -> Int { try #require(world.api.contexts).memory.total }

    @Test("a change beyond the common limit is refused with 503, and saving, rolling back or ending makes room")
    func bound() throws {
        try each { world throws in
            let contexts = try (0..<3).map { _ in try world.openContext() }
            for context in contexts.prefix(2) { #expect(try add(80_000, to: context, world).status == 201) }
            let before = try world.get("\(contexts[2])/changes").json
            let refused = try add(80_000, to: contexts[2], world)
            #expect(refused.status == 503 && refused["code"] == "overload" && refused["limit"] == "contextsMemory")
            #expect(refused.fields[.retryAfter] == "60")
            #expect(try world.get("\(contexts[2])/changes").json == before)
            #expect(try world.get(contexts[2])["undo"] == 0)
            // A small change still fits, and reading is unlimited.
            #expect(try add(1_000, to: contexts[2], world).status == 201)
            #expect(try world.send(.post, "\(contexts[2])/undo").status == 200)
            #expect(try world.send(.delete, contexts[0]).status == 204)
            #expect(try add(80_000, to: contexts[2], world).status == 201)
            #expect(try add(80_000, to: contexts[1], world).status == 503)
            #expect(try world.send(.post, "\(contexts[1])/rollback").status == 200)
            #expect(try world.send(.post, "\(contexts[2])/save").status == 200)
            for context in contexts.dropFirst() { #expect(try world.send(.delete, context).status == 204) }
            #expect(try total(world) == 0)
        }
    }

    @Test("only the current pending changes count, however often they have changed")
    func churn() throws {
        try each { world throws in
            let context = try world.openContext()
            #expect(try add(10, to: context, world).status == 201)
            for number in 0..<300 {
                let answer = try world.send(.patch, "\(context)/users/t1", "{\"age\":\(number % 100)}")
                #expect(answer.status == 200)
            }
            let name = try #require(context.split(separator: "/").last)
            let size = try #require(world.api.contexts).with(String(name), of: world.api, \.pendingSize)
            #expect(try total(world) >= size)
            #expect(try total(world) <= 2 * size + 1 << 20)
        }
    }
}
