// SPDX-License-Identifier: Apache-2.0

// Other programs that write to a store's file, here through separate connections.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Changes by other programs")
struct OtherProgramsTests {
    private struct World: Sendable {
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        let note: ManagedObjectID

        /// Runs a closure with the other program's connection.
        func other<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            try body(Connection(path: store.path))
        }

        func body(of objectID: ManagedObjectID) throws -> Value {
            try coordinator.withContext { try $0.object(with: objectID).value(forKey: "body") }
        }

        func notes(in context: ManagedObjectContext) throws -> Int? {
            guard let folder = try context.fetch(FetchRequest<ManagedObject>("Folder")).first,
                let notes = folder.entity.relationship(named: "notes")
            else { return nil }
            return try folder.objects(of: notes).count
        }

        func setBody(_ body: String) throws {
            try coordinator.withContext { context in
                try context.object(with: note).setValue(.string(body), forKey: "body")
                try context.save()
            }
        }
    }

    private static let model = Model {
        Entity("Note") {
            Attribute("body", .string).optional()
            Relationship("folder", toOne: "Folder", inverse: "notes").optional()
        }
        Entity("Folder") {
            Attribute("name", .string).optional()
            Relationship("notes", toMany: "Note", inverse: "folder")
        }
    }

    /// A store with a note in a folder.
    private func withWorld(
        _ interval: Duration?,
        _ change: (inout SQLiteStoreOptions) -> Void = { _ in },
        _ body: (World) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var options = SQLiteStoreOptions()
        options.watchInterval = interval
        change(&options)
        let model = try ManagedObjectModel(Self.model)
        let store = try SQLiteStore(path: folder.path + "/Notes.sqlite", model: model, options: options)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        let note = try coordinator.withContext { context in
            let note = try context.insert("Note")
            try note.setValue("first", forKey: "body")
            try note.relate("folder", context.insert("Folder"))
            try context.save()
            return note.objectID
        }
        try await body(World(store: store, coordinator: coordinator, note: note))
        withExtendedLifetime(folder) {}
    }

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private final class Lists: Sendable {
        private let lists = Mutex<[[Value]]>([])
        var last: [Value]? { lists.withLock { $0.last } }
        func add(_ list: [Value]) { lists.withLock { $0.append(list) } }
    }

    /// Waits until a condition holds, which the store may take a moment to notice.
    private func wait(until isThere: () async throws -> Bool) async throws -> Bool {
        // A count instead of a timeout: other tests may leave this one no thread for a while.
        for _ in 0..<4000 {
            if try await isThere() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test("another program's changes are noticed within the watch interval")
    func noticed() async throws {
        try await withWorld(.milliseconds(10)) { world in
            let told = Count()
            // The observer lives as long as the coordinator, so it must not retain it.
            _ = world.coordinator.observe { [identifier = world.store.identifier] notification in
                if case .othersDidChange(identifier) = notification { told.add() }
            }
            #expect(try world.body(of: world.note) == "first")
            try world.other { try $0.execute("UPDATE ZNOTE SET ZBODY = 'second', Z_OPT = Z_OPT + 1") }
            #expect(try await wait { told.value == 1 })
            #expect(try world.body(of: world.note) == "second")
            // The store's own saves are not reported.
            try world.setBody("third")
            try await Task.sleep(for: .milliseconds(100))
            #expect(told.value == 1)
        }
    }

    @Test(
        "live contexts merge another program's changes and keep their own pending ones"
    )
    func liveContexts() async throws {
        try await withWorld(.milliseconds(10)) { world in
            let live = world.coordinator.liveContext()
            let (kept, gone) = try world.coordinator.withContext { context -> (ManagedObjectID, ManagedObjectID) in
                let (kept, gone) = (try context.insert("Note"), try context.insert("Note"))
                for note in [kept, gone] { try note.setValue("other", forKey: "body") }
                try context.save()
                return (kept.objectID, gone.objectID)
            }
            let lists = Lists()
            try await live.perform { (context: ManagedObjectContext) throws in
                for objectID in [world.note, kept, gone] {
                    _ = try context.object(with: objectID).value(forKey: "body")
                }
                #expect(try world.notes(in: context) == 1)
                try context.object(with: kept).setValue("mine", forKey: "body")
                var request = FetchRequest<ManagedObject>("Note")
                request.sortDescriptors = [ObjectSortDescriptor("body")]
                let controller = try FetchedResultsController(request: request, context: context)
                controller.onChange = { [unowned controller] _ in
                    let bodies = controller.fetchedObjects.map { (try? $0.value(forKey: "body")) ?? .null }
                    lists.add(bodies)
                }
                try controller.performFetch()
            }
            let key = try #require(world.store.tables.key(of: gone))
            try world.other { other in
                try other.transaction {
                    try other.execute("UPDATE ZNOTE SET ZBODY = 'second', Z_OPT = Z_OPT + 1 WHERE ZBODY = 'first'")
                    try other.execute("UPDATE ZNOTE SET ZFOLDER = 1 WHERE ZBODY = 'other'")
                    try other.execute("DELETE FROM ZNOTE WHERE Z_PK = \(value: .integer(key))")
                    try other.execute(
                        "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZBODY) SELECT 99, Z_ENT, 1, 'new' FROM ZNOTE LIMIT 1"
                    )
                }
            }
            #expect(try await wait { lists.last?.contains("new") == true })
            #expect(lists.last == ["mine", "new", "second"])
            try await live.perform { (context: ManagedObjectContext) throws in
                #expect(try context.object(with: world.note).value(forKey: "body") == "second")
                #expect(context.registeredObject(for: gone)?.isDeleted ?? true)
                #expect(try world.notes(in: context) == 2)
            }
        }
    }

    @Test(
        "another program's change conflicts with a save once, until the objects are refreshed"
    )
    func conflicts() async throws {
        try await withWorld(nil) { world in
            #expect(try world.body(of: world.note) == "first")
            try world.other { try $0.execute("UPDATE ZNOTE SET ZBODY = 'second', Z_OPT = Z_OPT + 1") }
            try world.coordinator.withContext { context in
                let note = context.object(with: world.note)
                try note.setValue("mine", forKey: "body")
                #expect(throws: GraphError.self) { try context.save() }
                try context.refresh(note, mergingChanges: true)
                try context.save()
            }
            #expect(try world.other { try $0.first("SELECT ZBODY FROM ZNOTE") { $0.string(0) } } == "mine")
        }
    }

    @Test("a backup of a store that isn't open contains another program's transaction as a whole or not at all")
    func backup() async throws {
        try await withWorld(nil) { world in
            try world.other { other in
                try other.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZBODY) SELECT i, 1, 1, printf('%0100d', i) FROM n
                    """
                )
                try other.execute("CREATE INDEX byBody ON ZNOTE (ZBODY)")
                _ = try other.checkpoint(.truncate)
            }
            let rest = world.store.path + ".rest.sqlite"
            try FileManager.default.copyItem(atPath: world.store.path, toPath: rest)
            #expect(try StoreFileKind.isAtRest(rest))
            let reader = try Connection.ofStore(rest)
            var isFirst = true
            try reader.backUp(to: rest + ".copy", pagesPerStep: 10) { _ in
                guard isFirst else { return }
                isFirst = false
                let other = try Connection(path: rest)
                try other.execute("UPDATE ZNOTE SET ZBODY = printf('%0100d', -Z_PK)")
                _ = try other.checkpoint(.passive)
            }
            let copy = try Connection(path: rest + ".copy")
            #expect(try copy.integrityCheck() == [])
            #expect(try copy.first("SELECT count(*) FROM ZNOTE WHERE ZBODY LIKE '%-%'") { $0.int64(0) } == 0)
        }
    }

    @Test("reading a store that isn't open elsewhere leaves no files beside it")
    func leftovers() async throws {
        try await withWorld(nil) { world in
            try world.other { _ = try $0.checkpoint(.truncate) }
            try Checkout.withFolder { folder in
                let path = folder + "/Rest.sqlite"
                try FileManager.default.copyItem(atPath: world.store.path, toPath: path)
                let before = try FolderContent(of: path)
                var options = SQLiteStoreOptions()
                options.isReadOnly = true
                do {
                    let store = try SQLiteStore(path: path, options: options)
                    let coordinator = PersistentStoreCoordinator(model: store.model)
                    try coordinator.add(store)
                    #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Note")) } == 1)
                    #expect(throws: StoreError.self) { try store.setMetadata(store.metadata) }
                }
                _ = try StoreSummary(path: path)
                #expect(try SQLiteStore.checkFile(path).isEmpty)
                try SQLiteStore.backUp(path, to: folder + "/Copy.sqlite")
                try FileManager.default.removeItem(atPath: folder + "/Copy.sqlite")
                #expect(try FolderContent(of: path) == before)
                #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
            }
        }
    }

    @Test("virtual tables of unavailable modules don't prevent access to the rest")
    func virtualTables() throws {
        try Society.withStore { path in
            try Society.run(["CREATE VIRTUAL TABLE ZSEARCH USING fts5(text)"], on: path)
            var file = try Data(contentsOf: URL(filePath: path))
            let name = try #require(file.firstRange(of: Data("fts5(".utf8)))
            file.replaceSubrange(name, with: Data("here(".utf8))
            try file.write(to: URL(filePath: path))
            #expect(throws: SQLiteError.self) { try Society.run(["SELECT * FROM ZSEARCH"], on: path) }
            let store = try SQLiteStore(path: path)
            let coordinator = PersistentStoreCoordinator(model: store.model)
            try coordinator.add(store)
            try coordinator.withContext { context in
                try context.insert("Passport")
                try context.save()
            }
            #expect(try store.removeOrphanedFiles() == 0)
            try store.backUp(to: path + ".copy")
            let copy = try StoreSummary(path: path + ".copy")
            #expect(copy.entities.first { $0.name == "Passport" }?.objects == 2)
        }
    }

    @Test("metadata stay available after another program has hidden their table")
    func metadata() async throws {
        try await withWorld(nil) { world in
            var metadata = world.store.metadata
            metadata.values["app"] = "its own"
            try world.store.setMetadata(metadata)
            #expect(world.store.metadata.values["app"] == "its own")
            try world.other { try $0.execute("ALTER TABLE Z_METADATA RENAME TO Z_HIDDEN") }
            #expect(world.store.metadata.values["app"] == "its own")
        }
    }

    @Test("metadata are read and written under a key that another program has changed", arguments: [0, 2])
    func metadataKey(version: Int) async throws {
        try await withWorld(nil) { world in
            try world.other { try $0.execute("UPDATE Z_METADATA SET Z_VERSION = \(literal: .integer(Int64(version)))") }
            var metadata = world.store.metadata
            metadata.values["app"] = "its own"
            try world.store.setMetadata(metadata)
            #expect(world.store.metadata.values["app"] == "its own")
            #expect(try world.other { try $0.first("SELECT count(*) FROM Z_METADATA") { $0.int64(0) } } == 1)
        }
    }

    @Test("backups and checks don't wait for query generations, of which there may be many")
    func generations() async throws {
        try await withWorld(nil) { options in
            (options.generationLimit, options.busyTimeout) = (20, .milliseconds(50))
        } _: { world in
            let held = try (0..<20).map { _ in try world.store.currentGeneration() }
            try world.store.backUp(to: world.store.path + ".copy")
            #expect(try world.store.check().isEmpty)
            #expect(throws: StoreError.self) { try world.store.currentGeneration() }
            withExtendedLifetime(held) {}
        }
    }
}
