// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Files
import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Lost files of open stores")
struct LostFileTests {
    /// An open store of places. Its file is checked when the test requests it.
    private struct World {
        let folder: String
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        private let heard: Heard

        private final class Heard: Sendable {
            let words = Mutex<[String]>([])
        }

        init(_ folder: String, reopens: Bool = false) throws {
            self.folder = folder
            var options = SQLiteStoreOptions()
            options.watchInterval = nil
            options.reopensReplacedFile = reopens
            let model = try ManagedObjectModel(Society.model)
            store = try SQLiteStore(path: folder + "/Store.sqlite", model: model, options: options)
            coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let heard = Heard()
            store.onFileNotice = { notice in
                let word =
                    switch notice {
                    case .lost(let error): error.message
                    case .returned: "returned"
                    case .reopened: "reopened"
                    }
                heard.words.withLock { $0.append(word) }
            }
            self.heard = heard
        }

        @discardableResult
        func insert(_ title: String) throws -> ManagedObjectID {
            try coordinator.withContext { context in
                let place = try context.insert("Place")
                try place.setValue(.string(title), forKey: "title")
                try context.save()
                return place.objectID
            }
        }

        func setMetadata() throws {
            let metadata = store.metadata
            try store.setMetadata(metadata)
        }

        /// Inserts by a batch.
        func insertPassport() throws {
            let request = BatchInsertRequest("Passport", rows: [[:]])
            _ = try coordinator.execute(request)
        }

        func titles() throws -> [String] {
            try coordinator.withContext { context in
                let places = try context.fetch(FetchRequest<ManagedObject>("Place"))
                return try places.map { try $0.value(forKey: "title") }.map { "\($0)" }.sorted()
            }
        }

        /// The notices since the last call.
        func told() -> [String] {
            heard.words.withLock { words in
                defer { words = [] }
                return words
            }
        }

        func expectRefusal(_ comment: Comment? = nil, _ work: () throws -> Void) {
            let error = #expect(throws: GraphError.self, comment, performing: work)
            #expect(error?.code == .storeGone, comment)
            #expect((error?.underlying as? StoreError)?.code == .fileGone, comment)
        }
    }

    @Test("a store refuses to save after its file was deleted or moved, until it is back")
    func moved() throws {
        try Checkout.withFolder { folder in
            let world = try World(folder)
            try world.insert("Here")
            try world.store.checkPlace()
            let before = try world.titles()
            try FileSystem.rename(world.store.path, to: folder + "/Elsewhere.sqlite")
            refusesToSave(world)
            let titles = try world.titles()
            #expect(titles == before)
            try FileSystem.rename(folder + "/Elsewhere.sqlite", to: world.store.path)
            try world.store.checkPlace()
            try world.insert("Back")
            for _ in 0..<3 { world.store.watch.checkFileStatus() }
            #expect(world.told() == ["returned"])
            let after = try world.titles()
            #expect(after.count == before.count + 1)
            try FileSystem.remove(world.store.path)
            world.expectRefusal { try world.insert("Nowhere") }
        }
    }

    private func refusesToSave(_ world: World) {
        world.expectRefusal { try world.insert("Nowhere") }
        world.expectRefusal("a batch") { try world.insertPassport() }
        #expect(throws: StoreError.self) { try world.setMetadata() }
        #expect(throws: StoreError.self) { try world.store.checkPlace() }
        for _ in 0..<3 { world.store.watch.checkFileStatus() }
        #expect(world.told() == ["Nothing can be saved: the database was deleted or moved since it was opened."])
    }

    @Test("a store refuses to save after its log was deleted, and keeps the earlier saves")
    func log() throws {
        try Checkout.withFolder { folder in
            let path: String
            do {
                let world = try World(folder)
                path = world.store.path
                try world.insert("Here")
                try FileSystem.remove(path + "-wal")
                world.expectRefusal { try world.insert("Nowhere") }
                world.store.watch.checkFileStatus()
                #expect(world.told() == [Self.logLoss])
            }
            #expect(try World(folder).titles().count == 1)
        }
    }

    /// Runs a shell command in a process of its own, in the folder of the store.
    private func shell(_ command: String, in folder: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command)")
    }

    private static let logLoss =
        "Nothing can be saved: the log of the database, or the log's index, was deleted or replaced."

    private static let overwriting =
        "Nothing can be saved: the file of the database was overwritten by something other than SQLite."

    @Test("a store refuses to save after its log index was deleted, and keeps the earlier saves")
    func index() throws {
        try Checkout.withFolder { folder in
            do {
                let world = try World(folder)
                try world.insert("Here")
                try FileSystem.remove(world.store.path + "-shm")
                world.expectRefusal { try world.insert("Nowhere") }
                #expect(throws: StoreError.self) { try world.store.checkPlace() }
                world.store.watch.checkFileStatus()
                #expect(world.told() == [Self.logLoss])
                #expect(throws: SQLiteError.self) { try world.store.database.emptyLog() }
            }
            let world = try World(folder)
            #expect(try world.store.check() == [])
            #expect(try world.titles() == ["string(\"Here\")"])
        }
    }

    @Test(
        "a log that another program restarted with its own index is left unchanged",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3"))
    )
    func otherIndex() throws {
        try Checkout.withFolder { folder in
            do {
                let world = try World(folder)
                for title in ["A", "B", "C"] { try world.insert(title) }
                try FileSystem.remove(world.store.path + "-shm")
                let sql = "PRAGMA wal_checkpoint(truncate); CREATE TABLE other (a); INSERT INTO other VALUES (1);"
                try shell("sqlite3 Store.sqlite '\(sql)'", in: folder)
                world.expectRefusal { try world.insert("Nowhere") }
                world.store.watch.checkFileStatus()
                #expect(world.told() == [Self.logLoss])
            }
            let world = try World(folder)
            #expect(try world.store.check() == [])
            #expect(try world.titles().count == 3)
            #expect(try world.store.database.read { try $0.first("SELECT a FROM other") { $0.int64(0) } } == 1)
        }
    }

    @Test("a store refuses to save into a file that was emptied")
    func emptied() throws {
        try Checkout.withFolder { folder in
            let world = try World(folder)
            try world.insert("Here")
            try shell(": > Store.sqlite", in: folder)
            world.expectRefusal { try world.insert("Nowhere") }
            world.store.watch.checkFileStatus()
            #expect(world.told() == [Self.overwriting])
        }
    }

    @Test(
        "a store refuses to save after a backup was copied over its file, and leaves the file unchanged",
        arguments: [false, true]
    )
    func overwritten(hasLog: Bool) throws {
        try Checkout.withFolder { folder in
            do {
                let world = try World(folder)
                try world.insert("Before")
                #expect(try world.store.database.emptyLog())
                try shell("cp Store.sqlite Copy.sqlite", in: folder)
                for title in 0..<200 { try world.insert("After \(title)") }
                if !hasLog { #expect(try world.store.database.emptyLog()) }
                try world.store.checkPlace()
                try shell("cp Copy.sqlite Store.sqlite", in: folder)
                world.expectRefusal { try world.insert("Nowhere") }
                world.expectRefusal { try world.insert("Still nowhere") }
                #expect(throws: StoreError.self) { try world.store.checkPlace() }
                world.store.watch.checkFileStatus()
                #expect(world.told() == [Self.overwriting])
                #expect(throws: SQLiteError.self) { try world.store.database.emptyLog() }
            }
            if hasLog { return }
            let world = try World(folder)
            #expect(try world.store.check() == [])
            #expect(try world.titles().count == 1)
        }
    }

    @Test("a store keeps its log after its file's time has changed, which may mean an overwritten file")
    func touched() throws {
        try Checkout.withFolder { folder in
            do {
                let world = try World(folder)
                try world.insert("Here")
                try shell("touch Store.sqlite", in: folder)
                world.expectRefusal { try world.insert("Nowhere") }
            }
            #expect(try World(folder).titles().count == 1)
        }
    }

    @Test("saving continues while another program writes, checkpoints and shrinks the file")
    func others() throws {
        try Checkout.withFolder { folder in
            let world = try World(folder)
            var count = 0
            func save() throws {
                for _ in 0..<3 {
                    try world.insert("Place \(count)")
                    count += 1
                }
                world.store.watch.checkFileStatus()
                try world.store.checkPlace()
            }
            try save()
            let other = try Connection(path: world.store.path)
            try other.execute("CREATE TABLE other (a)")
            try save()
            for _ in 0..<20 {
                try other.execute("INSERT INTO other VALUES (randomblob(100000))")
                try save()
            }
            for mode in [CheckpointMode.passive, .full, .restart, .truncate] {
                try other.checkpoint(mode)
                try save()
            }
            for sql: SQL in ["DELETE FROM other", "VACUUM", "PRAGMA user_version = 7"] {
                try other.execute(sql)
                try save()
                try other.checkpoint(.truncate)
                try save()
            }
            #expect(try world.store.database.emptyLog())
            try save()
            #expect(world.told() == [])
            #expect(try world.titles().count == count)
        }
    }

    @Test("a store refuses to save over a file that replaced its own, and leaves that file unchanged")
    func replaced() throws {
        try Checkout.withFolder { folder in
            let path: String
            do {
                let world = try World(folder)
                path = world.store.path
                try world.insert("Before")
                try world.store.backUp(to: folder + "/Copy.sqlite")
                try world.insert("After")
                try FileSystem.rename(folder + "/Copy.sqlite", to: path)
                world.expectRefusal { try world.insert("Nowhere") }
                world.store.watch.checkFileStatus()
                #expect(world.told() == ["Nothing can be saved: the file of the database was replaced."])
            }
            // The old log isn't applied to the new file.
            let world = try World(folder)
            #expect(try world.store.check() == [])
            #expect(try world.titles().count == 1)
        }
    }

    @Test("closing a store doesn't delete the log of a file that replaced its own")
    func closing() throws {
        try Checkout.withFolder { folder in
            var world: World? = try World(folder)
            let path = try #require(world?.store.path)
            try world?.insert("Before")
            try world?.store.backUp(to: folder + "/Copy.sqlite")
            for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
            try FileSystem.rename(folder + "/Copy.sqlite", to: path)
            let other = try World(folder)
            try other.insert("Other")
            let files = ["", "-wal", "-shm"].map { FileSystem.identity(of: path + $0) }
            world = nil
            #expect(files == ["", "-wal", "-shm"].map { FileSystem.identity(of: path + $0) })
            try other.insert("Another")
            #expect(try other.titles().count == 3)
        }
    }

    @Test("a store reopens with a replacing backup if configured, and later saves are kept")
    func reopened() throws {
        try Checkout.withFolder { folder in
            do {
                let world = try World(folder, reopens: true)
                let first = try world.insert("Before")
                try world.store.backUp(to: folder + "/Copy.sqlite")
                let second = try world.insert("After")
                let generation = try world.store.currentGeneration()
                #expect(try world.titles().count == 2)
                try FileSystem.rename(folder + "/Copy.sqlite", to: world.store.path)
                world.expectRefusal { try world.insert("Nowhere") }
                // A file that is still being copied changes between checks.
                world.store.watch.checkFileStatus()
                #expect(world.told() == [])
                world.store.watch.checkFileStatus()
                #expect(world.told() == ["reopened"])
                world.store.watch.checkFileStatus()
                #expect(world.told() == [])
                try world.store.checkPlace()
                #expect(try world.titles().count == 1)
                let third = try world.insert("Then")
                #expect(third != second && third != first)
                #expect(try world.titles().count == 2)
                // Values that were read before stay the same.
                #expect(try world.store.snapshots(of: [second], at: generation)[0] != nil)
                #expect(try world.store.snapshots(of: [second], at: nil)[0] == nil)
            }
            let world = try World(folder)
            #expect(try world.store.check() == [])
            #expect(try world.titles().count == 2)
        }
    }

    @Test("a replacing file of another store isn't opened, and the notice says why")
    func strangers() throws {
        try Checkout.withFolder { folder in
            let world = try World(folder, reopens: true)
            try world.insert("Before")
            try world.store.backUp(to: folder + "/Copy.sqlite")
            try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: false)
            do { _ = try World(folder + "/other") }
            try FileSystem.rename(folder + "/other/Store.sqlite", to: world.store.path)
            for _ in 0..<4 { world.store.watch.checkFileStatus() }
            let words = world.told()
            #expect(
                words.count == 1 && words[0].hasSuffix("The new file is a store with another identifier."),
                "\(words)"
            )
            world.expectRefusal { try world.insert("Nowhere") }
            try FileSystem.rename(folder + "/Copy.sqlite", to: world.store.path)
            for _ in 0..<2 { world.store.watch.checkFileStatus() }
            #expect(world.told() == ["reopened"])
            try world.insert("After")
            #expect(try world.titles().count == 2)
        }
    }

    @Test("a watched store reports a lost file by itself")
    func watched() throws {
        try Checkout.withFolder { folder in
            var options = SQLiteStoreOptions()
            options.watchInterval = .milliseconds(5)
            let model = try ManagedObjectModel(Society.model)
            let store = try SQLiteStore(path: folder + "/Store.sqlite", model: model, options: options)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let isLost = DispatchSemaphore(value: 0)
            store.onFileNotice = { notice in if case .lost = notice { isLost.signal() } }
            try FileSystem.remove(store.path)
            #expect(isLost.wait(timeout: .now() + .seconds(60)) == .success)
        }
    }
}
