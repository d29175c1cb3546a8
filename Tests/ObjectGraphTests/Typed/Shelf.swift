// SPDX-License-Identifier: Apache-2.0

// Books with classes of their own: an attribute of each type, and each kind of relationship.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

enum Shelf {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Composite("Place") {
                    Attribute("city", .string).optional()
                    Attribute("floor", .int16).default(1)
                }
                Entity("Person", isAbstract: true) {
                    Attribute("name", .string).optional()
                    Attribute("home", .composite("Place")).optional()
                }
                Entity("Author", parent: "Person") {
                    Attribute("isKnown", .bool).default(false)
                    Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade)
                    FetchedProperty(
                        "long",
                        of: "Book",
                        predicate: "author == $FETCH_SOURCE AND pages > 100 AND title != $FETCH_SOURCE.name"
                    )
                }
                Entity("Book") {
                    Attribute("title", .string).default("Untitled")
                    Attribute("pages", .int64).optional()
                    Attribute("rank", .int16).optional()
                    Attribute("year", .int32).default(2026)
                    Attribute("price", .decimal).optional()
                    Attribute("weight", .double).optional()
                    Attribute("rating", .float).optional()
                    Attribute("isNew", .bool).default(true)
                    Attribute("bought", .date).optional()
                    Attribute("cover", .binary).optional()
                    Attribute("code", .uuid).optional()
                    Attribute("link", .uri).optional()
                    Attribute("notes", .transformable(transformer: nil)).optional()
                    Attribute("state", .string).optional()
                    Attribute("required", .string).optional()
                    Relationship("author", toOne: "Author", inverse: "books").optional()
                    Relationship("genres", toMany: "Genre", inverse: "books")
                    Relationship("chapters", toMany: "Chapter", inverse: "book", deleteRule: .cascade).ordered()
                }
                Entity("Genre") {
                    Attribute("name", .string).optional()
                    Relationship("books", toMany: "Book", inverse: "genres")
                }
                Entity("Chapter") {
                    Attribute("heading", .string).optional()
                    Attribute("length", .int64).default(0)
                    Relationship("book", toOne: "Book", inverse: "chapters").optional()
                }
            }
        )
    }

    static let classes: [ManagedObject.Type] = [
        Person.self, Author.self, Book.self, Genre.self, Chapter.self,
    ]

    static func coordinator() throws -> PersistentStoreCoordinator {
        let model = try model.get()
        let coordinator = PersistentStoreCoordinator(model: model, classes: classes)
        try coordinator.add(TestStore.make(model))
        return coordinator
    }

    class Person: ManagedObject {}

    final class Author: Person {}

    final class Book: ManagedObject {
        enum State: String, AttributeValue {
            case wanted, owned
            static let absent = State.wanted
        }
    }

    final class Genre: ManagedObject {}

    final class Chapter: ManagedObject {}

    struct Place: CompositeValue, Hashable {
        var city: String?
        var floor: Int16
    }
}

extension Shelf.Person {
    var name: String? {
        get { self[attribute: "name"] }
        set { self[attribute: "name"] = newValue }
    }

    var home: Shelf.Place? {
        get { self[attribute: "home"] }
        set { self[attribute: "home"] = newValue }
    }
}

extension Shelf.Author {
    var books: ToManyObjects<Shelf.Book> { self[toMany: "books"] }
    var long: [Shelf.Book] { self[fetched: "long"] }
}

extension Shelf.Book {
    var title: String {
        get { self[attribute: "title"] }
        set { self[attribute: "title"] = newValue }
    }

    var pages: Int? {
        get { self[attribute: "pages"] }
        set { self[attribute: "pages"] = newValue }
    }

    var price: Decimal? {
        get { self[attribute: "price"] }
        set { self[attribute: "price"] = newValue }
    }

    /// Optional in the model, but not here.
    var required: String { self[attribute: "required"] }

    var state: State {
        get { self[attribute: "state"] }
        set { self[attribute: "state"] = newValue }
    }

    /// Not in the model.
    var lost: String { self[attribute: "lost"] }

    var author: Shelf.Author? {
        get { self[toOne: "author"] }
        set { self[toOne: "author"] = newValue }
    }

    var genres: ToManyObjects<Shelf.Genre> { self[toMany: "genres"] }
    var chapters: OrderedObjects<Shelf.Chapter> { self[ordered: "chapters"] }
}

extension Shelf.Chapter {
    var heading: String? {
        get { self[attribute: "heading"] }
        set { self[attribute: "heading"] = newValue }
    }
}

extension Shelf.Place {
    init(_ members: CompositeMembers) {
        city = members["city"]
        floor = members["floor"]
    }

    var members: CompositeMembers { ["city": city.value, "floor": floor.value] }
}

extension Keys where Object: Shelf.Person {
    var name: AttributeKey<String?> { self[attribute: "name"] }
    var home: AttributeKey<Shelf.Place?> { self[attribute: "home"] }
}

extension Keys where Object: Shelf.Author {
    var isKnown: AttributeKey<Bool> { self[attribute: "isKnown"] }
    var books: ToManyKey<Shelf.Book> { self[toMany: "books"] }
}

extension Keys where Object: Shelf.Book {
    var title: AttributeKey<String> { self[attribute: "title"] }
    var pages: AttributeKey<Int?> { self[attribute: "pages"] }
    var rank: AttributeKey<Int16?> { self[attribute: "rank"] }
    var year: AttributeKey<Int32> { self[attribute: "year"] }
    var price: AttributeKey<Decimal?> { self[attribute: "price"] }
    var weight: AttributeKey<Double?> { self[attribute: "weight"] }
    var rating: AttributeKey<Float?> { self[attribute: "rating"] }
    var isNew: AttributeKey<Bool> { self[attribute: "isNew"] }
    var bought: AttributeKey<Date?> { self[attribute: "bought"] }
    var cover: AttributeKey<Data?> { self[attribute: "cover"] }
    var code: AttributeKey<UUID?> { self[attribute: "code"] }
    var link: AttributeKey<URL?> { self[attribute: "link"] }
    var notes: AttributeKey<Value> { self[attribute: "notes"] }
    var state: AttributeKey<Shelf.Book.State> { self[attribute: "state"] }
    var author: Keys<Shelf.Author> { self[toOne: "author"] }
    var genres: ToManyKey<Shelf.Genre> { self[toMany: "genres"] }
    var chapters: ToManyKey<Shelf.Chapter> { self[toMany: "chapters"] }
}

extension Keys where Object: Shelf.Genre {
    var name: AttributeKey<String?> { self[attribute: "name"] }
    var books: ToManyKey<Shelf.Book> { self[toMany: "books"] }
}

extension Keys where Object: Shelf.Chapter {
    var heading: AttributeKey<String?> { self[attribute: "heading"] }
    var length: AttributeKey<Int64> { self[attribute: "length"] }
    var book: Keys<Shelf.Book> { self[toOne: "book"] }
}

extension CompositeKeys where Composite == Shelf.Place {
    var city: AttributeKey<String?> { self[attribute: "city"] }
    var floor: AttributeKey<Int16> { self[attribute: "floor"] }
}
