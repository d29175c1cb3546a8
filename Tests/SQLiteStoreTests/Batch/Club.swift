// SPDX-License-Identifier: Apache-2.0

// A world for batches: each delete rule, each kind of relationship, count limits, unique and derived values.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import StoreConformance
import Synchronization
import TestSupport

@testable import SQLiteStore

/// A coordinator over a new store, and a record of the store's statements.
struct Club: BatchWorld {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Person") {
                    Attribute("number", .int64)
                    Attribute("name", .string).optional().length(0...12)
                    Attribute("plain", .string).optional().derived("canonical:(name)")
                    Attribute("bookCount", .int64).optional().derived("books.@count")
                    Attribute("pageSum", .int64).optional().derived("books.length.@sum")
                    Relationship("books", toMany: "Book", inverse: "author").optional()
                    Relationship("badge", toOne: "Badge", inverse: "person", deleteRule: .cascade).optional()
                    Relationship("friends", toMany: "Person", inverse: "friends").optional()
                    Relationship("mentor", toOne: "Person", inverse: "students").optional()
                    Relationship("students", toMany: "Person", inverse: "mentor").optional().count(0...3)
                }
                Entity("Writer", parent: "Person") {
                    Attribute("level", .int32).optional().default(1).in(0...9)
                    Relationship("drafts", toMany: "Draft", inverse: "writer", deleteRule: .cascade).optional()
                }
                Entity("Book") {
                    Attribute("number", .int64)
                    Attribute("title", .string).default("Untitled")
                    Attribute("views", .int64).default(0)
                    Attribute("length", .int32).optional()
                    Attribute("shelf", .string).optional()
                    Attribute("byline", .string).optional().derived("author.name")
                    Relationship("author", toOne: "Person", inverse: "books").optional()
                    Relationship("editor", toOne: "Person").optional()
                    Relationship("tags", toMany: "Tag", inverse: "books").optional().ordered()
                    Relationship("pages", toMany: "Page", inverse: "book", deleteRule: .cascade).optional().ordered()
                    Relationship("loans", toMany: "Loan", inverse: "book", deleteRule: .deny).optional()
                    Relationship("reviews", toMany: "Review", inverse: "book").optional()
                    Relationship("notes", toMany: "Note", inverse: "book", deleteRule: .noAction).optional()
                    UniquenessConstraint("shelf")
                }
                Entity("Badge") {
                    Attribute("number", .int64)
                    Relationship("person", toOne: "Person", inverse: "badge").optional()
                }
                Entity("Draft") {
                    Attribute("number", .int64)
                    Relationship("writer", toOne: "Writer", inverse: "drafts").optional()
                }
                Entity("Tag") {
                    Attribute("number", .int64)
                    Attribute("uses", .int64).optional().derived("books.@count")
                    Relationship("books", toMany: "Book", inverse: "tags").optional()
                    Relationship("seeAlso", toMany: "Tag").optional()
                }
                Entity("Page") {
                    Attribute("number", .int64)
                    Relationship("book", toOne: "Book", inverse: "pages").optional()
                }
                Entity("Loan") {
                    Attribute("number", .int64)
                    Relationship("book", toOne: "Book", inverse: "loans", deleteRule: .cascade).optional()
                }
                Entity("Review") {
                    Attribute("number", .int64)
                    Relationship("book", toOne: "Book", inverse: "reviews")
                }
                Entity("Note") {
                    Attribute("number", .int64)
                    Attribute("code", .string).optional().matching("[A-Z]+")
                    Relationship("book", toOne: "Book", inverse: "notes").optional()
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: SQLiteStore
    private let folder: TemporaryFolder

    /// - Parameter isPlain: Whether batches run row by row, as with any store.
    init(isPlain: Bool = false, _ options: SQLiteStoreOptions = .unwatched) throws {
        let model = try Self.model.get()
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(model: model)
        store = try SQLiteStore(path: folder.path + "/Club.sqlite", model: model, options: options)
        try coordinator.add(isPlain ? PlainStore(store) : store)
    }

    @discardableResult
    func delete(_ entity: String, _ predicate: String? = nil, maximum: Int? = nil) throws -> BatchResult {
        let fetch = FetchRequest<ManagedObject>(entity, predicate: try predicate.map { try ObjectPredicate($0) })
        var request = BatchDeleteRequest(fetch)
        request.maximum = maximum
        request.resultType = .objectIDs
        return try coordinator.execute(request)
    }

    @discardableResult
    func update(
        _ entity: String,
        _ values: [String: ObjectExpression],
        where predicate: ObjectPredicate? = nil
    ) throws -> BatchResult {
        var request = BatchUpdateRequest(entity, predicate: predicate)
        request.propertiesToUpdate = values
        request.resultType = .objectIDs
        return try coordinator.execute(request)
    }

    func value(_ id: ManagedObjectID, _ name: String) throws -> Value {
        try coordinator.withContext { try $0.existingObject(with: id).value(forKey: name) }
    }

    func count(_ entity: String) throws -> Int {
        try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>(entity)) }
    }

    /// The statements that run during a closure, except those that begin and end transactions or empty key sets.
    func statements(_ body: () throws -> Void) throws -> [String] {
        let log = Log()
        store.database.tracer = { log.add($0.sql) }
        defer { store.database.tracer = nil }
        try body()
        return log.statements.filter { statement in
            !["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "CREATE TEMP", "DELETE FROM temp."].contains {
                statement.hasPrefix($0)
            }
        }
    }
}

private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var statements: [String] { lines.withLock { $0 } }

    func add(_ statement: String) { lines.withLock { $0.append(statement) } }
}
