// SPDX-License-Identifier: Apache-2.0

// The fixture world of fetches: writers of several kinds and their books, with templates and fetched properties.

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import Testing

/// A few writers and books in a store that counts its calls.
struct Bookshop {
    static let model = Result {
        var listed = FetchedProperty("listed", of: "Book", predicate: "title == $FETCHED_PROPERTY.userInfo.title")
        listed.userInfo = ["title": "Bread"]
        let named = FetchedProperty("named", of: "Writer", predicate: "name == $FETCHED_PROPERTY.name")
        var popular = FetchRequestTemplate("Popular", entity: "Book", predicate: "sold >= $LEAST AND writer == $BY")
        popular.fetchLimit = 5
        popular.fetchBatchSize = 2
        popular.includesSubentities = false
        popular.includesPropertyValues = false
        popular.includesPendingChanges = false
        popular.returnsObjectsAsFaults = false
        popular.returnsDistinctResults = true
        popular.resultType = .objectIDs
        return try ManagedObjectModel(
            Model {
                Composite("Place") {
                    Attribute("city", .string).optional()
                    Attribute("zip", .int32).optional()
                }
                Entity("Writer") {
                    Attribute("name", .string).optional()
                    Attribute("home", .composite("Place")).optional()
                    Relationship("books", toMany: "Book", inverse: "writer", deleteRule: .nullify).optional()
                    Relationship("mentor", toOne: "Writer", inverse: "students").optional()
                    Relationship("students", toMany: "Writer", inverse: "mentor").optional()
                    FetchedProperty("bestsellers", of: "Book", predicate: "writer == $FETCH_SOURCE AND sold >= 20")
                    FetchedProperty(
                        "peers",
                        of: "Writer",
                        predicate: "home.city == $FETCH_SOURCE.home.city AND SELF != $FETCH_SOURCE"
                    )
                    FetchedProperty("alike", of: "Book", predicate: "title IN $FETCH_SOURCE.books.title")
                    FetchedProperty("bare", of: "Writer", predicate: "name == $FETCHED_PROPERTY")
                    FetchedProperty("endless", of: "Writer", predicate: "SELF IN $FETCH_SOURCE.endless")
                    listed
                    named
                }
                Entity("Novelist", parent: "Writer") {
                    Attribute("prize", .string).optional()
                    Relationship("editor", toOne: "Editor", inverse: "novelists").optional()
                    Relationship("drafts", toMany: "Book", inverse: "drafter").optional()
                }
                Entity("Poet", parent: "Writer") {
                    Relationship("editor", toOne: "Editor", inverse: "poets").optional()
                }
                Entity("Editor") {
                    Attribute("name", .string).optional()
                    Relationship("novelists", toMany: "Novelist", inverse: "editor").optional()
                    Relationship("poets", toMany: "Poet", inverse: "editor").optional()
                }
                Entity("Book") {
                    Attribute("title", .string).optional()
                    Attribute("sold", .int64).default(0)
                    Attribute("price", .double).optional()
                    Attribute("note", .string).optional().transient()
                    Relationship("writer", toOne: "Writer", inverse: "books").optional()
                    Relationship("drafter", toOne: "Novelist", inverse: "drafts").optional()
                    Relationship("tags", toMany: "Tag", inverse: "books").optional()
                    Relationship("pages", toMany: "Page", inverse: "book").optional().ordered()
                }
                Entity("Page") {
                    Attribute("name", .string).optional()
                    Relationship("book", toOne: "Book", inverse: "pages").optional()
                }
                Entity("Tag") {
                    Attribute("name", .string).optional()
                    Relationship("books", toMany: "Book", inverse: "tags").optional()
                }
                popular
                FetchRequestTemplate("All", entity: "Book")
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: CountingStore
    let second: CountingStore?

    /// - Parameter spansStores: Whether every other book, and its writer, is in a second store.
    init(spansStores: Bool = false) throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        store = try CountingStore(TestStore.make(model))
        try coordinator.add(store)
        second = try spansStores ? CountingStore(TestStore.make(model)) : nil
        if let second { try coordinator.add(second) }
        try fill()
    }

    /// Ada, a novelist, with Ash 10 (1.5), Bread 20 (–), Clay 30 (2.5); Bo, a poet, with Dew 20 (3); Cy without books;
    /// and Elm 5 (–) without a writer.
    private func fill() throws {
        let second = second
        try coordinator.withContext { context in
            func assign(_ object: ManagedObject, _ isSecond: Bool) throws {
                if isSecond, let second { try context.assign(object, to: second) }
            }
            let writers = try [("Novelist", "Ada", "Rome"), ("Poet", "Bo", "Oslo"), ("Writer", "Cy", "Rome")].map {
                let writer = try context.insert($0.0)
                try writer.setValue(.string($0.1), forKey: "name")
                try writer.setValue(.dictionary(["city": .string($0.2), "zip": 7]), forKey: "home")
                try assign(writer, $0.1 == "Bo")
                return writer
            }
            let books: [(String, Int64, Value, ManagedObject?)] = [
                ("Ash", 10, 1.5, writers[0]), ("Bread", 20, .null, writers[0]), ("Clay", 30, 2.5, writers[0]),
                ("Dew", 20, 3, writers[1]), ("Elm", 5, .null, nil),
            ]
            for (title, sold, price, writer) in books {
                let book = try context.insert("Book")
                try book.setValue(.string(title), forKey: "title")
                try book.setValue(.integer(sold), forKey: "sold")
                try book.setValue(price, forKey: "price")
                try book.relate("writer", writer)
                try assign(book, title > "Clay")
            }
            try context.save()
        }
        takeCalls()
        store.forgetSaves()
        second?.forgetSaves()
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    @discardableResult
    func takeCalls() -> CountingStore.Calls {
        _ = second?.takeCalls()
        return store.takeCalls()
    }

    /// Runs a closure that must fail, and returns its error.
    func error(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws -> GraphError {
        try #require(
            throws: GraphError.self,
            performing: { try run(body) }
        )
    }
}

extension FetchRequest where Object == ManagedObject {
    /// A request with its predicate and its order in short form.
    init(_ entity: String, where predicate: String? = nil, by order: String = "") throws {
        self.init(entity, predicate: try predicate.map { try ObjectPredicate($0) })
        if !order.isEmpty { sortDescriptors = try ObjectSortDescriptor.list(parsing: order) }
    }
}

extension ManagedObjectContext {
    func book(_ title: String) throws -> ManagedObject {
        let request = FetchRequest<ManagedObject>("Book", predicate: try ObjectPredicate("title == %@", title))
        return try #require(try fetch(request).first)
    }

    func writer(_ name: String) throws -> ManagedObject {
        let request = FetchRequest<ManagedObject>("Writer", predicate: try ObjectPredicate("name == %@", name))
        return try #require(try fetch(request).first)
    }

    func titles(_ request: FetchRequest<ManagedObject>) throws -> [String] { try fetch(request).map { try $0.title() } }
}

extension ManagedObject {
    func title() throws -> String {
        guard case .string(let title) = try value(forKey: entity.name == "Book" ? "title" : "name") else { return "" }
        return title
    }
}
