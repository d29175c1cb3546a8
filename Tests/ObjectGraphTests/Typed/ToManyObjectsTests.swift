// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Testing

@Suite("Typed to-many relationships")
struct ToManyObjectsTests {
    @Test("an insertion keeps both sides equal and reads no members")
    func inserting() throws {
        let coordinator = try Shelf.coordinator()
        let ids = try coordinator.withContext { context in
            let (book, genre) = try (context.insert(Shelf.Book.self), context.insert(Shelf.Genre.self))
            book.genres.insert(genre)
            book.chapters.append(try context.insert(Shelf.Chapter.self))
            try context.save()
            return [book.objectID, genre.objectID]
        }
        try coordinator.withContext { context in
            let book = try #require(context.object(with: ids[0]) as? Shelf.Book)
            let genre = try #require(context.object(with: ids[1]) as? Shelf.Genre)
            let new = try context.insert(Shelf.Genre.self)
            book.genres.insert(new)
            book.chapters.append(try context.insert(Shelf.Chapter.self))
            #expect(book.genres.contains(new))
            #expect(book.hasFault(forRelationshipNamed: "genres") && book.hasFault(forRelationshipNamed: "chapters"))
            #expect(book.genres.contains(genre) && book.genres.count == 2 && book.chapters.count == 2)
            #expect(Set(book.genres) == [genre, new])
            book.genres.remove(genre)
            #expect(Array(book.genres) == [new])
            book.genres.replace(with: [genre])
            #expect(Array(book.genres) == [genre] && !book.genres.contains(new))
            book.genres.removeAll()
            #expect(book.genres.isEmpty)
            try context.save()
            #expect(!genre.hasChanges)
        }
    }

    @Test("an ordered relationship supports positions")
    func ordering() throws {
        try Shelf.coordinator().withContext { context in
            let book = try context.insert(Shelf.Book.self)
            let chapters = try "abcd".map { heading in
                let chapter = try context.insert(Shelf.Chapter.self)
                chapter.heading = String(heading)
                return chapter
            }
            func headings() -> String { book.chapters.map { $0.heading ?? "-" }.joined() }
            book.chapters.replace(with: chapters)
            #expect(headings() == "abcd" && book.chapters[1] === chapters[1] && book.chapters.last === chapters[3])
            #expect(book.chapters.firstIndex(of: chapters[2]) == 2 && book.chapters.reversed().first === chapters[3])
            book.chapters.move(chapters[0], to: 2)
            #expect(headings() == "bcad")
            book.chapters.move(chapters[0], to: 3)
            book.chapters.remove(chapters[2])
            #expect(headings() == "bda" && book.chapters[1] === chapters[3] && book.chapters.count == 3)
            book.chapters.insert(chapters[2], at: 0)
            #expect(headings() == "cbda" && book.chapters.contains(chapters[2]))
            try context.save()
            try context.refresh(book, mergingChanges: false)
            #expect(headings() == "cbda")
            book.chapters.removeAll()
            #expect(
                book.chapters.isEmpty && book.chapters.first == nil && book.chapters.firstIndex(of: chapters[0]) == nil
            )
        }
    }

    @Test("an invalid position traps")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            try Shelf.coordinator().withContext { context in
                try context.insert(Shelf.Book.self).chapters.insert(context.insert(Shelf.Chapter.self), at: 1)
            }
        }
        await #expect(processExitsWith: .failure) {
            try Shelf.coordinator().withContext { context in _ = try context.insert(Shelf.Book.self).chapters[0] }
        }
    }
}
