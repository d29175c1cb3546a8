// SPDX-License-Identifier: Apache-2.0

// Virtual tables in stores of applications, which the applications' triggers maintain.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Virtual tables of applications")
struct VirtualTablesOfAppsTests {
    private static let model = Model {
        Entity("Asset") {
            Attribute("title", .string).optional()
            Attribute("latitude", .double).optional()
        }
    }

    /// An R-tree index as Core Data creates it, and an application's full-text search.
    private static let tables = """
        CREATE VIRTUAL TABLE Z_RT_Asset_bounds USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT);
        CREATE TRIGGER Z_RT_Asset_bounds_INSERT AFTER INSERT ON ZASSET FOR EACH ROW BEGIN \
        INSERT OR REPLACE INTO Z_RT_Asset_bounds VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE); END;
        CREATE TRIGGER Z_RT_Asset_bounds_UPDATE AFTER UPDATE ON ZASSET FOR EACH ROW BEGIN \
        DELETE FROM Z_RT_Asset_bounds WHERE Z_PK = NEW.Z_PK; \
        INSERT INTO Z_RT_Asset_bounds VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE); END;
        CREATE TRIGGER Z_RT_Asset_bounds_DELETE AFTER DELETE ON ZASSET FOR EACH ROW BEGIN \
        DELETE FROM Z_RT_Asset_bounds WHERE Z_PK = OLD.Z_PK; END;
        CREATE VIRTUAL TABLE search USING fts4 (title);
        CREATE TRIGGER search_insert AFTER INSERT ON ZASSET BEGIN \
        INSERT INTO search (docid, title) VALUES (NEW.Z_PK, NEW.ZTITLE); END;
        """

    @Test("virtual tables are maintained by saves, batches and rehearsals")
    func kept() throws {
        try StoreCopy.inFolder { folder in
            let path = folder + "/Assets.sqlite"
            let model = try ManagedObjectModel(Self.model)
            _ = try SQLiteStore(path: path, model: model)
            let plain = try Connection(path: path)
            try plain.executeScript(Self.tables)
            func bounds() throws -> [Double] {
                try plain.rows("SELECT ZLATITUDE_MIN FROM Z_RT_Asset_bounds ORDER BY Z_PK") { $0.double(0) }
            }
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: path, model: model))
            func each(_ body: @Sendable (ManagedObjectContext, [ManagedObject]) throws -> Void) throws {
                try coordinator.withContext { context in
                    var request = FetchRequest<ManagedObject>("Asset")
                    request.sortDescriptors = [ObjectSortDescriptor("title")]
                    try body(context, try context.fetch(request))
                    try context.save()
                }
            }
            try each { context, _ in
                for (title, latitude) in [("a", 1.0), ("b", 2), ("c", 3)] {
                    let asset = try context.insert("Asset")
                    try asset.setValue(.string(title), forKey: "title")
                    try asset.setValue(.double(latitude), forKey: "latitude")
                }
            }
            #expect(try bounds().sorted() == [1, 2, 3])
            #expect(try plain.first("SELECT COUNT(*) FROM search WHERE search MATCH 'b'") { $0.int64(0) } == 1)
            try each { context, assets in
                try assets[0].setValue(.double(9), forKey: "latitude")
                _ = try context.rehearseSave()
            }
            #expect(try bounds().sorted() == [2, 3, 9])
            try each { context, assets in context.delete(assets[1]) }
            #expect(try bounds().sorted() == [3, 9])
            try coordinator.withContext { context in
                var update = BatchUpdateRequest("Asset")
                update.propertiesToUpdate = ["latitude": .constant(.double(5))]
                _ = try context.execute(update)
            }
            #expect(try bounds() == [5, 5])
            try coordinator.withContext { context in
                _ = try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Asset")))
            }
            #expect(try bounds() == [])
        }
    }
}
