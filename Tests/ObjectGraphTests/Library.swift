// SPDX-License-Identifier: Apache-2.0

// A world for batches: each delete rule, count limits, unique values and derived values.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import StoreConformance
import Testing

/// A coordinator over a store with only the required methods.
struct Library: BatchWorld {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Thing", isAbstract: true) {
                    Attribute("name", .string).length(1...10)
                    Attribute("plain", .string).optional().derived("canonical:(name)")
                    UniquenessConstraint("name")
                }
                Entity("Author", parent: "Thing") {
                    Attribute("age", .int16).optional().in(0...150)
                    Attribute("code", .string).optional().matching("[A-Z]{2}")
                    Attribute("draft", .string).optional().transient()
                    Attribute("bookCount", .int64).optional().derived("books.@count")
                    Relationship("books", toMany: "Book", inverse: "author").optional()
                    Relationship("bio", toOne: "Bio", inverse: "author", deleteRule: .cascade).optional()
                    Relationship("mentor", toOne: "Author", inverse: "students").optional()
                    Relationship("students", toMany: "Author", inverse: "mentor").optional().count(0...2)
                }
                Entity("Editor", parent: "Author") {
                    Attribute("level", .int32).default(1)
                }
                Entity("Bio") {
                    Attribute("text", .string).optional()
                    Relationship("author", toOne: "Author", inverse: "bio").optional()
                }
                Entity("Book") {
                    Attribute("title", .string).default("Untitled")
                    Attribute("views", .int64).default(0)
                    Attribute("shelf", .string).optional()
                    Attribute("place", .int64).optional()
                    Attribute("byline", .string).optional().derived("author.name")
                    Relationship("author", toOne: "Author", inverse: "books").optional()
                    Relationship("tags", toMany: "Tag", inverse: "books").optional()
                    Relationship("pages", toMany: "Page", inverse: "book", deleteRule: .cascade).optional().ordered()
                    Relationship("loans", toMany: "Loan", inverse: "book", deleteRule: .deny).optional()
                    Relationship("reviews", toMany: "Review", inverse: "book").optional()
                    Relationship("notes", toMany: "Note", inverse: "book", deleteRule: .noAction).optional()
                    UniquenessConstraint("shelf", "place")
                }
                Entity("Tag") {
                    Attribute("name", .string).optional()
                    Attribute("use", .int64).optional().derived("books.@count")
                    Relationship("books", toMany: "Book", inverse: "tags").optional()
                }
                Entity("Page") {
                    Attribute("number", .int64).default(0)
                    Relationship("book", toOne: "Book", inverse: "pages").optional()
                }
                Entity("Loan") {
                    Relationship("book", toOne: "Book", inverse: "loans", deleteRule: .cascade).optional()
                }
                Entity("Review") {
                    Relationship("book", toOne: "Book", inverse: "reviews")
                }
                Entity("Note") {
                    Relationship("book", toOne: "Book", inverse: "notes").optional()
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: PlainStore

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        store = try PlainStore(TestStore.make(model))
        try coordinator.add(store)
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    /// Inserts one object and saves it.
    @discardableResult
    func make(
        _ entity: String,
        _ values: [String: Value] = [:],
        _ related: [String: ManagedObjectID] = [:]
    ) throws -> ManagedObjectID {
        try run { context in
            let object = try context.insert(entity)
            for (name, value) in values { try object.setValue(value, forKey: name) }
            for (name, other) in related { try object.relate(name, context.object(with: other)) }
            try context.save()
            return object.objectID
        }
    }

    func value(_ id: ManagedObjectID, _ name: String) throws -> Value {
        try run { try $0.existingObject(with: id).value(forKey: name) }
    }

    func related(_ id: ManagedObjectID, _ name: String) throws -> [ManagedObjectID] {
        try run { try $0.existingObject(with: id).related(name).map(\.objectID) }
    }

    func version(_ id: ManagedObjectID) throws -> Int64? { try store.snapshots(of: [id], at: nil)[0]?.version }

    func count(_ entity: String) throws -> Int { try run { try $0.count(FetchRequest<ManagedObject>(entity)) } }
}

/// The error that a closure throws, which is required.
func failure(of body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) throws -> GraphError {
    try #require(throws: GraphError.self, sourceLocation: sourceLocation) { try body() }
}
