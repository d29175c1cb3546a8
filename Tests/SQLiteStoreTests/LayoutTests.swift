// SPDX-License-Identifier: Apache-2.0

// What a store's file looks like, by plain SQL.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("The layout of a SQLite store")
struct LayoutTests {
    @Test("is the one that Core Data gives its own")
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

    @Test("has rows, pairs and places as Core Data writes them")
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

    @Test("keeps what a store has that isn't known", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
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
                let id = try coordinator.withContext { context -> ManagedObjectID? in
                    for entity in store.model.entities where !entity.isAbstract {
                        guard let object = try context.fetch(FetchRequest<ManagedObject>(entity.name)).first,
                            let attribute = entity.attributes.first(where: {
                                $0.type == .string && !$0.isDerived && $0.isPersistent
                            })
                        else { continue }
                        try object.setValue("changed here", forKey: attribute.name)
                        return (try? context.save()).map { object.objectID }
                    }
                    return nil
                }
                guard let id else { return }
                let after = try FileDump(path)
                #expect(after.schema == before.schema)
                let changed = after.rows.filter { before.rows[$0.key] != $0.value }
                #expect(changed.keys.sorted() == ["Z\(store.model.entities[id.entity.rootIndex].name.uppercased())"])
                for (table, rows) in changed {
                    let old = before.rows[table] ?? []
                    #expect(rows.count == old.count && zip(rows, old).count { $0 != $1 } == 1, "\(table)")
                }
            }
        }
    }
}

/// All that a file has.
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
}
