// SPDX-License-Identifier: Apache-2.0

// Stores of every kind with the same content, migrated side by side.

import AtomicStores
import DemoData
import Foundation
import ObjectGraph
import ObjectModel
import SQLiteStore
import TestSupport
import Testing

/// A store with generated data in each form.
struct MigratedStores {
    let folder: TemporaryFolder
    let model: ManagedObjectModel

    var xml: String { folder.path + "/store.xml" }
    private var binary: String { folder.path + "/store.binary" }
    var sqlite: String { folder.path + "/store.sqlite" }

    init(_ model: ManagedObjectModel, seed: UInt64, size: Int) throws {
        try self.init(model) { coordinator in
            try DemoData(model: model, seed: seed, size: size).fill(coordinator)
        }
    }

    init(_ model: ManagedObjectModel, _ fill: (PersistentStoreCoordinator) throws -> Void) throws {
        folder = try TemporaryFolder()
        self.model = model
        let store = try AtomicStore(path: folder.path + "/store.xml", format: .xml, model: model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try fill(coordinator)
        try Self.convert(xml, .xml, to: binary, .binary, model)
        try SQLiteStore.make(path: sqlite, model: model, copying: store)
    }

    private static func convert(
        _ path: String,
        _ format: some AtomicFileFormat,
        to other: String,
        _ otherFormat: some AtomicFileFormat,
        _ model: ManagedObjectModel
    ) throws {
        let content = try format.read(Array(Data(contentsOf: URL(filePath: path))), model: model)
        try Data(otherFormat.write(content, model: model)).write(to: URL(filePath: other))
    }

    /// Migrates all stores, and expects that they report the same losses and violations.
    ///
    /// - Parameter isOpen: Whether the stores are open meanwhile.
    @discardableResult
    func migrate(
        by migration: ModelMigration,
        as mode: MigrationMode = .complete,
        isOpen: Bool = false
    ) throws -> MigrationReport {
        let reports = try migrations(by: migration, as: mode, isOpen: isOpen).map { try $0() }
        let inMemory = reports[0]
        let report = reports[2]
        for (one, other) in zip(report.stages, inMemory.stages) {
            #expect(Set(one.losses) == Set(other.losses))
            #expect(Set(one.violations) == Set(other.violations))
            #expect(one.edits == other.edits)
        }
        return report
    }

    /// The migrations of the store in XML, the binary one, and that in SQLite.
    func migrations(
        by migration: ModelMigration,
        as mode: MigrationMode = .complete,
        isOpen: Bool = false
    ) -> [() throws -> MigrationReport] {
        guard isOpen else {
            return [
                { try AtomicStore.migrate(path: xml, format: .xml, by: migration, as: mode) },
                { try AtomicStore.migrate(path: binary, format: .binary, by: migration, as: mode) },
                { try SQLiteStore.migrate(path: sqlite, by: migration, as: mode) },
            ]
        }
        let old = migration.old
        return [
            { try migrateOpen(AtomicStore(path: xml, format: .xml, model: old), by: migration, as: mode) },
            { try migrateOpen(AtomicStore(path: binary, format: .binary, model: old), by: migration, as: mode) },
            { try migrateOpen(SQLiteStore(path: sqlite, model: old), by: migration, as: mode) },
        ]
    }

    /// The stores in XML, in binary form and in SQLite.
    func open(_ model: ManagedObjectModel) throws -> [any MigratingStore] {
        [
            try AtomicStore(path: xml, format: .xml, model: model),
            try AtomicStore(path: binary, format: .binary, model: model),
            try SQLiteStore(path: sqlite, model: model),
        ]
    }

    /// The contents of all files but those that SQLite writes.
    func files() throws -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        var files: [String: Data] = [:]
        for name in names where !name.hasPrefix("store.sqlite") {
            let path = folder.path + "/" + name
            let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            guard type == .typeRegular else { continue }
            files[name] = try Data(contentsOf: URL(filePath: path))
        }
        return files
    }

    /// Migrates an open store. States that are held must stay readable, and nothing else of the former store.
    @discardableResult
    private func migrateOpen(
        _ store: some MigratingStore,
        by migration: ModelMigration,
        as mode: MigrationMode
    ) throws -> MigrationReport {
        let before = try Content(store, migration.old)
        let held = try store.currentGeneration()
        let (next, report) = try store.migrated(by: migration, as: mode)
        let readable = try Content(store, migration.old, at: held).differences(from: before)
        #expect(readable.isEmpty, "\(readable.prefix(10))")
        guard mode != .rehearsal else {
            #expect(next == nil)
            #expect(try Content(store, migration.old).differences(from: before).isEmpty)
            return report
        }
        let note = PendingNote<[Snapshot]>(key: "test") { _ in [] }
        #expect(throws: (any Error).self) { try store.save(StoreSaveRequest(), commit: Commit(note: note)) }
        let successor = try #require(next)
        #expect(successor.identifier == store.identifier)
        let count = store.migrationCount + (migration.changesRows ? 1 : 0)
        #expect((successor as? any MigratingStore)?.migrationCount == count)
        return report
    }

    func content(_ model: ManagedObjectModel) throws -> Content {
        try Content(AtomicStore(path: xml, format: .xml, model: model, isReadOnly: true), model)
    }

    /// Expects the same content in all stores, and no damage in the SQLite store.
    func expectSame(_ model: ManagedObjectModel, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try content(model)
        let store = try SQLiteStore(path: sqlite, model: model)
        let inSQL = try Content(store, model).differences(from: expected)
        #expect(inSQL.isEmpty, "\(inSQL.prefix(10).joined(separator: "\n"))", sourceLocation: sourceLocation)
        let file = try AtomicStore(path: binary, format: .binary, model: model, isReadOnly: true)
        let inBinary = try Content(file, model).differences(from: expected)
        #expect(inBinary.isEmpty, "\(inBinary.prefix(10))", sourceLocation: sourceLocation)
        let findings = try store.check().filter { $0.severity == .error || $0.code == .derived }
        #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
        let carried = try SQLiteStore(path: sqlite)
        #expect(!ModelDiff(from: carried.model.model, to: model.model).changesStorage, sourceLocation: sourceLocation)
    }
}
