// SPDX-License-Identifier: Apache-2.0

// The notifications about rows that a batch has changed, which are given as ranges.

import FoundationEssentials
import ObjectGraph
import Predicates
import StoreConformance
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Notifications of batches")
struct BatchChangesTests {
    let club: Club

    init() throws {
        club = try Club()
    }

    /// Drafts with numbers from zero on.
    private func drafts(_ count: Int64) throws -> [ManagedObjectID] {
        try club.insert("Draft", (0..<count).map { ["number": .integer($0)] })
    }

    private func numbers(_ ids: [ManagedObjectID]) throws -> [Value] {
        try club.coordinator.withContext { context in
            try ids.map { try context.object(with: $0).value(forKey: "number") }
        }
    }

    private static let even = "modulus:by:(number, 2) == 0"

    @Test("cached rows are read again after a batch has changed them", arguments: [3, 40])
    func cache(kept: Int) throws {
        let ids = try drafts(40)
        // The cache has more rows than are changed, or fewer.
        #expect(try numbers(Array(ids.prefix(kept))) == (0..<Int64(kept)).map(Value.integer))
        try club.update("Draft", ["number": .constant(100)], where: try ObjectPredicate(Self.even))
        let expected = (0..<Int64(40)).map { $0.isMultiple(of: 2) ? .integer(100) : Value.integer($0) }
        #expect(try numbers(ids) == expected)
        try club.delete("Draft", "number == 100")
        #expect(
            try club.coordinator.withContext { context in
                ids.map { (try? context.existingObject(with: $0)) != nil }
            } == (0..<40).map { !$0.isMultiple(of: 2) }
        )
    }

    @Test("observers are notified of exactly the changed rows")
    func notifications() throws {
        let ids = try drafts(9)
        let told = Mutex<[SavedObjectIDs]>([])
        let observation = club.coordinator.observe { notification in
            if case .didSave(let saved) = notification { told.withLock { $0.append(saved) } }
        }
        defer { club.coordinator.remove(observation) }
        let predicate = try ObjectPredicate("number < 6")
        #expect(try club.update("Draft", ["number": .constant(4)], where: predicate).count == 6)
        #expect(try club.delete("Draft", "number > 6").count == 2)
        let saved = told.withLock { $0 }
        #expect(saved.map(\.updated) == [[ids[0], ids[1], ids[2], ids[3], ids[5]], []])
        #expect(saved.map(\.deleted) == [[], [ids[7], ids[8]]])
    }

    @Test("contexts show the new values of their objects and release deleted ones", arguments: [false, true])
    func contexts(isObserved: Bool) async throws {
        let writer = try club.insert("Writer", [["number": 1]])[0]
        let ids = try club.insert("Draft", (0..<30).map { ["number": .integer($0), "writer": writer.value] })
        let live = club.coordinator.liveContext()
        try await live.perform { context in
            if isObserved { _ = context.observe { _ in } }
            for id in ids.prefix(4) { _ = try context.object(with: id).value(forKey: "number") }
            try context.object(with: ids[1]).setValue(.integer(-1), forKey: "number")
            let author = try context.existingObject(with: writer)
            #expect(try author.objectIDs(of: try #require(author.entity.relationship(named: "drafts"))).count == 30)
        }
        try club.update("Draft", ["number": try ObjectExpression("number + 100")])
        try club.delete("Draft", "number >= 120 OR number == 102")
        try await live.perform { context in
            #expect(try context.object(with: ids[0]).value(forKey: "number") == 100)
            #expect(try context.object(with: ids[1]).value(forKey: "number") == -1)
            #expect(throws: GraphError.self) { try context.existingObject(with: ids[2]) }
            let author = try context.existingObject(with: writer)
            let left = try author.objectIDs(of: try #require(author.entity.relationship(named: "drafts")))
            #expect(Set(left) == Set(ids.prefix(20)).subtracting([ids[2]]))
        }
    }

    @Test(
        "a batch with invalid numbers is refused before anything is written",
        arguments: [
            ("Draft", "number", "number + 0.5"), ("Draft", "number", "NULL"),
            ("Draft", "number", "number + 9223372036854775807"),
            ("Writer", "level", "level * 3000000000"), ("Writer", "level", "level + 9"),
        ]
    )
    func refused(entity: String, property: String, expression: String) throws {
        try club.insert(entity, [["number": 1]])
        #expect(throws: GraphError.self) { try club.update(entity, [property: try ObjectExpression(expression)]) }
    }

    @Test("integral results of any expression are accepted")
    func accepted() throws {
        let ids = try club.insert("Draft", [["number": 8], ["number": 1_000_000_000_000]])
        let statements = try club.statements {
            try club.update("Draft", ["number": try ObjectExpression("number * 3 / 2 / 3")])
        }
        let onRows = statements.filter { $0.contains("ZDRAFT") }
        #expect(onRows.filter { $0.hasPrefix("UPDATE") }.count == 1)
        #expect(try numbers(ids) == [4, 500_000_000_000])
    }

    @Test(
        "contexts receive the names of the changed properties, including derived ones and to-many relationships",
        arguments: [false, true]
    )
    func properties(isPlain: Bool) throws {
        let club = try Club(isPlain: isPlain)
        let (ann, bea) = (
            try club.insert("Person", [["number": 1, "name": "Ann"]])[0], try club.insert("Writer", [["number": 2]])[0]
        )
        let books = try club.insert(
            "Book",
            [["number": 1, "author": ann.value], ["number": 2, "author": ann.value, "length": 5]]
        )
        let tag = try club.insert("Tag", [["number": 1, "books": .array([books[0].value])]])[0]
        try club.insert("Badge", [["number": 1, "person": ann.value]])
        let family = ContextFamily(club.coordinator)
        let notices = Mutex<[MergeNotice]>([])
        _ = try family.watch(family.root) { notice in notices.withLock { $0.append(notice) } }
        func check(_ expected: [ManagedObjectID: Set<String>], _ place: SourceLocation = #_sourceLocation) throws {
            try family.perform(in: family.root) { _ in }
            let notice = try #require(notices.withLock { $0.popLast() }, sourceLocation: place)
            let told = notice.updated.map { ($0.objectID, Set($0.properties)) }
            #expect(Dictionary(uniqueKeysWithValues: told) == expected, sourceLocation: place)
            #expect(!notice.isIncomplete, sourceLocation: place)
        }

        try club.update("Book", ["length": .constant(7)], where: try ObjectPredicate("number == 2"))
        try check([books[1]: ["length"], ann: ["pageSum"]])
        try club.update("Person", ["name": .constant("Al")], where: try ObjectPredicate("number == 1"))
        try check([ann: ["name", "plain"], books[0]: ["byline"], books[1]: ["byline"]])
        try club.delete("Badge", "number == 1")
        try check([ann: ["badge"]])
        // This book has no length.
        try club.delete("Book", "number == 1")
        try check([ann: ["books", "bookCount"], tag: ["books", "uses"]])
        try club.update("Book", ["author": .constant(bea.value)])
        let all: Set = ["books", "bookCount", "pageSum"]
        try check([books[1]: ["author", "byline"], ann: all, bea: all])
        // The author of this book is already Ann.
        try club.update("Book", ["author": .constant(bea.value), "views": .constant(3)])
        try check([books[1]: isPlain ? ["views"] : ["author", "views"]])
        try club.insert("Draft", [["number": 1, "writer": bea.value]])
        try check([bea: ["drafts"]])
        try club.insert("Book", [["number": 3, "author": bea.value, "shelf": "a"]])
        try check([bea: ["books", "bookCount"]])
    }

    @Test("keys are combined into ranges in any order, separately for each entity")
    func ranges() throws {
        let tables = club.store.tables
        let model = tables.model
        let (person, writer) = (
            try #require(model.entity(named: "Person")), try #require(model.entity(named: "Writer"))
        )
        var keys = KeyRanges()
        for key in [7, 8, 3, 1, 2, 9] as [Int64] { keys.add(key, tables.schema.numbers[key == 8 ? writer : person]) }
        #expect(keys.count == 6)
        let ranges = keys.objectIDs(person, tables)
        #expect(ranges.map(\.references) == [1...3, 7...7, 8...8, 9...9])
        #expect(ranges.map(\.entity) == [person, person, writer, person])
    }
}
