// SPDX-License-Identifier: Apache-2.0

// The full-text index of a store's file: how it is asked, and how it stays as the rows are.

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

        /// Throws where the index isn't sound in itself, by its own check.
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

    @Test("is asked by one statement, which has the predicate, the order and the window with it")
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

    @Test("gives the same as looking at all rows does")
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
                // Whoever may write indexes what was noted, first of all.
                #expect(try world.titles(query) == indexed)
                #expect(try reader.usesIndex)
            }
        }
    }

    @Test("is written with saves and batches, and not without them")
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
                // What isn't saved isn't found, and what can't be saved leaves nothing.
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

    @Test("has what other programs write, when somebody searches next")
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

    @Test("isn't waited for by a search while another program goes on writing")
    func lockedByOthers() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            try world.other("INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (50, 1, 1, 'alpha new')")
            let other = try Connection(path: world.store.path)
            try other.execute("BEGIN EXCLUSIVE")
            let limits = WorkLimits(deadline: .now + .seconds(3))
            #expect(try limits.hold { try world.titles("alpha") } == ["alpha", "alpha new"])
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "1")
            try other.execute("ROLLBACK")
            #expect(try world.titles("alpha") == ["alpha", "alpha new"])
            #expect(try world.first("SELECT count(*) FROM OUTCROPSEARCH_DIRTY") == "0")
        }
    }

    @Test("a state that is held is searched as it was")
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

    @Test("is made anew when the model marks something else, removed when it marks nothing")
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

    @Test("is made anew where a migration of an app's has removed its triggers")
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

    @Test("that another program has removed meanwhile fails nobody's save or search")
    func removed() throws {
        try withWorld { world in
            try world.insert("Post", ["title": "alpha"])
            _ = try World(world.store.path, Self.model(isMarked: false))
            try world.insert("Post", ["title": "alpha too"])
            #expect(try world.titles("alpha") == ["alpha", "alpha too"])
        }
    }

    @Test("that isn't as the rows are is found by a check, and repaired")
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

    @Test("goes with a backup")
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

    @Test("is made in one transaction: of one that ends before it is done nothing is left")
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
                    try SearchIndexState(connection, indexes).settle(connection)
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
