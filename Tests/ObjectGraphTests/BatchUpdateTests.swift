// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Batch updates")
struct BatchUpdateTests {
    let library: Library

    init() throws {
        library = try Library()
    }

    @discardableResult
    private func update(
        _ entity: String,
        _ predicate: String = "TRUEPREDICATE",
        set values: [String: ObjectExpression],
        maximum: Int? = nil
    ) throws -> BatchResult {
        var request = BatchUpdateRequest(entity, predicate: try ObjectPredicate(predicate))
        request.propertiesToUpdate = values
        request.maximum = maximum
        request.resultType = .objectIDs
        return try library.coordinator.execute(request)
    }

    @Test("an update applies constants and expressions on the old row, and increments versions of changed rows")
    func values() throws {
        let ids = try library.insert(
            "Book",
            [["title": "a", "views": 1], ["title": "b"], ["title": "C", "views": 9]]
        )
        let result = try update(
            "Book",
            "views < 9",
            set: ["views": try ObjectExpression("views + 1"), "title": try ObjectExpression("uppercase:(title)")]
        )
        #expect(result.count == 2)
        #expect(Set(result.objectIDs) == Set(ids.prefix(2)))
        #expect(try ids.map { try library.value($0, "title") } == ["A", "B", "C"])
        #expect(try ids.map { try library.value($0, "views") } == [2, 1, 9])
        #expect(try ids.map { try library.version($0) } == [2, 2, 1])
        #expect(try update("Book", set: ["views": .constant(9)]).count == 3)
        #expect(try ids.map { try library.version($0) } == [3, 3, 1])
        try update("Book", set: ["shelf": .constant(.null)])
        #expect(try update("Book", "FALSEPREDICATE", set: ["views": .constant(9)]).count == 0)
    }

    @Test("expressions read other rows as they were before the batch")
    func simultaneously() throws {
        let ids = try library.insert("Author", [["name": "a"], ["name": "b"]])
        try library.run { context in
            try context.object(with: ids[0]).relate("mentor", context.object(with: ids[1]))
            try context.object(with: ids[1]).relate("mentor", context.object(with: ids[0]))
            try context.save()
        }
        try update("Author", set: ["name": .keyPath("mentor.name")])
        #expect(try ids.map { try library.value($0, "name") } == ["b", "a"])
    }

    @Test("an update includes subentities unless they are excluded")
    func subentities() throws {
        let author = try library.make("Author", ["name": "a"])
        let editor = try library.make("Editor", ["name": "b"])
        var request = BatchUpdateRequest("Author")
        request.propertiesToUpdate = ["age": .constant(7)]
        request.includesSubentities = false
        #expect(try library.coordinator.execute(request).count == 1)
        #expect(try library.value(editor, "age") == .null)
        #expect(try update("Thing", set: ["name": .function(.uppercase, [.keyPath("name")])]).count == 2)
        #expect(try library.value(author, "name") == "A")
        #expect(try library.value(editor, "plain") == "b")
    }

    @Test("a to-one update moves objects between to-many relationships, by reference or key path")
    func toOne() throws {
        let authors = try library.insert("Author", [["name": "a"], ["name": "b"]])
        let books = try library.insert("Book", (0..<3).map { _ in ["author": authors[0].value] })
        try update("Book", set: ["author": .constant(authors[1].value)])
        #expect(try library.related(authors[0], "books").isEmpty)
        #expect(try library.related(authors[1], "books") == books)
        #expect(try library.value(books[0], "byline") == "b")
        #expect(try library.value(authors[1], "bookCount") == 3)
        try update("Author", "name == 'b'", set: ["mentor": .constant(authors[0].value)])
        try update("Book", set: ["author": .keyPath("author.mentor")])
        #expect(try library.related(authors[0], "books") == books)
        try update("Book", set: ["author": .constant(.null)])
        #expect(try library.related(authors[0], "books").isEmpty)
    }

    @Test("a one-to-one update removes the previous partners")
    func oneToOne() throws {
        let authors = try library.insert("Author", [["name": "a"], ["name": "b"]])
        let bios = try authors.map { try library.make("Bio", [:], ["author": $0]) }
        try update("Author", "name == 'a'", set: ["bio": .constant(bios[1].value)])
        #expect(try library.related(authors[0], "bio") == [bios[1]])
        #expect(try library.related(authors[1], "bio").isEmpty)
        #expect(try library.related(bios[0], "author").isEmpty)
        #expect(try library.related(bios[1], "author") == [authors[0]])
        #expect(
            try failure { try update("Author", set: ["bio": .constant(bios[1].value)]) }.code == .invalidRequest
        )
    }

    @Test("an update appends moved members, and the others keep their order")
    func ordered() throws {
        let books = try library.insert("Book", [[:], [:]])
        let pages = try library.insert(
            "Page",
            (0..<4).map { ["number": .integer($0), "book": books[$0 < 3 ? 0 : 1].value] }
        )
        try update("Page", "number == 1", set: ["book": .constant(books[1].value)])
        #expect(try library.related(books[0], "pages") == [pages[0], pages[2]])
        #expect(try library.related(books[1], "pages") == [pages[3], pages[1]])
    }

    @Test("an update with invalid new values is refused, and nothing is written")
    func validation() throws {
        let ids = try library.insert("Author", [["name": "a", "age": 1], ["name": "b", "age": 150]])
        var error = try failure { try update("Author", set: ["age": try ObjectExpression("age + 1")]) }
        #expect(error.failures.map(\.code) == [.numberTooLarge])
        #expect(error.objectID == ids[1])
        #expect(try library.value(ids[0], "age") == 1)
        error = try failure { try update("Author", set: ["name": .constant("same")]) }
        #expect(error.code == .constraint)
        let book = try library.make("Book")
        try library.make("Review", [:], ["book": book])
        error = try failure { try update("Review", set: ["book": .constant(.null)]) }
        #expect(error.failures.map(\.code) == [.missingMandatoryProperty])
        #expect(try library.related(book, "reviews").count == 1)
        try library.make("Author", ["name": "c"])
        error = try failure { try update("Author", set: ["mentor": .constant(ids[0].value)]) }
        #expect(error.failures.map(\.code) == [.relationshipExceedsMaximumCount])
    }

    @Test("invalid properties, constants and results are refused")
    func refusals() throws {
        let book = try library.make("Book", ["title": "x"])
        let page = try library.make("Page")
        let cases: [(String, ObjectExpression, GraphError.Code)] = [
            ("titel", .constant("x"), .unknownName), ("title", .constant(1), .wrongType),
            ("byline", .constant("x"), .notWritable), ("tags", .constant([]), .notWritable),
            ("author", .constant(page.value), .wrongType), ("author", .constant("Ann"), .wrongType),
            ("title", .keyPath("views"), .wrongType), ("author", .keyPath("title"), .wrongType),
            ("author", .evaluatedObject, .wrongType), ("title", .keyPath("titel"), .invalidRequest),
        ]
        for (name, value, code) in cases {
            let error = try failure { try update("Book", set: [name: value]) }
            #expect(error.code == code, "\(name) \(error)")
            #expect(error.property == name)
        }
        #expect(try failure { try update("Book", set: [:]) }.code == .invalidRequest)
        #expect(try failure { try update("Author", set: ["draft": .constant("x")]) }.code == .notWritable)
        #expect(try library.version(book) == 1)
    }

    @Test("an update beyond the maximum is refused")
    func maximum() throws {
        try library.insert("Book", [[:], [:], [:]])
        let error = try failure { try update("Book", set: ["views": .constant(1)], maximum: 2) }
        #expect(error.code == .limitExceeded)
        #expect(try update("Book", "views == 0", set: ["views": .constant(1)], maximum: 3).count == 3)
    }

    @Test("an update retries after conflicts, and fails if they continue")
    func conflicts() throws {
        let book = try library.make("Book")
        library.store.failNextSaves(3)
        try update("Book", set: ["views": try ObjectExpression("views + 1")])
        #expect(try library.value(book, "views") == 1)
        library.store.failNextSaves(.max)
        let error = try failure { try update("Book", set: ["views": .constant(8)]) }
        #expect(error.code == .conflict)
    }

    @Test("batches on a read-only store are refused")
    func readOnly() throws {
        let book = try library.make("Book")
        library.store.close()
        #expect(try failure { try update("Book", set: ["views": .constant(8)]) }.code == .readOnly)
        #expect(try failure { try library.insert("Book", [[:]]) }.code == .readOnly)
        let request = BatchDeleteRequest(objectIDs: [book])
        #expect(try failure { try library.coordinator.execute(request) }.code == .readOnly)
    }
}
