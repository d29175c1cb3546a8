// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Batch inserts")
struct BatchInsertTests {
    let library: Library

    init() throws {
        library = try Library()
    }

    @Test("inserted rows have given values, defaults, references on both sides, and derived values")
    func values() throws {
        let ann = try library.make("Author", ["name": "Ánn"])
        let tags = try library.insert("Tag", [["name": "a"], ["name": "b"]])
        let books = try library.insert(
            "Book",
            [
                ["title": "One", "author": ann.value, "tags": .array(tags.map(\.value))],
                ["views": 7, "author": .null, "tags": [tags[1].value]],
            ]
        )
        #expect(books.count == 2)
        #expect(try library.value(books[0], "title") == "One")
        #expect(try library.value(books[0], "byline") == "Ánn")
        #expect(try library.value(books[1], "title") == "Untitled")
        #expect(try library.value(books[1], "views") == 7)
        #expect(try library.related(books[0], "tags") == tags)
        #expect(try library.related(tags[1], "books") == books)
        #expect(try library.related(ann, "books") == [books[0]])
        #expect(try library.value(ann, "bookCount") == 1)
        #expect(try library.value(tags[1], "use") == 2)
    }

    @Test("inserting a one-to-one reference removes it from the previous partner")
    func stealing() throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let first = try library.make("Bio", [:], ["author": ann])
        let second = try library.insert("Bio", [["text": "New", "author": ann.value]])
        #expect(try library.related(ann, "bio") == second)
        #expect(try library.related(first, "author").isEmpty)
        #expect(try library.version(first) == 2)
        #expect(try library.version(ann) == 3)
    }

    @Test("an invalid row is refused with its number, and nothing is written")
    func validation() throws {
        let cases: [(String, [String: Value], ValidationFailure.Code)] = [
            ("Author", [:], .missingMandatoryProperty), ("Author", ["name": ""], .stringTooShort),
            ("Author", ["name": "01234567890"], .stringTooLong),
            ("Author", ["name": "A", "age": 151], .numberTooLarge),
            ("Author", ["name": "A", "age": -1], .numberTooSmall),
            ("Author", ["name": "A", "code": "ab"], .stringPatternMatching), ("Review", [:], .missingMandatoryProperty),
        ]
        for (entity, row, code) in cases {
            let good: [String: Value] = entity == "Author" ? ["name": "Good"] : [:]
            let error = try failure { try library.insert(entity, entity == "Author" ? [good, row] : [row]) }
            #expect(error.failures.map(\.code) == [code])
            #expect(error.row == (entity == "Author" ? 2 : 1))
            #expect(error.inserted == 0)
            #expect(try library.count(entity) == 0)
        }
    }

    @Test("a batch insert that exceeds a relationship's maximum count is refused")
    func bounds() throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let students = ["a", "b", "c"].map { name -> [String: Value] in ["name": .string(name), "mentor": ann.value] }
        let error = try failure { try library.insert("Author", students) }
        #expect(error.failures.map(\.code) == [.relationshipExceedsMaximumCount])
        try library.insert("Author", Array(students.prefix(2)))
        #expect(try library.related(ann, "students").count == 2)
    }

    @Test("unknown names, wrong types and invalid references are refused with row and property")
    func refusals() throws {
        let book = try library.make("Book")
        let page = try library.make("Page")
        let other = try World().run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        let cases: [(String, Value, GraphError.Code)] = [
            ("titel", "x", .unknownName), ("title", 7, .wrongType), ("byline", "x", .notWritable),
            ("views", "x", .wrongType), ("author", book.value, .wrongType), ("author", "Ann", .wrongType),
            ("author", other.value, .invalidRequest), ("tags", "x", .wrongType), ("tags", ["x"], .wrongType),
            ("tags", [page.value], .wrongType), ("pages", [page.value], .notWritable),
        ]
        for (name, value, code) in cases {
            let error = try failure { try library.insert("Book", [["title": "Good"], [name: value]]) }
            #expect(error.code == code, "\(name) \(error)")
            #expect(error.row == 2, "\(name) \(error)")
            #expect(error.property == name)
        }
        let temporary = try library.run { try $0.insert("Author").objectID }
        let error = try failure { try library.insert("Book", [["author": temporary.value]]) }
        #expect(error.hint == "Save the object first.")
        #expect(try failure { try library.insert("Book", [["titel": ""]]) }.hint == "Did you mean “title”?")
        #expect(try failure { try library.insert("Author", [["name": "A", "draft": "x"]]) }.code == .notWritable)
        #expect(try failure { try library.insert("Thing", []) }.code == .invalidRequest)
        #expect(try failure { try library.insert("Boock", []) }.hint == "Did you mean “Book”?")
        #expect(try library.count("Book") == 1)
    }

    @Test("a reference to a missing object or one of the wrong entity is refused")
    func missing() throws {
        let ann = try library.make("Author", ["name": "Ann"])
        try library.coordinator.execute(BatchDeleteRequest(objectIDs: [ann]))
        var error = try failure { try library.insert("Book", [[:], ["author": ann.value]]) }
        #expect(error.code == .objectMissing)
        #expect(error.row == 2)
        #expect(error.property == "author")
        let page = try library.make("Page")
        error = try failure { try library.insert("Bio", [["author": page.value]]) }
        #expect(error.code == .wrongType)
    }

    @Test("a closure provides the rows, and an error that it throws ends the batch")
    func closure() throws {
        struct Broken: Error {}
        for chunkSize in [nil, 2] as [Int?] {
            var given = 0
            var request = BatchInsertRequest("Tag") {
                given += 1
                if given == 6 { throw Broken() }
                return ["name": .string("\(given)")]
            }
            request.chunkSize = chunkSize
            let error = try failure { try library.coordinator.execute(request) }
            #expect(error.underlying is Broken)
            #expect(error.row == 6)
            #expect(error.inserted == (chunkSize == nil ? 0 : 4))
            #expect(try library.count("Tag") == error.inserted)
        }
    }

    @Test("chunks are written separately, and written chunks remain after a later error")
    func chunks() throws {
        var request = BatchInsertRequest("Tag", rows: (1...7).map { ["name": .string("\($0)")] })
        request.chunkSize = 3
        request.resultType = .objectIDs
        let before = library.store.saves
        let result = try library.coordinator.execute(request)
        #expect(library.store.saves - before == 3)
        #expect(result.count == 7)
        #expect(Set(result.objectIDs).count == 7)
        request = BatchInsertRequest("Tag", rows: [[:], [:], [:], ["name": 1]])
        request.chunkSize = 2
        let error = try failure { try library.coordinator.execute(request) }
        #expect(error.row == 4)
        #expect(error.inserted == 2)
        #expect(try library.count("Tag") == 9)
        request.chunkSize = 0
        #expect(try failure { try library.coordinator.execute(request) }.code == .invalidRequest)
    }

    @Test("a chunk of long rows ends early")
    func longRows() throws {
        let name = String(repeating: "n", count: 5_000_000)
        var request = BatchInsertRequest("Tag", rows: (1...4).map { _ in ["name": .string(name)] })
        request.chunkSize = 100
        let before = library.store.saves
        #expect(try library.coordinator.execute(request).count == 4)
        #expect(library.store.saves - before == 2)
    }

    @Test("a streaming store stops at an invalid row and writes nothing")
    func streaming() throws {
        library.store.stream()
        #expect(try library.insert("Tag", [["name": "a"], [:]]).count == 2)
        let error = try failure { try library.insert("Tag", [["name": "b"], [:], ["name": 1]]) }
        #expect(error.code == .wrongType)
        #expect(error.row == 3)
        #expect(error.inserted == 0)
        var request = BatchInsertRequest("Tag", rows: [[:], [:], [:]])
        request.maximum = 2
        #expect(try failure { try library.coordinator.execute(request) }.code == .limitExceeded)
        #expect(try library.count("Tag") == 2)
    }

    @Test("a batch insert beyond the maximum is refused")
    func maximum() throws {
        var request = BatchInsertRequest("Tag", rows: [[:], [:], [:]])
        request.maximum = 2
        #expect(try failure { try library.coordinator.execute(request) }.code == .limitExceeded)
        #expect(try library.count("Tag") == 0)
        request = BatchInsertRequest("Tag", rows: [[:], [:]])
        request.maximum = 2
        let result = try library.coordinator.execute(request)
        #expect(result.count == 2)
        #expect(result.objectIDs.isEmpty)
    }

    @Test("unique values are checked within the batch and against the store")
    func uniqueness() throws {
        try library.make("Author", ["name": "Ann"])
        var error = try failure { try library.insert("Editor", [["name": "Bob"], ["name": "Ann"]]) }
        #expect(error.code == .constraint)
        #expect(error.row == 2)
        error = try failure { try library.insert("Editor", [["name": "Bob"], ["name": "Cy"], ["name": "Bob"]]) }
        #expect(error.code == .constraint)
        #expect(error.row == 3)
        #expect(try library.count("Author") == 1)
        try library.insert("Book", [["shelf": "a"], ["shelf": "a"], ["shelf": "a", "place": 1]])
        error = try failure { try library.insert("Book", [["shelf": "a", "place": 1]]) }
        #expect(error.constraintConflicts.count == 1)
    }
}
