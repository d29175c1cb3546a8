// SPDX-License-Identifier: Apache-2.0

// The layout of a store's file, read by plain SQL.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("Layout of SQLite stores")
struct LayoutTests {
    @Test("the tables and indexes are those that Core Data creates")
    func tables() throws {
        try Shop.open { shop in
            let sql = try shop.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").map { $0[0] }
            #expect(
                sql == [
                    """
                    CREATE TABLE ZARTICLE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTOCK INTEGER, \
                    ZGROUP INTEGER, ZPAGES INTEGER, Z_FOK_GROUP INTEGER, ZPRICE DECIMAL, ZNAME VARCHAR )
                    """,
                    "CREATE TABLE ZGROUP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
                    "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
                    """
                    CREATE TABLE Z_1TAGS ( Z_1ARTICLES INTEGER, Z_4TAGS INTEGER, PRIMARY KEY (Z_1ARTICLES, Z_4TAGS) )
                    """,
                    """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)
                    """,
                    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
                    "CREATE INDEX ZARTICLE_Z_ENT_INDEX ON ZARTICLE (Z_ENT)",
                    "CREATE INDEX ZARTICLE_ZGROUP_INDEX ON ZARTICLE (ZGROUP, Z_FOK_GROUP)",
                    "CREATE UNIQUE INDEX Z_Group_UNIQUE_name ON ZGROUP (ZNAME COLLATE BINARY ASC)",
                    "CREATE INDEX Z_1TAGS_Z_4TAGS_INDEX ON Z_1TAGS (Z_4TAGS, Z_1ARTICLES)",
                ]
            )
            #expect(
                try shop.rows("SELECT * FROM Z_PRIMARYKEY")
                    == [
                        ["1", "Article", "0", "0"], ["2", "Book", "1", "0"], ["3", "Group", "0", "0"],
                        ["4", "Tag", "0", "0"],
                    ]
            )
        }
    }

    @Test("rows, pairs and positions are stored as Core Data stores them")
    func rows() throws {
        try Shop.open { shop in
            try shop.coordinator.withContext { context in
                let group = try context.insert("Group")
                try group.setValue("Reading", forKey: "name")
                let (book, article) = (try context.insert("Book"), try context.insert("Article"))
                try book.setValue("Faults", forKey: "name")
                try book.setValue(300, forKey: "pages")
                try book.setValue(.decimal(Decimal(string: "19.90")!), forKey: "price")
                try article.setValue("Lamp", forKey: "name")
                try article.relate("group", group)
                try book.relate("group", group)
                let tag = try context.insert("Tag")
                try tag.setValue("new", forKey: "name")
                try tag.relate("articles", article, book)
                try context.save()
                try article.setValue(5, forKey: "stock")
                try context.save()
            }
            let articles = try shop.rows(
                """
                SELECT Z_ENT, Z_OPT, ZNAME, ZSTOCK, ZPAGES, ZPRICE, ZGROUP, Z_FOK_GROUP FROM ZARTICLE ORDER BY ZNAME
                """
            )
            #expect(
                articles == [
                    ["2", "1", "Faults", "0", "300", "19.9", "1", "4096"],
                    ["1", "2", "Lamp", "5", "NULL", "NULL", "1", "3072"],
                ]
            )
            #expect(try shop.rows("SELECT Z_1ARTICLES, Z_4TAGS FROM Z_1TAGS ORDER BY 1") == [["1", "1"], ["2", "1"]])
            #expect(try shop.rows("SELECT Z_MAX >= 2 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Article'") == [["1"]])
        }
    }

    @Test("unknown content of a store is kept", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
    func unknown() throws {
        let stores = Corpus.stores.filter {
            $0.hasSuffix(".moody") || $0.contains("SampleModel") || $0.contains("CareKit")
        }
        #expect(!stores.isEmpty)
        for path in stores {
            try StoreCopy.of(path) { path in
                let before = try FileDump(path)
                let store = try SQLiteStore(path: path)
                let coordinator = PersistentStoreCoordinator(model: store.model)
                try coordinator.add(store)
                #expect(try FileDump(path) == before, "opening \(path) changed it")

                let id = try #require(
                    try coordinator.withContext { try Self.anyObject(of: store.model, in: $0) },
                    "\(path)"
                )
                let table = "Z\(store.model.entities[id.entity.rootIndex].name.uppercased())"
                try coordinator.withContext { context in
                    let object = try context.existingObject(with: id)
                    let attribute = try #require(id.entity.attributes.first { $0.isPlainText })
                    try object.setValue("changed here", forKey: attribute.name)
                    try context.save()
                }
                let updated = try FileDump(path)
                // A history is kept up where the app keeps one.
                let recorded: Set =
                    before.hasHistory
                    ? ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"] : ["Z_PRIMARYKEY"]
                #expect(updated.schema == before.schema)
                #expect(Set(updated.tables(otherThan: before)).subtracting(recorded) == [table])
                #expect(updated.added(to: before, table) == 1 && before.added(to: updated, table) == 1)

                let copy = try coordinator.withContext { context in
                    let copy = try Self.copy(try context.existingObject(with: id), in: context)
                    try context.save()
                    return copy.objectID
                }
                let inserted = try FileDump(path)
                #expect(inserted.schema == before.schema)
                #expect(inserted.added(to: updated, table) == 1 && updated.added(to: inserted, table) == 0)
                // Apart from the object's row, only pairs and the greatest keys change.
                for other in inserted.tables(otherThan: updated) where other != table && !recorded.contains(other) {
                    #expect(other.hasPrefix("Z_") && updated.added(to: inserted, other) == 0, "\(other)")
                }

                try coordinator.withContext { context in
                    context.delete(try context.existingObject(with: copy))
                    try context.save()
                }
                let deleted = try FileDump(path)
                #expect(deleted.schema == before.schema)
                #expect(Set(deleted.tables(otherThan: updated)).isSubset(of: recorded), "\(path)")
            }
        }
    }

    /// An object that can be copied, with text that may be changed.
    private static func anyObject(
        of model: ManagedObjectModel,
        in context: ManagedObjectContext
    ) throws -> ManagedObjectID? {
        for entity in model.entities where !entity.isAbstract {
            guard entity.attributes.contains(where: \.isPlainText) else { continue }
            var request = FetchRequest<ManagedObject>(entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) where try canBeCopied(object) { return object.objectID }
        }
        return nil
    }

    /// Whether another object may have the same values and relationships. Objects of applications may lack required
    /// values.
    private static func canBeCopied(_ object: ManagedObject) throws -> Bool {
        let unique = Set(object.entity.entity.uniquenessConstraints.joined())
        return try object.entity.attributes.filter { !$0.attribute.isOptional && $0.isPersistent }.allSatisfy {
            try object.value(forKey: $0.name) != .null && (!unique.contains($0.name) || $0.isPlainText)
        } && object.entity.relationships.allSatisfy { $0.relationship.isOptional || $0.canBeShared }
    }

    /// A copy of an object without its unique values, related to the same objects if these may have both.
    private static func copy(_ object: ManagedObject, in context: ManagedObjectContext) throws -> ManagedObject {
        let copy = try context.insert(object.entity.name)
        let unique = Set(object.entity.entity.uniquenessConstraints.joined())
        for attribute in object.entity.attributes where attribute.isPersistent && !attribute.isDerived {
            let value = try object.value(forKey: attribute.name)
            guard !unique.contains(attribute.name) || attribute.isPlainText else { continue }
            try copy.setValue(unique.contains(attribute.name) ? "copied here" : value, forKey: attribute.name)
        }
        for relationship in object.entity.relationships where !relationship.isTransient {
            guard relationship.canBeShared else { continue }
            for other in try relationship.isToMany
                ? object.objects(of: relationship) : [object.object(of: relationship)].compactMap(\.self)
            { try copy.relate(relationship.name, other) }
        }
        return copy
    }
}

extension RelationshipDescription {
    /// Whether two objects may have the same destination.
    fileprivate var canBeShared: Bool { inverse?.isToMany ?? !isToMany }
}

extension AttributeDescription {
    fileprivate var isPlainText: Bool { type == .string && !isDerived && isPersistent }
}

/// The complete content of a file.
private struct FileDump: Equatable {
    let schema: [String]
    let rows: [String: [[SQLValue]]]

    init(_ path: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        schema = try connection.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") {
            $0.string(0)
        }
        let names = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.string(0) }
        var rows: [String: [[SQLValue]]] = [:]
        for name in names { rows[name] = try connection.rows("SELECT * FROM \(identifier: name)") { $0.values } }
        self.rows = rows
    }
    var hasHistory: Bool { rows["ACHANGE"] != nil }

    /// The names of the tables with other rows than in another dump.
    func tables(otherThan other: FileDump) -> [String] {
        rows.filter { other.rows[$0.key] != $0.value }.keys.sorted()
    }

    /// The number of a table's rows that another dump lacks.
    func added(to other: FileDump, _ table: String) -> Int {
        let known = Set(other.rows[table] ?? [])
        return (rows[table] ?? []).count { !known.contains($0) }
    }
}
