// SPDX-License-Identifier: Apache-2.0

// The number of statements of writes: the rows to be written, and a few.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@Suite("Statements of writes")
struct WritingStatementTests {
    /// The statements of a body with some nested objects.
    private func cost(
        _ world: APIWorld,
        _ count: Int,
        _ body: (Int) throws -> String,
        _ path: String = "/api/posts"
    ) throws -> Int? {
        let objects = try (0..<count).map { try body($0) }.joined(separator: ",")
        let answer = try world.send(.post, path, "{\"title\":\"N\",\"pages\":[\(objects)]}")
        #expect(answer.status == 201)
        return answer.statements
    }

    @Test("the number of statements hardly grows with the number of nested objects")
    func nested() throws {
        try APIWorld.each { world throws in
            _ = try cost(world, 1) { "{\"text\":\"\($0)\"}" }
            guard let few = try cost(world, 5, { "{\"text\":\"\($0)\"}" }),
                let many = try cost(world, 50, { "{\"text\":\"\($0)\"}" })
            else { return }
            // Three more for the history, which inserts up to 16 changes at once.
            #expect(many - few <= 8)
        }
    }

    @Test("reading named objects needs no more statements for many than for a few")
    func named() throws {
        try APIWorld.each { world throws in
            let made = try world.send(
                .post,
                "/api/pages",
                "[\((0..<60).map { "{\"text\":\"\($0)\"}" }.joined(separator: ","))]"
            )
            let pages = try #require(made["items"]?.array).compactMap { $0["_id"]?.string }
            let post = try world.reference("Post", "Faults")
            func patch(_ pages: ArraySlice<String>) throws -> Int? {
                let body = "{\"pages\":{\"add\":[\(pages.map { "\"\($0)\"" }.joined(separator: ","))]}}"
                let answer = try world.send(.patch, "/api/\(post)", body)
                #expect(answer.status == 200)
                return answer.statements
            }
            guard let few = try patch(pages[0..<5]), let many = try patch(pages[5..<55]) else { return }
            // One for each row that gets another owner. The history of many rows is one statement, that of a few two.
            #expect(many - few == 44)
        }
    }

    @Test("creating a member in a relationship doesn't read the other members")
    func members() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            var counts: [Int] = []
            for size in [1, 100] {
                let comments = (0..<size).map { "{\"text\":\"\($0)\",\"post\":\"\(post)\"}" }.joined(separator: ",")
                #expect(try world.send(.post, "/api/comments", "[\(comments)]").status == 201)
                let made = try world.send(.post, "/api/\(post)/comments", "{\"text\":\"x\"}")
                #expect(made.status == 201)
                counts.append(made.statements ?? 0)
            }
            #expect(counts[0] == counts[1])
        }
    }

    @Test(
        "adding or removing a member needs the same number of statements, however many others exist",
        arguments: ["pages", "tags"]
    )
    func paths(_ relationship: String) throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            var counts: [[Int?]] = []
            for size in [1, 100] {
                let attribute = relationship == "pages" ? "text" : "name"
                let others = (0..<size).map { "{\"\(attribute)\":\"\(size) \($0)\"}" }.joined(separator: ",")
                #expect(try world.send(.post, "/api/\(post)/\(relationship)", "[\(others)]").status == 200)
                let made = try world.send(.post, "/api/\(relationship)", "{\"\(attribute)\":\"x\(size)\"}")
                let key = try #require(made["_id"]?.string).split(separator: "/")[1]
                let added = try world.send(.put, "/api/\(post)/\(relationship)/\(key)")
                let removed = try world.send(.delete, "/api/\(post)/\(relationship)/\(key)")
                #expect([added.status, removed.status] == [200, 200])
                counts.append([added.statements, removed.statements])
            }
            #expect(counts[0] == counts[1])
        }
    }

    @Test("a change that changes nothing runs no statement")
    func unchanged() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", "{\"views\":2}")
            let again = try world.send(.patch, "/api/\(post)", "{\"views\":2}")
            #expect(again.statements ?? 0 == 0)
        }
    }

    /// A change of a post, with its condition.
    struct Change: Sendable {
        var method = HTTPMethod.patch
        var body = "{\"views\":5}"
        var fields = HeaderFields()
        var isStale = false
    }

    static let changes = [
        Change(),
        Change(body: "{\"views\":5,\"_version\":1}"),
        Change(body: "{\"views\":{\"$inc\":5}}", fields: [.ifMatch: "\"1\""]),
        Change(fields: [.ifMatch: "*", .prefer: "return=minimal"]),
        Change(method: .put, body: "{\"title\":\"T\"}", fields: [.ifMatch: "\"1\""]),
        Change(fields: [.ifMatch: "\"9\""], isStale: true),
    ]

    @Test("a change reads its row once, whatever its condition, and again before it is refused", arguments: changes)
    func once(_ change: Change) throws {
        // The cached row may be outdated.
        let count = change.isStale ? 2 : 1
        try APIWorld.each { world throws in
            // A context also checks whether the version is a newer stored one.
            for (isDraft, title) in change.isStale ? [(false, "Undo")] : [(false, "Undo"), (true, "Saving")] {
                let post = try world.reference("Post", title)
                let path = try "\(isDraft ? world.openContext() : "/api")/\(post)"
                let before = world.coordinator.statistics
                let status = try world.send(change.method, path, change.body, fields: change.fields).status
                #expect((change.isStale ? [412] : [200, 204]).contains(status))
                let after = world.coordinator.statistics
                #expect(after.faults.count - before.faults.count == count)
                #expect(after.faults.objects - before.faults.objects == count)
                guard world.sqlite != nil else { continue }
                let read = after.rowCache.hits + after.rowCache.misses
                #expect(read - before.rowCache.hits - before.rowCache.misses == count)
            }
        }
    }
}
