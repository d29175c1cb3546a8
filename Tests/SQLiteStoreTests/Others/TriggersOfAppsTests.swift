// SPDX-License-Identifier: Apache-2.0

// Derived values in stores of applications that have triggers for them.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Triggers of applications")
struct TriggersOfAppsTests {
    private static let model = Model {
        Entity("Book") {
            Attribute("title", .string).optional()
            Attribute("pagesCount", .int64).optional().derived("pages.@count")
            /// Not derived by any model, but set by a trigger.
            Attribute("shelf", .int64).optional()
            Relationship("pages", toMany: "Page", inverse: "book", deleteRule: .cascade)
        }
        Entity("Page") {
            Attribute("text", .string).optional()
            Relationship("book", toOne: "Book", inverse: "pages").optional()
        }
    }

    /// Triggers that update the count when pages are inserted, deleted and moved, and that set a book's shelf
    /// when a page gets another text.
    private static let triggers: [SQL] = {
        let told: SQL =
            "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT)"
        return [
            """
            CREATE TRIGGER Z_DA_ZPAGE_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW WHEN (NEW.ZBOOK NOT NULL) BEGIN \
            UPDATE ZBOOK SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) + 1 WHERE Z_PK = NEW.ZBOOK; \
            \(told) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
            """,
            """
            CREATE TRIGGER Z_DA_ZPAGE_INCREMENT AFTER UPDATE OF ZBOOK ON ZPAGE FOR EACH ROW WHEN (NEW.ZBOOK NOT NULL) BEGIN \
            UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT + 1 WHERE Z_PK = NEW.ZBOOK; \
            \(told) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
            """,
            """
            CREATE TRIGGER Z_DA_ZPAGE_DECREMENT AFTER UPDATE OF ZBOOK ON ZPAGE FOR EACH ROW WHEN (OLD.ZBOOK NOT NULL) BEGIN \
            UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = OLD.ZBOOK; \
            \(told) FROM ZBOOK WHERE Z_PK = OLD.ZBOOK; END
            """,
            """
            CREATE TRIGGER Z_DA_ZPAGE_DELETE AFTER DELETE ON ZPAGE FOR EACH ROW WHEN (OLD.ZBOOK NOT NULL) BEGIN \
            UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = OLD.ZBOOK; \
            \(told) FROM ZBOOK WHERE Z_PK = OLD.ZBOOK; END
            """,
            """
            CREATE TRIGGER ZT_ZPAGE_SHELF AFTER UPDATE OF ZTEXT ON ZPAGE FOR EACH ROW BEGIN \
            UPDATE ZBOOK SET ZSHELF = IFNULL(ZSHELF, 0) + 1 WHERE Z_PK = NEW.ZBOOK; \
            SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'shelf', ZSHELF) \
            FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
            """,
        ]
    }()

    private struct World {
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        let books: [ManagedObjectID]

        func change<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
            try coordinator.withContext { context in
                let result = try body(context)
                try context.save()
                return result
            }
        }

        /// The values in contexts and in the file, which must be the same.
        func values(_ name: String, _ column: SQL) throws -> [Value] {
            let shown = try coordinator.withContext { context in
                try books.map { try context.object(with: $0).value(forKey: name) }
            }
            let stored = try store.database.read { connection in
                try connection.rows("SELECT \(column) FROM ZBOOK ORDER BY Z_PK") { row in
                    row.isNull(0) ? Value.null : .integer(row.int64(0))
                }
            }
            #expect(shown == stored)
            return shown
        }

        func counts() throws -> [Value] { try values("pagesCount", "ZPAGESCOUNT") }
    }

    private func withWorld(_ body: (World) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let model = try ManagedObjectModel(Self.model)
            let store = try SQLiteStore(path: folder + "/Books.sqlite", model: model)
            try store.database.write { connection in
                for trigger in Self.triggers { try connection.execute(trigger) }
            }
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let books = try coordinator.withContext { context in
                let books = try (0..<2).map { _ in try context.insert("Book") }
                for (book, count) in zip(books, [3, 1]) {
                    for _ in 0..<count { try context.insert("Page").relate("book", book) }
                }
                try context.save()
                return books.map(\.objectID)
            }
            let world = World(store: store, coordinator: coordinator, books: books.sorted { "\($0)" < "\($1)" })
            #expect(try world.counts() == [3, 1])
            try body(world)
        }
    }

    @Test("contexts with a cached row read the value that a trigger has set")
    func cached() throws {
        try withWorld { world in
            try world.change { context in
                try context.insert("Page").relate("book", context.object(with: world.books[1]))
            }
            #expect(try world.counts() == [3, 2])
        }
    }

    @Test("triggers and derivation agree when pages are deleted, inserted and moved in one save")
    func together() throws {
        try withWorld { world in
            try world.change { context in
                let (one, other) = (context.object(with: world.books[0]), context.object(with: world.books[1]))
                let pages = try one.pages
                context.delete(pages[0])
                try one.setValue("Changed", forKey: "title")
                try pages[1].relate("book", other)
                let moved = try #require(try other.pages.first { $0 !== pages[1] })
                try moved.relate("book", one)
                for _ in 0..<3 { try context.insert("Page").relate("book", one) }
            }
            #expect(try world.counts() == [5, 1])
        }
    }

    @Test("triggers may set values that no model derives")
    func plain() throws {
        try withWorld { world in
            #expect(try world.values("shelf", "ZSHELF") == [.null, .null])
            try world.change { context in
                for page in try context.object(with: world.books[0]).pages {
                    try page.setValue("text", forKey: "text")
                }
            }
            #expect(try world.values("shelf", "ZSHELF") == [3, .null])
        }
    }

    @Test("contexts see values that triggers have set during batches")
    func batches() throws {
        try withWorld { world in
            try world.coordinator.withContext { context in
                var update = BatchUpdateRequest("Page")
                update.propertiesToUpdate = ["text": .constant("text")]
                _ = try context.execute(update)
            }
            #expect(try world.values("shelf", "ZSHELF") == [3, 1])
            try world.coordinator.withContext { context in
                let request = FetchRequest<ManagedObject>("Page")
                _ = try context.execute(BatchDeleteRequest(request))
            }
            #expect(try world.counts() == [0, 0])
        }
    }

    @Test("changes by triggers are notified without property names, because these are unknown")
    func told() throws {
        try withWorld { world in
            let family = ContextFamily(world.coordinator)
            let notices = Mutex<[MergeNotice]>([])
            _ = try family.watch(family.root) { notice in notices.withLock { $0.append(notice) } }
            try world.coordinator.withContext { context in
                var update = BatchUpdateRequest("Page")
                update.propertiesToUpdate = ["text": .constant("text")]
                _ = try context.execute(update)
            }
            try world.change { context in
                for page in try context.object(with: world.books[0]).pages {
                    try page.setValue("other", forKey: "text")
                }
            }
            try family.perform(in: family.root) { _ in }
            let told = notices.withLock { $0 }
            #expect(told.count == 2)
            for notice in told {
                #expect(notice.isIncomplete)
                let properties = Dictionary(uniqueKeysWithValues: notice.updated.map { ($0.objectID, $0.properties) })
                #expect(properties[world.books[0]] == [])
                #expect(Set(properties.filter { $0.key.entity.name == "Page" }.values) == [["text"]])
            }
        }
    }
}

extension ManagedObject {
    fileprivate var pages: [ManagedObject] {
        get throws { try entity.relationship(named: "pages").map { try objects(of: $0) } ?? [] }
    }
}
