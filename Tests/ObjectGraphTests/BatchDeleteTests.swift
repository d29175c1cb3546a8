// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Batch deletions")
struct BatchDeleteTests {
    let library: Library

    init() throws {
        library = try Library()
    }

    @discardableResult
    private func delete(
        _ entity: String,
        _ predicate: String = "TRUEPREDICATE",
        maximum: Int? = nil
    ) throws
        -> BatchResult
    {
        var request = BatchDeleteRequest(
            FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate(predicate))
        )
        request.maximum = maximum
        request.resultType = .objectIDs
        return try library.coordinator.execute(request)
    }

    @Test("a batch deletion applies all delete rules in one save")
    func rules() throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let bio = try library.make("Bio", [:], ["author": ann])
        let tag = try library.make("Tag")
        let books = try library.insert("Book", (0..<2).map { _ in ["author": ann.value, "tags": [tag.value]] })
        let pages = try library.insert("Page", [["book": books[0].value], ["book": books[1].value]])
        let note = try library.make("Note", [:], ["book": books[0]])
        let saves = library.store.saves
        let result = try library.coordinator.execute(BatchDeleteRequest(objectIDs: [books[0]]))
        #expect(result.count == 2)
        #expect(library.store.saves == saves + 1)
        #expect(try library.related(ann, "books") == [books[1]])
        #expect(try library.value(ann, "bookCount") == 1)
        #expect(try library.version(ann) == 2)
        #expect(try library.related(tag, "books") == [books[1]])
        #expect(try library.value(tag, "use") == 1)
        #expect(try library.count("Page") == 1)
        // The no-action rule leaves the reference, but the object isn't found any more.
        #expect(try library.version(note) == 1)
        #expect(Set(try delete("Author").objectIDs) == [ann, bio])
        #expect(try library.related(books[1], "author").isEmpty)
        #expect(try library.version(books[1]) == 2)
        #expect(try library.related(books[1], "pages") == [pages[1]])
        #expect(try library.value(books[1], "byline") == .null)
    }

    @Test("a deny rule applies to objects outside the deletion only")
    func deny() throws {
        let book = try library.make("Book")
        let loan = try library.make("Loan", [:], ["book": book])
        let error = try failure { try delete("Book") }
        #expect(error.failures.map(\.code) == [.relationshipDeniedDelete])
        #expect(error.objectID == book)
        #expect(try library.count("Book") == 1)
        // The loan cascades to the book. Deleting the book is denied only while it has loans.
        #expect(try library.coordinator.execute(BatchDeleteRequest(objectIDs: [loan])).count == 2)
        #expect(try library.count("Book") == 0)
    }

    @Test("a batch deletion that would empty a required relationship changes nothing")
    func required() throws {
        let book = try library.make("Book")
        let review = try library.make("Review", [:], ["book": book])
        try library.make("Page", [:], ["book": book])
        let error = try failure { try delete("Book") }
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
        #expect(error.objectID == review)
        #expect(try library.count("Page") == 1)
        try delete("Review")
        try delete("Book")
        #expect(try library.count("Page") == 0)
    }

    @Test("a batch deletion cascades through cycles and long chains")
    func circles() throws {
        let book = try library.make("Book")
        for _ in 0..<3 { try library.make("Loan", [:], ["book": book]) }
        let chain = try library.insert("Author", (0..<50).map { ["name": .string("a\($0)")] })
        for (one, other) in zip(chain, chain.dropFirst()) {
            var request = BatchUpdateRequest(
                "Author",
                predicate: .comparing(.evaluatedObject, .equal, .constant(one.value))
            )
            request.propertiesToUpdate = ["mentor": .constant(other.value)]
            try library.coordinator.execute(request)
        }
        #expect(try delete("Loan").count == 4)
        #expect(try delete("Author", "name != 'a7'").count == 49)
        #expect(try library.related(chain[7], "mentor").isEmpty)
        #expect(try library.related(chain[7], "students").isEmpty)
    }

    @Test("a batch deletion applies the fetch request's order, limit and offset")
    func window() throws {
        try library.insert("Book", (0..<6).map { ["views": .integer($0)] })
        var fetch = FetchRequest<ManagedObject>("Book")
        fetch.sortDescriptors = [ObjectSortDescriptor("views", ascending: false)]
        fetch.fetchOffset = 1
        fetch.fetchLimit = 2
        #expect(try library.coordinator.execute(BatchDeleteRequest(fetch)).count == 2)
        let left = try library.run { context in
            try context.fetch(FetchRequest<ManagedObject>("Book")).map { try $0.value(forKey: "views") }
        }
        #expect(left == [0, 1, 2, 5])
    }

    @Test("missing IDs are ignored, invalid ones are refused, and ordered lists keep their order")
    func objectIDs() throws {
        let book = try library.make("Book")
        let pages = try library.insert("Page", (0..<4).map { _ in ["book": book.value] })
        #expect(try library.coordinator.execute(BatchDeleteRequest(objectIDs: [pages[1]])).count == 1)
        #expect(try library.coordinator.execute(BatchDeleteRequest(objectIDs: [pages[1]])).count == 0)
        #expect(try library.coordinator.execute(BatchDeleteRequest(objectIDs: [])).count == 0)
        #expect(try library.related(book, "pages") == [pages[0], pages[2], pages[3]])
        var request = BatchDeleteRequest(objectIDs: [pages[0], book])
        #expect(try failure { try library.coordinator.execute(request) }.code == .invalidRequest)
        let temporary = try library.run { try $0.insert("Page").objectID }
        request = BatchDeleteRequest(objectIDs: [temporary])
        #expect(try failure { try library.coordinator.execute(request) }.code == .unknownStore)
        #expect(try library.count("Page") == 3)
    }

    @Test("a batch deletion beyond the maximum is refused, including cascaded objects")
    func maximum() throws {
        let book = try library.make("Book")
        try library.insert("Page", [["book": book.value], ["book": book.value]])
        #expect(try failure { try delete("Book", maximum: 2) }.code == .limitExceeded)
        #expect(try library.count("Page") == 2)
        #expect(try delete("Book", maximum: 3).count == 3)
        #expect(try failure { try delete("Boock") }.hint == "Did you mean “Book”?")
        #expect(try failure { try delete("Page", maximum: -1) }.code == .invalidRequest)
    }
}
