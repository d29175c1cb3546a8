// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Changes of unread members")
struct PairChangeTests {
    let library: Library
    let book: ManagedObjectID
    let tag: ManagedObjectID

    init() throws {
        library = try Library()
        book = try library.make("Book")
        tag = try library.make("Tag", [:], ["books": book])
    }

    @Test("a member that is added again and removed is no longer a member", arguments: [false, true])
    func addedAgain(fromInverse: Bool) throws {
        try library.run { context in
            let (one, other) = (context.object(with: book), context.object(with: tag))
            try one.relate("tags", other)
            if fromInverse { try other.unrelate("books", one) } else { try one.unrelate("tags", other) }
            try context.save()
        }
        #expect(try library.related(book, "tags").isEmpty)
        #expect(try library.related(tag, "books").isEmpty)
    }

    @Test("live contexts are notified of deleted members and of a new order after unread additions")
    func live() async throws {
        let (library, book, tag) = (library, book, tag)
        let pages = try library.insert("Page", (0..<3).map { _ in ["book": book.value] })
        let live = library.coordinator.liveContext()
        try await live.perform { (context) throws in
            let object = try context.existingObject(with: book)
            try object.setValue("Mine", forKey: "title")
            #expect(try object.related("tags").count == 1)
            #expect(try object.related("pages").map(\.objectID) == pages)
        }
        try library.run { context in
            let object = try context.existingObject(with: book)
            try object.relate("tags", context.object(with: tag))
            context.delete(context.object(with: tag))
            #expect(try object.related("pages").count == 3)
            try object.unrelate("pages", context.object(with: pages[0]))
            try object.relate("pages", context.object(with: pages[0]))
            try context.save()
        }
        try await live.perform { (context) throws in
            let object = context.object(with: book)
            #expect(try object.related("tags").isEmpty)
            #expect(try object.related("pages").map(\.objectID) == [pages[1], pages[2], pages[0]])
            #expect(object.changedValues.keys.sorted() == ["title"])
        }
    }
}
