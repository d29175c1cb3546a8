// SPDX-License-Identifier: Apache-2.0

// An owner with any number of members in relationships of each kind, and a record of the store's statements.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport

@testable import SQLiteStore

struct Crowd {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Owner") {
                    Attribute("name", .string).optional()
                    Attribute("things", .int64).optional().derived("plain.@count")
                    Attribute("load", .int64).optional().derived("plain.weight.@sum")
                    Attribute("places", .int64).optional().derived("inOrder.@count")
                    Attribute("marks", .int64).optional().derived("shared.@count")
                    Relationship("plain", toMany: "Thing", inverse: "owner").optional()
                    Relationship("inOrder", toMany: "Thing", inverse: "ranked").optional().ordered()
                    Relationship("shared", toMany: "Mark", inverse: "owners").optional()
                    Relationship("sharedInOrder", toMany: "Mark", inverse: "rankers").optional().ordered()
                }
                Entity("Thing") {
                    Attribute("label", .string).optional()
                    Attribute("weight", .int32).optional()
                    Relationship("owner", toOne: "Owner", inverse: "plain").optional()
                    Relationship("ranked", toOne: "Owner", inverse: "inOrder").optional()
                }
                Entity("Mark") {
                    Attribute("label", .string).optional()
                    Relationship("owners", toMany: "Owner", inverse: "shared").optional()
                    Relationship("rankers", toMany: "Owner", inverse: "sharedInOrder").optional()
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: SQLiteStore
    let owner: ManagedObjectID

    static let relationships = ["plain", "inOrder", "shared", "sharedInOrder"]

    /// - Parameter count: The number of members that the owner has in each relationship.
    static func with<T>(_ count: Int, _ body: (Crowd) throws -> T) throws -> T {
        try Checkout.withFolder { folder in try body(Crowd(folder, count)) }
    }

    private init(_ folder: String, _ count: Int) throws {
        let model = try Self.model.get()
        store = try SQLiteStore(path: folder + "/Crowd.sqlite", model: model, options: .unwatched)
        let filling = PersistentStoreCoordinator(model: model)
        try filling.add(store)
        owner = try Self.insert("Owner", [["name": "one"]], filling)[0]
        let (reference, members) = (
            Value.reference(owner.objectReference), Value.array([.reference(owner.objectReference)])
        )
        let things: [[String: Value]] = (0..<count).map {
            ["label": .string("t\($0)"), "weight": 2, "owner": reference, "ranked": reference]
        }
        try Self.insert("Thing", things, filling)
        try Self.insert(
            "Mark",
            (0..<count).map { ["label": .string("m\($0)"), "owners": members, "rankers": members] },
            filling
        )
        // A coordinator with an empty row cache.
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    @discardableResult
    private static func insert(
        _ entity: String,
        _ rows: [[String: Value]],
        _ coordinator: PersistentStoreCoordinator
    ) throws -> [ManagedObjectID] {
        if rows.isEmpty { return [] }
        var request = BatchInsertRequest(entity, rows: rows)
        request.resultType = .objectIDs
        return try coordinator.execute(request).objectIDs
    }

    func value(_ name: String) throws -> Value {
        try coordinator.withContext { try $0.existingObject(with: owner).value(forKey: name) }
    }

    /// The statements that run during a closure, except those of transactions and of new connections.
    func statements(_ body: () throws -> Void) throws -> [String] {
        let lines = StatementLines()
        store.database.tracer = { lines.add($0.sql) }
        defer { store.database.tracer = nil }
        try body()
        return lines.all.filter { statement in
            !["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"].contains { statement.hasPrefix($0) }
        }
    }
}

final class StatementLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
