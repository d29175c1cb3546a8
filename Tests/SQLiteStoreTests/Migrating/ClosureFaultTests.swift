// SPDX-License-Identifier: Apache-2.0

// Each file operation of a migration with closures fails once or permanently.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Closures of a migration on a failing disk")
struct ClosureFaultTests {
    typealias Fault = FaultyFileSystem.Fault

    private static func model(_ color: Attribute?) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Model {
                Entity("Note") {
                    Attribute("text", .string)
                    Attribute("picture", .binary).optional().externalStorage()
                    if let color { color }
                }
                Entity("Page") { Attribute("number", color == nil ? .int16 : .string) }
            }
        )
    }

    private static let count = 200

    /// Replaces all texts, and the pictures of a few notes, which are in files.
    ///
    /// - Parameter ignored: Collects the errors of saves, which don't end the closure then.
    static func migration(ignoring ignored: IgnoredErrors? = nil) throws -> ModelMigration {
        try ModelMigration(stages: [
            .custom(
                from: model(nil),
                to: model(Attribute("color", .string).default("red")),
                willMigrate: { context in
                    for (place, note) in try context.fetch(FetchRequest<ManagedObject>("Note")).enumerated() {
                        try note.setValue("changed", forKey: "text")
                        if place < 4 { try note.setValue(.data(Data(repeating: 7, count: 500)), forKey: "picture") }
                        guard place % 50 == 49 else { continue }
                        do throws(GraphError) {
                            try context.save()
                        } catch {
                            guard let ignored else { throw error }
                            ignored.count.withLock { $0 += 1 }
                            context.rollback()
                        }
                    }
                },
                didMigrate: { context in
                    for _ in 0..<10 { try context.insert("Note").setValue("new", forKey: "text") }
                }
            )
        ])
    }

    final class IgnoredErrors: Sendable {
        let count = Mutex(0)
    }

    static func make(_ path: String, options: SQLiteStoreOptions) throws {
        let model = try model(nil)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(SQLiteStore(path: path, model: model, options: options))
        try coordinator.withContext { context in
            for number in 0..<count {
                try context.insert("Page").setValue(.integer(Int64(number)), forKey: "number")
                let note = try context.insert("Note")
                try note.setValue(.string(String(repeating: "text ", count: 40)), forKey: "text")
                if number < 3 { try note.setValue(.data(Data(repeating: 1, count: 400)), forKey: "picture") }
            }
            try context.save()
        }
    }

    /// Makes a copy of a store and of its files.
    static func copy(_ seed: String, to path: String) throws {
        try FileManager.default.copyItem(atPath: seed, toPath: path)
        let folder = SQLiteStore.externalFolder(ofStoreAt: seed)
        let other = URL(filePath: SQLiteStore.externalFolder(ofStoreAt: path))
        try FileManager.default.createDirectory(
            at: other.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(atPath: folder, toPath: other.path)
    }

    /// Expects a sound store as it was before, or with everything that the closures do. Saves that a closure has
    /// ignored may be missing.
    static func check(_ path: String, isMigrated: Bool, ignored: Int = 0, _ comment: Comment) throws {
        let migration = try migration()
        let model = isMigrated ? migration.new : migration.old
        let store = try SQLiteStore(path: path, model: model)
        #expect(try store.check().filter { $0.severity == .error } == [], comment)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try coordinator.withContext { context in
            let notes = try context.fetch(FetchRequest<ManagedObject>("Note"))
            #expect(notes.count == count + (isMigrated ? 10 : 0), comment)
            let changed = try notes.count { try $0.value(forKey: "text") == "changed" }
            let sizes = try notes.compactMap { note in
                if case .data(let data) = try note.value(forKey: "picture") { data.count } else { nil }
            }
            if !isMigrated { #expect(changed == 0 && sizes == [400, 400, 400], comment) }
            if isMigrated, ignored == 0 { #expect(changed == count && sizes == [500, 500, 500, 500], comment) }
        }
    }

    @Test(
        "a migration with closures is done as a whole or not at all, whatever fails",
        arguments: Fault.all,
        [false, true]
    )
    func fault(fault: Fault, ignores: Bool) throws {
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            var options = files.options
            options.externalStorageThreshold = 100
            let seed = folder + "/Seed.sqlite"
            try Self.make(seed, options: options)
            var n = 1
            while true {
                let path = folder + "/Store\(n).sqlite"
                try Self.copy(seed, to: path)
                let ignored = ignores ? IgnoredErrors() : nil
                let migration = try Self.migration(ignoring: ignored)
                files.fail(n, fault)
                var isMigrated = true
                do {
                    try SQLiteStore.migrate(path: path, by: migration, options: options)
                } catch {
                    StoreError.expect(in: error, at: path, "\(fault), \(n)")
                    isMigrated = false
                }
                let hasFailed = files.mend() > 0
                // A failed sync may follow a commit that reached the disk.
                let fits = try SQLiteStore.mismatch(path: path, model: migration.new) == nil
                if isMigrated { #expect(fits, "\(fault), \(n)") }
                let count = ignored?.count.withLock(\.self) ?? 0
                try Self.check(path, isMigrated: fits, ignored: count, "\(fault), \(n)")
                guard hasFailed else { break }
                n += n / 2 + 1
            }
        }
    }

    @Test("a large value of a closure that can't be written leaves the store as before")
    func largeValues() throws {
        try Checkout.withFolder { folder in
            var options = SQLiteStoreOptions()
            options.externalStorageThreshold = 100
            let seed = folder + "/Seed.sqlite"
            try Self.make(seed, options: options)
            let migration = try Self.migration()
            var failures = 0
            for n in 1... {
                let path = folder + "/Store\(n).sqlite"
                try Self.copy(seed, to: path)
                let files = FailingFiles()
                files.fail(n)
                var isMigrated = true
                do {
                    try files.run { _ = try SQLiteStore.migrate(path: path, by: migration, options: options) }
                } catch {
                    StoreError.expect(in: error, at: path, "\(n)")
                    isMigrated = false
                    failures += 1
                }
                let hasFailed = files.mend() > 0
                try Self.check(path, isMigrated: isMigrated, "\(n)")
                guard hasFailed else { break }
            }
            #expect(failures > 4)
        }
    }

    @Test("a closure that goes on after the transaction was rolled back can't write outside of it")
    func rolledBack() throws {
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            let path = folder + "/Store.sqlite"
            try Self.make(path, options: files.options)
            let migration = try ModelMigration(stages: [
                .custom(
                    from: Self.model(nil),
                    to: Self.model(Attribute("color", .string).default("red")),
                    willMigrate: { context in
                        // A full disk rolls the transaction back.
                        files.fail(1, Fault(operation: .write, code: 13))
                        for _ in 0..<400 {
                            let note = try context.insert("Note")
                            try note.setValue(.string(String(repeating: "new ", count: 1000)), forKey: "text")
                        }
                        let error = #expect(throws: GraphError.self) { try context.save() }
                        #expect(files.mend() > 0)
                        #expect(error?.code == .diskFull)
                        context.rollback()
                        try context.insert("Note").setValue("outside", forKey: "text")
                        #expect(throws: GraphError.self) { try context.save() }
                        context.rollback()
                    }
                )
            ])
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore.migrate(path: path, by: migration, options: files.options)
            }
            #expect(error?.code == .full)
            try Self.check(path, isMigrated: false, "rolled back")
        }
    }
}
