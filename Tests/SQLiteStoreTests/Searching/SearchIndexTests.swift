// SPDX-License-Identifier: Apache-2.0

// The full-text index of a store's file: its queries, and its agreement with the rows.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The full-text index")
struct SearchIndexTests {
    private static func model(isMarked: Bool = true, marksBody: Bool = false) -> Model {
        Model {
            Entity("Post") {
                Attribute("title", .string).optional().marked(isMarked)
                Attribute("body", .string).optional().marked(marksBody)
                Attribute("views", .int64).optional()
            }
            Entity("Draft", parent: "Post") {
                Attribute("loud", .string).optional().derived("uppercase:(body)").marked(isMarked)
            }
            Entity("Tag") { Attribute("name", .string).optional() }
        }
    }

    private struct World {
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator

        init(_ path: String, _ model: Model, isReadOnly: Bool = false) throws {
            let model = try ManagedObjectModel(model)
            var options = SQLiteStoreOptions()
            options.isReadOnly = isReadOnly
            // Longer than any limit of a test.
            options.busyTimeout = .seconds(3_600)
            store = try SQLiteStore(path: path, model: model, options: options)
            coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
        }

        func insert(_ entity: String = "Post", _ values: [String: Value]...) throws {
            try coordinator.execute(BatchInsertRequest(entity, rows: values))
        }

        func request(_ text: String, _ entity: String = "Post") throws -> FetchRequest<ManagedObject> {
            var request = FetchRequest<ManagedObject>(entity)
            request.search = try Search(text)
            return request
        }

        func titles(_ text: String) throws -> [String] {
            try coordinator.read { reader in
                try reader.snapshots(request(text)).map { row in
                    if case .string(let title) = row.row.attributes[0] { title } else { "" }
                }
            }
        }

        func other(_ statements: SQL...) throws {
            let connection = try Connection(path: store.path)
            for statement in statements { try connection.execute(statement) }
        }

        func first(_ query: SQL) throws -> String? {
            try Connection(path: store.path, access: .readOnly).first(query) { $0.string(0) }
        }

        /// Throws if the index fails its own integrity check.
        func checkIndex() throws {
            try other("INSERT INTO OUTCROPSEARCH_ZPOST_TEXTS (OUTCROPSEARCH_ZPOST_TEXTS) VALUES ('integrity-check')")
        }

        var usesIndex: Bool {
            get throws {
                let explained = try #require(try coordinator.explain(request("alpha")).first)
                return explained.statement?.contains("MATCH") == true
            }
        }
    }

    private func withWorld(_ model: Model = model(), _ body: (World) throws -> Void) throws {
        try Checkout.withFolder { folder in try body(World(folder + "/Posts.sqlite", model)) }
    }

    @Test("a search is one statement with predicate, order and window")
    func statement() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha beta"], ["title": "alpha"])
            var request = try world.request("alpha \"b c\"* OR é")
            request.predicate = try ObjectPredicate("views > 3")
            request.fetchLimit = 5
            let explained = try #require(try world.coordinator.explain(request).first)
            #expect(
                explained.statement == """
                    SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZVIEWS, t0.ZBODY, t0.ZTITLE, t0.ZLOUD \
                    FROM OUTCROPSEARCH_ZPOST_TEXTS AS s CROSS JOIN ZPOST AS t0 ON t0.Z_PK = s.rowid \
                    WHERE s.OUTCROPSEARCH_ZPOST_TEXTS MATCH ? AND t0.ZVIEWS > ? \
                    ORDER BY outcrop_score(?, s.ZTITLE, s.ZLOUD) DESC, t0.Z_PK LIMIT ?
                    """
            )
            #expect(
                explained.bindings == [
                    "((\"alpha\" AND \"b c\" *) OR \"e\")", 3, "2 3 2 0 0\nalpha \"b c\"* OR é", 5,
                ]
            )
            #expect(explained.usesIndex)
            request.sortDescriptors = [ObjectSortDescriptor("views")]
            #expect(
                try world.coordinator.explain(request, for: .objectIDs).first?.statement == """
                    SELECT t0.Z_PK, t0.Z_ENT \
                    FROM OUTCROPSEARCH_ZPOST_TEXTS AS s CROSS JOIN ZPOST AS t0 ON t0.Z_PK = s.rowid \
                    WHERE s.OUTCROPSEARCH_ZPOST_TEXTS MATCH ? AND t0.ZVIEWS > ? ORDER BY t0.ZVIEWS, t0.Z_PK LIMIT ?
                    """
            )
            let count = try world.coordinator.read { [request] reader in try reader.count(request) }
            #expect(count == 0)
        }
    }

    @Test("a search by the index gives the same results as scanning all rows")
    func scanning() throws {
        try withWorld { world in
            let texts = ["alpha", "alpha beta", "Alphabet", "beta", "été alpha", "beta beta alpha gamma"]
            try world.insert("Post", ["title": "x"])
            for text in texts { try world.insert("Draft", ["title": .string(text), "body": .string("\(text) alpha")]) }
            for query in ["alpha", "alph*", "beta OR ete", "alpha NOT beta", "\"alpha beta\""] {
                let indexed = try world.titles(query)
                try world.other("INSERT INTO OUTCROPSEARCH_DIRTY VALUES (1, 1)")
                let reader = try World(world.store.path, Self.model(), isReadOnly: true)
                #expect(try !reader.usesIndex)
                #expect(try reader.titles(query) == indexed)
                #expect(!indexed.isEmpty)
                // The next writer first indexes the recorded rows.
                #expect(try world.titles(query) == indexed)
                #expect(try reader.usesIndex)
            }
        }
    }

    @Test("the index is updated by saves and batches, and not by unsaved changes")
    func writing() throws {
        try withWorld { world in
            try world.insert("Draft", ["title": "one", "body": "loud"], ["title": "two", "body": "quiet"])
            #expect(try world.titles("loud") == ["one"])
            var update = BatchUpdateRequest("Draft", predicate: try ObjectPredicate("title == 'two'"))
            update.propertiesToUpdate = ["body": .constant("loud too")]
            try world.coordinator.execute(update)
            #expect(try Set(world.titles("loud")) == ["one", "two"])
            try world.coordinator.withContext { context in
                for draft in try context.fetch(world.request("too", "Draft")) {
                    try draft.setValue("zwei", forKey: "title")
                }
                try context.save()
                #expect(try world.titles("zwei") == ["zwei"])
                for draft in try context.fetch(world.request("zwei", "Draft")) { context.delete(draft) }
                // Unsaved changes aren't found, and a failed save leaves nothing in the index.
                #expect(try world.titles("zwei") == ["zwei"])
                try context.save()
            }
            #expect(try world.titles("zwei") == [])
            try world.checkIndex()
            try world.coordinator.execute(BatchDeleteRequest(try world.request("one")))
            #expect(
                try world.first("SELECT count(*) || ' ' || sum(OBJECTS) || ' ' || sum(WORDS) FROM OUTCROPSEARCH")
                    == "1 0 0"
            )
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_ZPOST_TEXTS_content") == "0")
            #expect(try world.store.check() == [])
            try world.checkIndex()
        }
    }

    @Test("the index includes other programs' changes at the next search")
    func others() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"], ["title": "beta"])
            try world.other(
                "INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (50, 1, 1, 'alpha new')",
                "UPDATE ZPOST SET ZTITLE = 'gamma' WHERE ZTITLE = 'beta'",
                "INSERT OR REPLACE INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (50, 1, 1, 'alpha newer')"
            )
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "2")
            #expect(try world.titles("alpha") == ["alpha", "alpha newer"])
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "0")
            #expect(try world.usesIndex)
            #expect(try world.titles("gamma") == ["gamma"])
            #expect(try world.titles("beta") == [])
            try world.other("DELETE FROM ZPOST WHERE ZTITLE = 'alpha'")
            #expect(try world.titles("alpha") == ["alpha newer"])
            #expect(try !world.store.check().contains { $0.code == .searchIndex })
            try world.checkIndex()
        }
    }

    @Test("a search doesn't wait for another program's write lock to update the index")
    func lockedByOthers() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            try world.other("INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (50, 1, 1, 'alpha new')")
            let other = try Connection(path: world.store.path)
            try other.execute("BEGIN EXCLUSIVE")
            let limits = WorkLimits(deadline: .now + .seconds(60))
            #expect(try limits.hold { try world.titles("alpha") } == ["alpha", "alpha new"])
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "1")
            try other.execute("ROLLBACK")
            #expect(try world.titles("alpha") == ["alpha", "alpha new"])
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "0")
        }
    }

    @Test("a pinned read searches its own state")
    func generations() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            try world.other("INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (50, 1, 1, 'alpha new')")
            let found = try world.coordinator.read(pinned: true) { reader in
                let request = try world.request("alpha")
                let before = try reader.count(request)
                try world.insert("Post", ["title": "alpha newest"])
                return [before, try reader.count(request), try reader.snapshots(request).count]
            }
            #expect(found == [2, 2, 2])
            #expect(try world.titles("alpha").count == 3)
        }
    }

    @Test("the index is recreated when the model's searchable attributes change, and removed without any")
    func marks() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Posts.sqlite"
            do {
                let world = try World(path, Self.model(isMarked: false))
                try world.insert("Post", ["title": "alpha", "body": "hidden"])
                #expect(try world.first("SELECT count(*) FROM sqlite_master WHERE name LIKE 'OUTCROP%'") == "0")
            }
            do {
                let world = try World(path, Self.model())
                #expect(try world.usesIndex)
                #expect(try (world.titles("alpha"), world.titles("hidden")) == (["alpha"], []))
            }
            do {
                let reader = try World(path, Self.model(marksBody: true), isReadOnly: true)
                #expect(try !reader.usesIndex)
                #expect(try reader.titles("hidden") == ["alpha"])
                let world = try World(path, Self.model(marksBody: true))
                #expect(try world.usesIndex)
                #expect(try world.titles("hidden") == ["alpha"])
                #expect(try world.store.check() == [])
            }
            let world = try World(path, Self.model(isMarked: false))
            #expect(try world.first("SELECT count(*) FROM sqlite_master WHERE name LIKE 'OUTCROP%'") == "0")
            try world.insert("Post", ["title": "beta"])
        }
    }

    @Test("the index is recreated after an application's migration has removed its triggers")
    func lostTriggers() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Posts.sqlite"
            do {
                let world = try World(path, Self.model())
                try world.insert("Post", ["title": "alpha"])
                try world.other("DROP TRIGGER OUTCROPSEARCH_ZPOST_UPDATE", "UPDATE ZPOST SET ZTITLE = 'beta'")
            }
            #expect(try World(path, Self.model()).titles("beta") == ["beta"])
        }
    }

    @Test("saves and searches work after another program has removed the index")
    func removed() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            _ = try World(world.store.path, Self.model(isMarked: false))
            try world.insert("Post", ["title": "alpha too"])
            #expect(try world.titles("alpha") == ["alpha", "alpha too"])
        }
    }

    @Test("the check finds an index that disagrees with the rows, and the repair fixes it")
    func checking() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"], ["title": "beta"], ["title": "gamma"])
            try world.other(
                "DELETE FROM OUTCROPSEARCH_ZPOST_TEXTS WHERE rowid = 2",
                "INSERT INTO OUTCROPSEARCH_ZPOST_TEXTS (rowid, ZTITLE) VALUES (99, 'nobody')"
            )
            let findings = try world.store.check()
            #expect(findings.map(\.code) == [.searchIndex])
            #expect(findings.first?.count == 2)
            #expect(findings.first?.keys == [2, 99])
            #expect(try world.titles("beta") == [])
            #expect(try world.store.repair().remaining == [])
            #expect(try world.titles("beta") == ["beta"])
            try world.other("UPDATE OUTCROPSEARCH SET WORDS = 7")
            #expect(try world.store.check().map(\.code) == [.searchIndex])
            #expect(try world.store.repair().remaining == [])
            #expect(try world.store.check() == [])
            try world.checkIndex()
        }
    }

    @Test("a backup contains the index")
    func backup() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            try Checkout.withFolder { folder in
                try world.store.backUp(to: folder + "/Copy.sqlite")
                let copy = try World(folder + "/Copy.sqlite", Self.model(), isReadOnly: true)
                #expect(try copy.usesIndex)
                #expect(try copy.titles("alpha") == ["alpha"])
            }
        }
    }

    @Test("the index is created in one transaction, and an interrupted one leaves nothing")
    func interrupted() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Posts.sqlite"
            do { try World(path, Self.model(isMarked: false)).insert("Post", ["title": "alpha"]) }
            let model = try ManagedObjectModel(Self.model())
            let indexes = StoreSchema(model, EntityNumbers(model, where: { _ in true })).searchIndexes
            let connection = try Connection(path: path)
            struct Killed: Error {}
            #expect(throws: Killed.self) {
                try connection.transaction(.immediate) {
                    try SearchIndexState(connection, indexes).update(connection)
                    throw Killed()
                }
            }
            #expect(try !connection.tableExists(SearchIndex.registry))
            #expect(try World(path, Self.model()).titles("alpha") == ["alpha"])
        }
    }
}

extension Attribute {
    fileprivate func marked(_ isMarked: Bool) -> Attribute { isMarked ? searchIndexed() : self }
}
