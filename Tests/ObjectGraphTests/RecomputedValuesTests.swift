// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Recomputed derived values")
struct RecomputedValuesTests {
    let library: Library
    let author: ManagedObjectID

    init() throws {
        library = try Library()
        author = try library.make("Author", ["name": "Ann"])
    }

    @Test("a save updates derived values of the context's other objects at once")
    func saving() throws {
        try library.run { context in
            let ann = try context.existingObject(with: author)
            try ann.setValue("pending", forKey: "draft")
            try context.save()
            let book = try context.insert("Book")
            let tag = try context.insert("Tag")
            try book.relate("author", ann)
            try book.relate("tags", tag)
            try context.save()
            #expect(try ann.value(forKey: "bookCount") == 1)
            #expect(try ann.value(forKey: "draft") == "pending")
            #expect(try book.value(forKey: "byline") == "Ann")
            #expect(try tag.value(forKey: "use") == 1)
            try ann.setValue("Eve", forKey: "name")
            try context.save()
            #expect(try book.value(forKey: "byline") == "Eve")
            context.delete(book)
            try context.save()
            #expect(try ann.value(forKey: "bookCount") == 0)
            #expect(try tag.value(forKey: "use") == 0)
            #expect(!context.hasChanges)
        }
    }

    @Test("live contexts show recomputed values, keep pending edits, and have no conflict")
    func live() async throws {
        let (library, author) = (library, author)
        let live = library.coordinator.liveContext()
        try await live.perform { (context) throws in
            context.undoManager = ObjectUndoManager()
            let ann = try context.existingObject(with: author)
            #expect(try ann.value(forKey: "bookCount") == 0)
            try ann.setValue(30, forKey: "age")
        }
        try library.make("Book", [:], ["author": author])
        try await live.perform { (context) throws in
            let ann = context.object(with: author)
            #expect(try ann.value(forKey: "age") == 30)
            #expect(try ann.value(forKey: "bookCount") == 1)
            #expect(ann.changedValues == ["age": 30])
            try context.save()
        }
        try library.insert("Book", [["author": author.value]])
        try await live.perform { (context) throws in
            #expect(try context.object(with: author).value(forKey: "bookCount") == 2)
            #expect(try context.object(with: author).related("books").count == 2)
        }
        #expect(try library.version(author) == 2)
    }

    @Test("deleted members leave many-to-many relationships in live contexts")
    func deletedMembers() async throws {
        let library = library
        for end in ["Tag", "Book"] {
            let book = try library.make("Book")
            let tag = try library.make("Tag", [:], ["books": book])
            let (kept, gone) = end == "Tag" ? (book, tag) : (tag, book)
            let name = end == "Tag" ? "tags" : "books"
            let live = library.coordinator.liveContext()
            try await live.perform { (context) throws in
                context.undoManager = ObjectUndoManager()
                let object = try context.existingObject(with: kept)
                #expect(try object.related(name).map(\.objectID) == [gone])
                // A changed object is retained by its context.
                try object.setValue("Mine", forKey: name == "tags" ? "title" : "name")
            }
            try library.run { context in
                context.delete(try context.existingObject(with: gone))
                try context.save()
            }
            try await live.perform { (context) throws in
                #expect(try context.object(with: kept).related(name).isEmpty, "\(end)")
            }
        }
    }
}
