// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Typed properties")
struct TypedPropertyTests {
    @Test("typed properties of each type keep their values before and after a save")
    func roundTrip() throws {
        let uuid = UUID()
        let link = try #require(URL(string: "https://example.org"))
        try Shelf.coordinator().withContext { context in
            let book = try context.insert(Shelf.Book.self)
            func check<Content: AttributeValue & Equatable>(
                _ key: KeyPath<Keys<Shelf.Book>, AttributeKey<Content>>,
                _ content: Content
            ) throws {
                try book.setValue(content, of: key)
                #expect(try book.value(of: key) == content)
                try context.save()
                try context.refresh(book, mergingChanges: false)
                #expect(try book.value(of: key) == content)
            }
            try check(\.title, "Faults")
            try check(\.pages, 1 << 40)
            try check(\.pages, nil)
            try check(\.rank, -3)
            try check(\.year, .max)
            try check(\.price, Decimal(string: "1.10"))
            try check(\.weight, 0.1)
            try check(\.rating, 0.1)
            try check(\.isNew, false)
            try check(\.bought, Date(timeIntervalSinceReferenceDate: 1))
            try check(\.cover, Data([0, 255]))
            try check(\.code, uuid)
            try check(\.link, link)
            try check(\.notes, .dictionary(["a": [1, "b"]]))
            try check(\.state, .owned)
            let author = try context.insert(Shelf.Author.self)
            author.home = Shelf.Place(city: nil, floor: 3)
            author.home?.city = "Aarhus"
            #expect(author.home == Shelf.Place(city: "Aarhus", floor: 3))
            #expect(try author.value(of: \.home.floor) == 3)
        }
    }

    @Test("typed properties have empty values if an object has none")
    func absent() throws {
        try Shelf.coordinator().withContext { context in
            let book = try context.insert(Shelf.Book.self)
            #expect(book.title == "Untitled" && book.pages == nil && book.author == nil)
            #expect(book.required.isEmpty && book.state == .wanted)
            #expect(book.genres.isEmpty && book.chapters.isEmpty)
            #expect(try book.value(of: \.author.name) == nil)
        }
    }

    @Test("key paths of typed keys go through objects and count members")
    func joined() throws {
        try Shelf.coordinator().withContext { context in
            let author = try context.insert(Shelf.Author.self)
            author.name = "Anna"
            let book = try context.insert(Shelf.Book.self)
            author.books.insert(book)
            #expect(try book.value(of: \.author.name) == "Anna")
            #expect(try book.value(of: \.author.books.count) == 1)
            #expect(try book.object(of: \.author) === author)
            #expect(try author.objects(of: \.books) == [book])
            try author.setObjects([], of: \.books)
            #expect(book.author == nil)
            let error = #expect(throws: GraphError.self) { try book.setValue("Eva", of: \.author.name) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("typed relationships can be set by references to stored objects only")
    func references() throws {
        let coordinator = try Shelf.coordinator()
        let author = try coordinator.withContext { context in
            let book = try context.insert(Shelf.Book.self)
            book.author = try context.insert(Shelf.Author.self)
            try context.save()
            return try #require(try book.reference(of: \.author))
        }
        try coordinator.withContext { context in
            let book = try context.insert(Shelf.Book.self)
            try book.setReference(author, of: \.author)
            #expect(try book.author?.books.count == 2 && book.reference(of: \.author) == author)
            try book.setReference(nil, of: \.author)
            #expect(book.author == nil)
            let unknown = ObjectReference(uri: "x-coredata://nowhere/Author/p1")
            let error = #expect(throws: GraphError.self) { try book.setReference(unknown, of: \.author) }
            #expect(error?.code == .unknownStore)
        }
    }

    @Test("typed fetched properties include pending objects")
    func fetched() throws {
        try Shelf.coordinator().withContext { context in
            let author = try context.insert(Shelf.Author.self)
            author.name = "Me"
            for (title, pages) in [("Short", 10), ("Long", 200), ("Me", 300)] {
                let book = try context.insert(Shelf.Book.self)
                (book.title, book.pages, book.author) = (title, pages, author)
            }
            #expect(author.long.map(\.title) == ["Long"])
            try context.save()
            #expect(author.long.map(\.title) == ["Long"])
        }
    }

    @Test("an object is returned by its ID with its class, and another class is refused")
    func objectsByID() throws {
        let coordinator = try Shelf.coordinator()
        let id = try coordinator.withContext { context in
            let book = try context.insert(Shelf.Book.self)
            try context.save()
            return book.objectID
        }
        try coordinator.withContext { context in
            let book = try context.object(with: id, as: Shelf.Book.self)
            #expect(book.isFault)
            #expect(try context.existingObject(with: id, as: Shelf.Book.self) === book)
            #expect(!book.isFault)
            let refusal = "The object's class is Book, not Author."
            let author = #expect(throws: GraphError.self) { _ = try context.object(with: id, as: Shelf.Author.self) }
            #expect(author?.code == .invalidRequest && author?.description == refusal)
            let read = #expect(throws: GraphError.self) {
                _ = try context.existingObject(with: id, as: Shelf.Author.self)
            }
            #expect(read?.code == .invalidRequest && read?.description == refusal)
        }
    }

    @Test("values are written as JSON and read back")
    func codable() throws {
        let values: [Value] = [
            .null, .bool(true), .integer(1), .double(1.5), .string("a"), .array([1, .null]), .decimal(1.5),
            .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1])), .uuid(UUID()), .uri("a:b"),
            .reference(ObjectReference(uri: "x")), .dictionary(["a": .date(Date(timeIntervalSinceReferenceDate: 2))]),
            .dictionary(["$date": .dictionary(["$dictionary": 1])]), .dictionary(["$date": 1, "b": 2]),
            .dictionary([:]),
        ]
        for value in values {
            #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
        }
        let text = try JSONEncoder().encode(Value.dictionary(["a": [true, .uri("b:c")]]))
        #expect(String(decoding: text, as: UTF8.self) == #"{"a":[true,{"$uri":"b:c"}]}"#)
    }
}
