// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import StoreConformance
import TestSupport
import Testing

@Suite("Set-based batches")
struct BatchRuleTests {
    let club: Club

    init() throws {
        club = try Club()
    }

    @discardableResult
    private func failure(_ body: () throws -> Void) throws -> GraphError {
        try #require(throws: GraphError.self) { try body() }
    }

    @Test("a batch deletion cascades through cycles and long chains")
    func circles() throws {
        let book = try club.insert("Book", [["number": 1]])[0]
        try club.insert("Loan", (0..<100).map { ["number": .integer($0), "book": book.value] })
        #expect(try failure { try club.delete("Book") }.failures.map(\.code) == [.relationshipDeniedDelete])
        #expect(try club.count("Book") == 1)
        // Each loan cascades to the book, which is denied unless all loans are deleted.
        #expect(
            try failure { try club.delete("Loan", "number < 99") }.failures.map(\.code) == [.relationshipDeniedDelete]
        )
        #expect(try club.delete("Loan").count == 101)
        #expect(try club.count("Book") == 0)
    }

    @Test("a batch update whose derived values aren't unique changes nothing")
    func derivedConstraint() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Account") {
                    Attribute("name", .string).optional()
                    Attribute("key", .string).optional().derived("canonical:(name)")
                    UniquenessConstraint("key")
                }
            }
        )
        try Checkout.withFolder { folder in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(try SQLiteStore(path: folder + "/Accounts.sqlite", model: model))
            try coordinator.execute(BatchInsertRequest("Account", rows: [["name": "Ada"], ["name": "Bea"]]))
            var update = BatchUpdateRequest("Account")
            update.propertiesToUpdate = ["name": .constant("Same")]
            let error = try failure { try coordinator.execute(update) }
            #expect(error.code == .constraint)
            for key in ["name == 'Same'", "key == 'same'"] {
                let request = FetchRequest<ManagedObject>("Account", predicate: try ObjectPredicate(key))
                #expect(try coordinator.withContext { try $0.count(request) } == 0)
            }
        }
    }

    @Test("cascaded deletions count towards the maximum")
    func maximum() throws {
        let book = try club.insert("Book", [["number": 1]])[0]
        try club.insert("Page", (0..<9).map { ["number": .integer($0), "book": book.value] })
        let statements = try club.statements { try failure { try club.delete("Book", maximum: 9) } }
        #expect(statements.allSatisfy { !$0.hasPrefix("DELETE") && !$0.hasPrefix("UPDATE") })
        #expect(try club.count("Page") == 9)
        #expect(try club.delete("Book", maximum: 10).count == 10)
    }

    @Test("a batch that finds too many rows follows no cascades")
    func maximumOfFound() throws {
        let books = try club.insert("Book", [["number": 1], ["number": 2]])
        try club.insert("Page", [["number": 1, "book": books[0].value]])
        let statements = try club.statements { try failure { try club.delete("Book", maximum: 1) } }
        #expect(statements.allSatisfy { !$0.contains("ZPAGE") })
    }

    @Test("members of several deleted objects count once towards the maximum, and none is left")
    func sharedMembers() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Post") {
                    Relationship("tags", toMany: "Tag", inverse: "posts", deleteRule: .cascade).optional()
                }
                Entity("Tag") { Relationship("posts", toMany: "Post", inverse: "tags").optional() }
            }
        )
        try Checkout.withFolder { folder in
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(try SQLiteStore(path: folder + "/Posts.sqlite", model: model))
            try coordinator.withContext { context in
                let tags = try (0..<4).map { _ in try context.insert("Tag") }
                for number in 0..<5 {
                    try context.insert("Post").setObjects(number < 4 ? Array(tags[..<3]) : [tags[3]], forKey: "tags")
                }
                try context.save()
            }
            var request = BatchDeleteRequest(FetchRequest<ManagedObject>("Post"))
            request.maximum = 10
            #expect(try coordinator.execute(request).count == 9)
            #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 0)
        }
    }

    @Test("a denied deletion of many rows names those that prevent it, without reading the others")
    func deniedWithoutReading() throws {
        let books = try club.insert("Book", (0..<3_000).map { ["number": .integer($0)] })
        try club.insert("Loan", (0..<25).map { ["number": .integer($0), "book": books[7].value] })
        try club.insert("Loan", (0..<200).map { ["number": .integer($0), "book": books[10 + Int($0)].value] })
        let limits = WorkLimits(allowance: ReadAllowance(10_000))
        let error = try limits.hold { try failure { try club.delete("Book") } }
        #expect(error.code == .validation)
        #expect(error.failures.count == 100)
        #expect(error.failureCount == 201)
        #expect(error.failures.map(\.objectID) == [books[7]] + books[10..<109].map(\.self))
        #expect(error.failures.first?.blockingObjects.count == 20)
        #expect(error.failures.first?.blockingCount == 25)
        #expect(error.failures.first?.message == "Book can't be deleted while it has loans.")
        #expect(try club.count("Book") == 3_000)
    }

    @Test("a maximum number of members doesn't prevent the deletion of a member as a set")
    func countedInverse() throws {
        let mentor = try club.insert("Person", [["number": 1]])[0]
        try club.insert("Person", (2...4).map { ["number": .integer($0), "mentor": mentor.value] })
        let statements = try club.statements { try club.delete("Person", "number > 2") }
        #expect(statements.contains { $0.hasPrefix("DELETE FROM ZPERSON WHERE Z_PK IN (SELECT Z_PK FROM temp") })
        #expect(try club.count("Person") == 2)
    }

    @Test("a required relationship prevents the deletion of its destination")
    func required() throws {
        let books = try club.insert("Book", [["number": 1], ["number": 2]])
        let review = try club.insert("Review", [["number": 1, "book": books[1].value]])[0]
        let error = try failure { try club.delete("Book") }
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
        #expect(error.objectID == review)
        #expect(try club.delete("Book", "number == 1").count == 1)
        #expect(try club.count("Book") == 1)
    }

    @Test("a batch that fails midway changes nothing and names the row", arguments: [10, 3_000])
    func middle(count: Int) throws {
        try club.insert("Book", [["number": 0, "shelf": "A"]])
        let error = try failure {
            try club.insert(
                "Book",
                (1...count).map { ["number": .integer(Int64($0)), "shelf": .string($0 == count - 1 ? "A" : "B\($0)")] }
            )
        }
        #expect(error.code == .constraint)
        #expect(error.row == count - 1)
        #expect(try club.count("Book") == 1)
        let short = try failure {
            try club.insert("Book", (1...count).map { $0 == count ? [:] : ["number": .integer(Int64($0))] })
        }
        #expect(short.failures.map(\.code) == [.missingMandatoryProperty])
        #expect(short.row == count)
        #expect(try club.count("Book") == 1)
        // A rollback also restores the keys.
        #expect(try club.insert("Book", [["number": 3]]).count == 1)
    }

    @Test("rows with and without relationships keep their order in a batch")
    func mixed() throws {
        let tag = try club.insert("Tag", [["number": 1]])[0]
        let ids = try club.insert(
            "Book",
            (1...2_000).map { number in
                var row: [String: Value] = ["number": .integer(Int64(number))]
                if number % 3 == 0 { row["tags"] = .array([tag.value]) }
                return row
            }
        )
        let numbers = try club.store.snapshots(of: ids, at: nil).map { $0?.row.attributes[0] }
        #expect(numbers == (1...2_000).map { .integer(Int64($0)) })
        #expect(try club.value(tag, "uses") == 666)
    }

    @Test("batches and saves never issue the same key")
    func keys() throws {
        var ids: Set<ManagedObjectID> = []
        for round in 0..<20 {
            ids.formUnion(try club.insert("Badge", [["number": 1], ["number": 2]]))
            let saved = try club.coordinator.withContext { context in
                let badge = try context.insert("Badge")
                try badge.setValue(.integer(Int64(round)), forKey: "number")
                try context.save()
                return badge.objectID
            }
            ids.insert(saved)
        }
        #expect(ids.count == 60)
        #expect(try club.count("Badge") == 60)
    }

    @Test("values derived from rows that a batch changes are recomputed without a new version")
    func derived() throws {
        let people = try club.insert("Person", [["number": 1, "name": "Ann"], ["number": 2, "name": "Bob"]])
        let books = try club.insert(
            "Book",
            (1...5).map { ["number": .integer($0), "length": .integer($0 * 10), "author": people[0].value] }
        )
        func values() throws -> [[Value]] {
            try people.map { id in try ["bookCount", "pageSum"].map { try club.value(id, $0) } }
        }
        #expect(try values() == [[5, 150], [0, 0]])
        try club.update("Book", ["length": .constant(7)])
        #expect(try values() == [[5, 35], [0, 0]])
        try club.update("Book", ["author": .constant(people[1].value)], where: try ObjectPredicate("number > 3"))
        #expect(try values() == [[3, 21], [2, 14]])
        #expect(try club.value(books[4], "byline") == "Bob")
        try club.update("Person", ["name": .constant("Cleo")], where: try ObjectPredicate("number == 2"))
        #expect(try club.value(books[4], "byline") == "Cleo")
        #expect(try club.value(people[1], "plain") == "cleo")
        try club.delete("Book", "number == 5")
        #expect(try values() == [[3, 21], [1, 7]])
        try club.delete("Person", "number == 2")
        #expect(try club.value(books[3], "byline") == .null)
        #expect(try club.store.snapshots(of: [people[0]], at: nil)[0]?.version == 1)
    }
}
