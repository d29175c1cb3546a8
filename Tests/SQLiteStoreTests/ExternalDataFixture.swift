// SPDX-License-Identifier: Apache-2.0

// A store with large values, its files, and plain SQL over it.

import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

/// A store of pictures in a folder of its own, whose values may be 10 bytes long before they go into files.
struct Gallery {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Composite("Scan") {
                    Attribute("bytes", .binary).optional().externalStorage()
                    Attribute("label", .string).optional()
                }
                Entity("Picture") {
                    Attribute("name", .string).optional()
                    Attribute("photo", .binary).optional().externalStorage()
                    Attribute("thumbnail", .binary).optional()
                    Attribute("scan", .composite("Scan")).optional()
                    UniquenessConstraint("name")
                }
                Entity("Painting", parent: "Picture") {
                    Attribute("back", .binary).optional().externalStorage()
                }
            }
        )
    }

    let folder: String
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator

    init(
        _ folder: String,
        isReadOnly: Bool = false,
        beforeStep: @escaping @Sendable (ExternalFiles.Step) throws(FileError) -> Void = { _ in }
    ) throws {
        self.folder = folder
        let path = folder + "/My.Store.sqlite"
        var options = SQLiteStoreOptions()
        options.isReadOnly = isReadOnly
        let model = try Self.model.get()
        let files = ExternalFiles(ExternalFolder(store: path), threshold: 10, beforeStep: beforeStep)
        store = try SQLiteStore(StoreOpening(path: path, options: options, files: files), model)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    var dataFolder: String { folder + "/.My.Store_SUPPORT/_EXTERNAL_DATA" }

    /// The names of all files that there are.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: dataFolder)) ?? []).sorted()
    }

    /// Those that the store names.
    func named() throws -> [String] { try store.externalFiles().map(\.name) }

    func contents(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: dataFolder + "/" + name)))
    }

    /// What stands in a column of the one row.
    func stored(_ column: String) throws -> SQLValue? {
        try store.database.read { try $0.first("SELECT \(identifier: column) FROM ZPICTURE") { $0.value(0) } }
    }

    @discardableResult
    func insert(_ values: [String: Value], as entity: String = "Picture") throws -> ManagedObjectID {
        try coordinator.withContext { context in
            let object = try context.insert(entity)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            try context.save()
            return object.objectID
        }
    }

    func update(_ objectID: ManagedObjectID, _ values: [String: Value]) throws {
        try coordinator.withContext { context in
            let object = context.object(with: objectID)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            try context.save()
        }
    }

    func delete(_ objectID: ManagedObjectID) throws {
        try coordinator.withContext { context in
            context.delete(context.object(with: objectID))
            try context.save()
        }
    }

    /// The value as the store has it.
    func value(
        _ key: String,
        of objectID: ManagedObjectID,
        at generation: (any StoreGeneration)? = nil
    ) throws -> Value? {
        try store.snapshots(of: [objectID], at: generation)[0].flatMap { snapshot in
            snapshot.objectID.entity.attribute(named: key).map { snapshot.row.attributes[$0.slot] }
        }
    }

    func attribute(_ name: String, of entity: String = "Picture") throws -> AttributeDescription {
        try #require(try Self.model.get().entity(named: entity)?.attribute(named: name))
    }
}

extension Value {
    static func bytes(_ byte: UInt8, _ count: Int) -> Value { .data(Data(repeating: byte, count: count)) }
}

/// A file system that fails at one step from some moment on.
final class FailingFiles: Sendable {
    private let failing = Mutex<ExternalFiles.Step?>(nil)

    func fail(at step: ExternalFiles.Step?) { failing.withLock { $0 = step } }

    func check(_ step: ExternalFiles.Step) throws(FileError) {
        if failing.withLock({ $0 }) == step { throw FileError(.full, "the disk is full", path: "here") }
    }
}
