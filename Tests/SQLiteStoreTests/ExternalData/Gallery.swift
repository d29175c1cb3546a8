// SPDX-License-Identifier: Apache-2.0

// A store with large values, its files, and plain SQL on it.

import FoundationEssentials
import Glibc
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

/// A store of pictures in its own folder, with an inline limit of 10 bytes.
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
                    Relationship("album", toOne: "Album", inverse: "pictures").optional()
                    Relationship("prints", toMany: "Print", inverse: "picture").optional()
                    UniquenessConstraint("name")
                }
                Entity("Painting", parent: "Picture") {
                    Attribute("back", .binary).optional().externalStorage()
                }
                Entity("Album") {
                    Attribute("name", .string).optional()
                    Relationship("pictures", toMany: "Picture", inverse: "album", deleteRule: .cascade).optional()
                }
                Entity("Print") {
                    Attribute("photo", .binary).optional().externalStorage().derived("picture.photo")
                    Relationship("picture", toOne: "Picture", inverse: "prints").optional()
                }
            }
        )
    }

    let folder: String
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator

    init(_ folder: String, isReadOnly: Bool = false) throws {
        self.folder = folder
        let path = folder + "/My.Store.sqlite"
        var options = SQLiteStoreOptions.unwatched
        options.isReadOnly = isReadOnly
        options.externalStorageThreshold = 10
        let model = try Self.model.get()
        store = try SQLiteStore(path: path, model: model, options: options)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    var dataFolder: String { folder + "/.My.Store_SUPPORT/_EXTERNAL_DATA" }

    /// The names of all existing files.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: dataFolder)) ?? []).sorted()
    }

    /// Removes orphaned files until a condition is met: while another thread removes them, a call removes none.
    func removeOrphanedFiles(until isDone: () -> Bool) throws {
        for _ in 0..<10_000 where !isDone() {
            try store.removeOrphanedFiles()
            usleep(1_000)
        }
    }

    /// The names of the files that the store refers to.
    func named() throws -> [String] { try store.externalFiles().map(\.name) }

    func contents(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: dataFolder + "/" + name)))
    }

    /// The stored value of a column in the only row.
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

    /// Inserts by a batch.
    @discardableResult
    func insert(
        batch rows: [[String: Value]],
        as entity: String = "Picture",
        _ policy: MergePolicy = .error
    ) throws -> [ManagedObjectID] {
        var request = BatchInsertRequest(entity, rows: rows)
        request.resultType = .objectIDs
        return try coordinator.execute(request, mergePolicy: policy).objectIDs
    }

    /// Updates by a batch.
    @discardableResult
    func update(
        batch values: [String: ObjectExpression],
        of entity: String = "Picture",
        where predicate: String? = nil
    ) throws -> BatchResult {
        var request = BatchUpdateRequest(entity, predicate: try predicate.map { try ObjectPredicate($0) })
        request.propertiesToUpdate = values
        return try coordinator.execute(request)
    }

    /// Deletes by a batch.
    @discardableResult
    func delete(batch predicate: String? = nil, of entity: String = "Picture") throws -> BatchResult {
        let predicate = try predicate.map { try ObjectPredicate($0) }
        return try coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entity, predicate: predicate)))
    }

    /// The statements that the store runs during a closure.
    func statements(_ body: () throws -> Void) throws -> [String] {
        let seen = Mutex<[String]>([])
        store.database.tracer = { event in seen.withLock { $0.append(event.sql) } }
        defer { store.database.tracer = nil }
        try body()
        return seen.withLock { $0 }
    }

    /// The value as the store returns it.
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
