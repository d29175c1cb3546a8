// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Typed keys")
struct KeysTests {
    private typealias BookKeys = Keys<Shelf.Book>

    private static func predicate(_ condition: (BookKeys) -> some PredicateConvertible) -> ObjectPredicate? {
        FetchRequest<Shelf.Book>().where(condition).predicate
    }

    private static let comparisons: [(ObjectPredicate?, String)] = [
        (predicate { $0.title == "Faults" }, #"title == "Faults""#),
        (predicate { $0.title != "Faults" }, #"title != "Faults""#),
        (predicate { $0.pages > 100 }, "pages > 100"),
        (predicate { $0.pages >= 100 }, "pages >= 100"),
        (predicate { $0.pages < 100 }, "pages < 100"),
        (predicate { $0.pages <= 100 }, "pages <= 100"),
        (predicate { $0.pages == nil }, "pages == nil"),
        (predicate { $0.pages != nil }, "pages != nil"),
        (predicate { $0.rank == $0.rank }, "rank == rank"),
        (predicate { $0.year > $0.author.books.maximum(of: \.year) }, "year > author.books.@max.year"),
        (predicate { $0.pages.isIn([1, 2]) }, "pages IN {1, 2}"),
        (predicate { $0.pages.isBetween(1...9) }, "pages BETWEEN {1, 9}"),
        (predicate(\.isNew), "isNew == YES"),
        (predicate { !$0.isNew }, "NOT isNew == YES"),
        (predicate { $0.state == .owned }, #"state == "owned""#),
        (predicate { $0.title.contains("a") }, #"title CONTAINS "a""#),
        (predicate { $0.title.begins(with: "a", options: .caseInsensitive) }, #"title BEGINSWITH[c] "a""#),
        (predicate { $0.title.ends(with: "a") }, #"title ENDSWITH "a""#),
        (predicate { $0.title.like("a*") }, #"title LIKE "a*""#),
        (predicate { $0.title.matches("a+") }, #"title MATCHES "a+""#),
        (
            predicate { $0.title.equals("a", options: [.caseInsensitive, .diacriticInsensitive]) },
            #"title ==[cd] "a""#
        ),
        (predicate { $0.author.name == "Anna" }, #"author.name == "Anna""#),
        (predicate { $0.author.name == nil && $0.author.isKnown }, "author.name == nil AND author.isKnown == YES"),
        (predicate { $0.author == nil }, "author == nil"),
        (predicate { $0.author != nil }, "author != nil"),
        (predicate { $0.author.home.city == "Aarhus" }, #"author.home.city == "Aarhus""#),
        (predicate { $0.genres.count > 2 }, "genres.@count > 2"),
        (predicate { $0.genres.isEmpty }, "genres.@count == 0"),
        (predicate { $0.genres.any.name == "poetry" }, #"ANY genres.name == "poetry""#),
        (predicate { $0.chapters.sum(of: \.length) > 9 }, "chapters.@sum.length > 9"),
        (predicate { $0.chapters.average(of: \.length) > 9 }, "chapters.@avg.length > 9.0"),
        (predicate { $0.chapters.minimum(of: \.length) == 9 }, "chapters.@min.length == 9"),
        (
            predicate { $0.chapters.contains { $0.length > 9 && $0.heading == nil } },
            "SUBQUERY(chapters, $x, $x.length > 9 AND $x.heading == nil).@count > 0"
        ),
        (
            predicate { book in book.chapters.allSatisfy { $0.heading == book.author.name } },
            "SUBQUERY(chapters, $x, NOT $x.heading == author.name).@count == 0"
        ),
        (
            predicate { $0.genres.contains { $0.books.contains { $0.isNew } } },
            "SUBQUERY(genres, $x, SUBQUERY($x.books, $xx, $xx.isNew == YES).@count > 0).@count > 0"
        ),
        (
            predicate { $0.isNew && $0.pages > 1 && ($0.pages < 9 || $0.pages == 11 || $0.pages == nil) },
            "isNew == YES AND pages > 1 AND (pages < 9 OR pages == 11 OR pages == nil)"
        ),
    ]

    @Test("typed comparisons give the predicates of the equivalent text", arguments: comparisons.indices)
    func comparison(index: Int) throws {
        let (predicate, text) = Self.comparisons[index]
        #expect(predicate?.description == text)
        // The texts give the same tree in another way; CAST gives a type that nothing else shows.
        #expect(try predicate?.description == ObjectPredicate(text).description)
    }

    @Test("typed keys of a class include those of its superclasses")
    func inheritance() throws {
        let request = FetchRequest<Shelf.Author>().where { $0.name == "Anna" && $0.isKnown }.sorted(by: \.name)
        #expect(request.predicate?.description == #"name == "Anna" AND isKnown == YES"#)
        #expect(request.sortDescriptors == [ObjectSortDescriptor("name")])
    }

    @Test("typed keys of all types compare with values of these types")
    func types() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let uuid = UUID()
        let link = try #require(URL(string: "https://example.org/a%20b"))
        let request = FetchRequest<Shelf.Book>()
            .where { $0.price == 1.5 && $0.weight < 2 && $0.rating >= 3 && $0.rank == 4 && $0.year == 5 }
            .where { $0.bought > date && $0.cover == Data([1]) && $0.code == uuid && $0.link == link }
            .where { $0.notes == .array([1]) }
        let constants: [Value] = [
            .decimal(1.5), .double(2), .double(3), .integer(4), .integer(5), .date(date), .data(Data([1])), .uuid(uuid),
            .uri("https://example.org/a%20b"), .array([1]),
        ]
        guard case .and(let parts) = request.predicate else {
            Issue.record("The conditions aren't put together.")
            return
        }
        let found = parts.map {
            if case .comparison(let comparison) = $0 { comparison.right } else { $0.predicateAsText }
        }
        #expect(found == constants.map(ObjectExpression.constant))
    }

    @Test("typed keys set a request's order, prefetching, offset and limit")
    func requests() {
        let request = FetchRequest<Shelf.Book>()
            .sorted(by: \.author.name, .descending, options: .caseInsensitive)
            .sorted(by: \.genres.count)
            .prefetching(\.author)
            .prefetching(\.genres)
            .prefetching(\.author.books.any.chapters)
            .offset(3)
            .limit(5)
        #expect(
            request.sortDescriptors == [
                ObjectSortDescriptor("author.name", ascending: false, options: .caseInsensitive),
                ObjectSortDescriptor("genres.@count"),
            ]
        )
        #expect(request.relationshipKeyPathsForPrefetching == ["author", "genres", "author.books.chapters"])
        #expect(request.fetchOffset == 3 && request.fetchLimit == 5)
    }

    @Test("requests with typed keys find objects")
    func fetching() throws {
        let titles = try Shelf.coordinator().withContext { context in
            let anna = try context.insert(Shelf.Author.self)
            anna.name = "Anna"
            anna.home = Shelf.Place(city: "Aarhus", floor: 2)
            let poetry = try context.insert(Shelf.Genre.self)
            for (index, title) in ["Undo", "Faults", "Saves"].enumerated() {
                let book = try context.insert(Shelf.Book.self)
                book.title = title
                book.pages = index * 100
                book.author = index == 2 ? nil : anna
                if index > 0 { book.genres.insert(poetry) }
                for length in 0...index {
                    let chapter = try context.insert(Shelf.Chapter.self)
                    try chapter.setValue(Int64(length), of: \.length)
                    book.chapters.append(chapter)
                }
            }
            func titles(_ condition: (Keys<Shelf.Book>) -> some PredicateConvertible) throws -> String {
                let request = FetchRequest<Shelf.Book>().where(condition).sorted(by: \.pages)
                return try context.fetch(request).map(\.title).joined(separator: " ")
            }
            func all() throws -> [String] {
                try [
                    titles { $0.author == anna }, titles { $0.author == anna.objectID }, titles { $0.author != anna },
                    titles { $0.author.isIn([anna]) }, titles { $0.genres.contains(poetry) },
                    titles { $0.author.home.city == "Aarhus" && $0.author.home.floor == 2 && $0.pages > 0 },
                    titles { $0.chapters.contains { $0.length == 2 } },
                    titles { $0.chapters.allSatisfy { $0.length < 2 } },
                    titles { $0.chapters.count == 2 }, titles { $0.author.books.contains { $0.pages == 0 } },
                    titles { $0.pages.isBetween(0...100) && !$0.genres.isEmpty },
                ]
            }
            let pending = try all()
            try context.save()
            #expect(try all() == pending)
            return pending
        }
        #expect(
            titles == [
                "Undo Faults", "Undo Faults", "Saves", "Undo Faults", "Faults Saves", "Faults", "Saves", "Undo Faults",
                "Faults", "Undo Faults", "Faults",
            ]
        )
    }

    @Test("keys through one of many objects trap on the right side and as an order")
    func oneOfMany() async {
        await #expect(processExitsWith: .failure) {
            _ = FetchRequest<Shelf.Book>().where { $0.author.name == $0.genres.any.name }
        }
        await #expect(processExitsWith: .failure) {
            _ = FetchRequest<Shelf.Book>().sorted(by: \.genres.any.name)
        }
    }

    @Test("counts and conditions after any trap")
    func any() async {
        await #expect(processExitsWith: .failure) {
            _ = FetchRequest<Shelf.Book>().where { $0.genres.any.books.count > 1 }
        }
        await #expect(processExitsWith: .failure) {
            _ = FetchRequest<Shelf.Book>().where { $0.genres.any.books.contains { $0.isNew } }
        }
    }
}

extension ObjectPredicate {
    fileprivate var predicateAsText: ObjectExpression { .constant(.string(description)) }
}
