// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Batch upserts")
struct BatchUpsertTests {
    let library: Library
    let ann: ManagedObjectID
    let bob: ManagedObjectID

    init() throws {
        library = try Library()
        ann = try library.make("Author", ["name": "Ann", "age": 40, "code": "AN"])
        bob = try library.make("Author", ["name": "Bob"])
    }

    @Test("the object-trump policy writes the given values only")
    func objectTrump() throws {
        let ids = try library.insert(
            "Author",
            [["name": "Ann", "age": 41, "mentor": bob.value], ["name": "Cy"]],
            .mergeByPropertyObjectTrump
        )
        #expect(ids.first == ann)
        #expect(ids.count == 2)
        #expect(try library.count("Author") == 3)
        #expect(try library.value(ann, "age") == 41)
        #expect(try library.value(ann, "code") == "AN")
        #expect(try library.related(bob, "students") == [ann])
        #expect(try library.version(ann) == 2)
    }

    @Test("a row may be incomplete if a stored row matches")
    func incomplete() throws {
        let book = try library.make("Book", ["shelf": "a", "place": 1, "title": "Kept"])
        let tag = try library.make("Tag", [:], ["books": book])
        let other = try library.make("Tag")
        let ids = try library.insert(
            "Book",
            [["shelf": "a", "place": 1, "tags": [other.value]]],
            .mergeByPropertyObjectTrump
        )
        #expect(ids == [book])
        #expect(try library.value(book, "title") == "Kept")
        #expect(try library.related(book, "tags") == [other])
        #expect(try library.related(tag, "books").isEmpty)
        #expect(try library.value(tag, "use") == 0)
        #expect(try failure { try library.insert("Author", [["age": 1]], .overwrite) }.code == .validation)
    }

    @Test("the overwrite policy writes all attributes")
    func overwrite() throws {
        #expect(try library.insert("Author", [["name": "Ann", "age": 41]], .overwrite) == [ann])
        #expect(try library.value(ann, "age") == 41)
        #expect(try library.value(ann, "code") == .null)
    }

    @Test(
        "the store-trump and rollback policies don't change the stored row",
        arguments: [MergePolicy.Kind.mergeByPropertyStoreTrump, .rollback]
    )
    func skipping(policy: MergePolicy.Kind) throws {
        let ids = try library.insert(
            "Author",
            [["name": "Ann", "age": 41], ["name": "Cy", "age": 1], ["name": "Cy", "age": 2]],
            MergePolicy(policy)
        )
        #expect(ids.count == 1)
        #expect(try library.value(ids[0], "age") == 1)
        #expect(try library.value(ann, "age") == 40)
        #expect(try library.version(ann) == 1)
    }

    @Test("rows of one batch replace each other in their order")
    func withinBatch() throws {
        let rows: [[String: Value]] = [
            ["name": "Cy", "age": 1, "code": "AA"], ["name": "Ann", "age": 50], ["name": "Cy", "age": 2],
            ["name": "Ann", "code": "ZZ"],
        ]
        let ids = try library.insert("Author", rows, .mergeByPropertyObjectTrump)
        #expect(ids.count == 2)
        #expect(try library.value(ids[0], "age") == 2)
        #expect(try library.value(ids[0], "code") == "AA")
        #expect(try library.value(ann, "age") == 50)
        #expect(try library.value(ann, "code") == "ZZ")
        #expect(try library.version(ann) == 2)
    }

    @Test("a stored row of another entity in the hierarchy takes the values that it has properties for")
    func otherEntity() throws {
        #expect(try library.insert("Editor", [["name": "Ann", "level": 9, "age": 3]], .overwrite) == [ann])
        #expect(try library.value(ann, "age") == 3)
    }

    @Test("upserted values are validated")
    func validation() throws {
        let error = try failure {
            try library.insert("Author", [["name": "Ann", "age": 500]], .mergeByPropertyObjectTrump)
        }
        #expect(error.failures.map(\.code) == [.numberTooLarge])
        #expect(error.row == 1)
        #expect(error.failures.first?.objectID == ann)
    }
}
