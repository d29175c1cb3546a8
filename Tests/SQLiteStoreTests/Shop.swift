// SPDX-License-Identifier: Apache-2.0

// A small model, and a store of it in its own folder.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore

/// A shop's articles in groups, and orders of them.
struct Shop {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Group") {
                    Attribute("name", .string)
                    Relationship("articles", toMany: "Article", inverse: "group").ordered()
                    UniquenessConstraint("name")
                }
                Entity("Article") {
                    Attribute("name", .string)
                    Attribute("stock", .int64).default(0)
                    Attribute("price", .decimal).optional()
                    Relationship("group", toOne: "Group", inverse: "articles").optional()
                    Relationship("tags", toMany: "Tag", inverse: "articles")
                }
                Entity("Book", parent: "Article") { Attribute("pages", .int16).optional() }
                Entity("Tag") {
                    Attribute("name", .string)
                    Relationship("articles", toMany: "Article", inverse: "tags")
                }
            }
        )
    }

    let path: String
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator

    /// Calls a test with a new shop, and removes its folder afterwards.
    static func open<Result>(
        _ options: SQLiteStoreOptions = .unwatched,
        _ body: (Shop) throws -> Result
    ) throws -> Result {
        try StoreCopy.inFolder { folder in try body(Shop(path: folder + "/Shop.sqlite", options)) }
    }

    static func open<Result>(_ body: (Shop) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(Shop(path: folder.path + "/Shop.sqlite"))
    }

    init(path: String, store: SQLiteStore, coordinator: PersistentStoreCoordinator) {
        (self.path, self.store, self.coordinator) = (path, store, coordinator)
    }

    init(path: String, _ options: SQLiteStoreOptions = .unwatched) throws {
        self.path = path
        let model = try Self.model.get()
        store = try SQLiteStore(path: path, model: model, options: options)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    /// The result of plain SQL on the file, as text.
    func rows(_ sql: SQL) throws -> [[String]] {
        try Connection(path: path, access: .readWrite).rows(sql) { row in row.values.map { $0.plain } }
    }
}

extension SQLValue {
    var plain: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}

extension ManagedObject {
    func relate(_ name: String, _ others: ManagedObject...) throws {
        guard let relationship = entity.relationship(named: name) else { throw NoRelationship(name: name) }
        for other in others {
            if relationship.isToMany {
                try add(other, to: relationship)
            } else {
                try setObject(other, of: relationship)
            }
        }
    }

    struct NoRelationship: Error {
        let name: String
    }
}
