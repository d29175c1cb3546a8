// SPDX-License-Identifier: Apache-2.0

// The fixture world: a store with the museum's model, and functions to work with it.

import FoundationEssentials
import ObjectGraph
import Predicates

/// A store of the museum, and a coordinator over it.
struct World: Sendable {
    let kind: StoreKind
    let model: ManagedObjectModel
    let store: any PersistentStore
    let coordinator: PersistentStoreCoordinator
    private let folder: String

    init(_ kind: StoreKind, in folder: String, isReadOnly: Bool = false) throws {
        self.kind = kind
        self.folder = folder
        model = try Museum.model.get()
        store = try kind.open(model, folder, isReadOnly)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    /// The same world reopened from its folder, or itself if the store keeps nothing.
    func reopened(isReadOnly: Bool = false) throws -> World {
        guard kind.capabilities.contains(.reopening) else { return self }
        return try World(kind, in: folder, isReadOnly: isReadOnly)
    }

    func entity(_ name: String) throws -> EntityDescription {
        try require(model.entity(named: name), "The museum has no \(name)")
    }

    func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
        try require(self.entity(entity).relationship(named: name), "The museum has no \(entity).\(name)")
    }

    func slot(_ entity: String, _ attribute: String) throws -> Int {
        try require(self.entity(entity).attribute(named: attribute), "The museum has no \(entity).\(attribute)").slot
    }
}

// Operations through contexts, as in applications.
extension World {
    func read<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    /// Runs a closure with a context, and saves it.
    func change(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try coordinator.withContext { context in
            try body(context)
            try context.save()
        }
    }

    /// Runs a check on the world, and again after reopening.
    func verify(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try read(body)
        try reopened().read(body)
    }

    /// Inserts new objects with names, and returns their IDs.
    @discardableResult
    func insert(_ entity: String, _ names: String...) throws -> [ManagedObjectID] {
        let ids = try coordinator.withContext { context in
            let objects = try names.map { try context.make(entity, $0) }
            try context.save()
            return objects.map(\.objectID)
        }
        return ids
    }

    /// Inserts a statue that keeps a reference number.
    func insert(_ name: String, keeping number: Int64, version: Int64? = nil) throws -> ManagedObjectID {
        try coordinator.withContext { context in
            let object = try context.make("Statue", name)
            try context.keep(RetainedReference(reference: .integer(number), version: version), for: object)
            try context.save()
            return object.objectID
        }
    }

    /// The names of an entity's objects, sorted.
    func names(_ entity: String) throws -> [String] {
        try read { context in try context.all(entity).map { try $0.name }.sorted() }
    }
}

// Operations on the store itself.
extension World {
    /// New IDs for objects of some entities.
    func newIDs(_ entities: String...) throws -> [ManagedObjectID] {
        let ids = try store.permanentIDs(for: entities.map(entity), keeping: [:])
        try require("The entities of new IDs", ids.map(\.entity.name), is: entities)
        return ids
    }

    func snapshot(_ objectID: ManagedObjectID, at generation: (any StoreGeneration)? = nil) throws -> Snapshot? {
        let snapshots = try store.snapshots(of: [objectID], at: generation)
        try require("The number of snapshots of one object", snapshots.count, is: 1)
        return snapshots[0]
    }

    func version(_ objectID: ManagedObjectID) throws -> Int64? { try snapshot(objectID)?.version }

    func snapshots(_ request: StoreFetchRequest, at generation: (any StoreGeneration)? = nil) throws -> [Snapshot] {
        let answer = try store.fetch(request, at: generation)
        guard case .snapshots(let snapshots) = answer else {
            throw ConformanceFailure(message: "A fetch of snapshots gave \(answer)", place: #fileID)
        }
        return snapshots
    }

    func objectIDs(
        _ request: StoreFetchRequest,
        at generation: (any StoreGeneration)? = nil
    ) throws
        -> [ManagedObjectID]
    {
        var request = request
        request.kind = .objectIDs
        let answer = try store.fetch(request, at: generation)
        guard case .objectIDs(let ids) = answer else {
            throw ConformanceFailure(message: "A fetch of IDs gave \(answer)", place: #fileID)
        }
        return ids
    }

    func count(_ request: StoreFetchRequest, at generation: (any StoreGeneration)? = nil) throws -> Int {
        var request = request
        request.kind = .count
        let answer = try store.fetch(request, at: generation)
        guard case .count(let count) = answer else {
            throw ConformanceFailure(message: "A fetch of a count gave \(answer)", place: #fileID)
        }
        return count
    }

    /// The complete visible content of the store, to be compared with that at another time.
    func everything(at generation: (any StoreGeneration)? = nil) throws -> [String] {
        var lines: [String] = []
        for entity in model.entities {
            for snapshot in try snapshots(StoreFetchRequest(entity: entity, includesSubentities: false), at: generation)
            {
                lines.append("\(snapshot.objectID) \(snapshot.version) \(snapshot.row)")
                for relationship in entity.toManys {
                    let members = try store.members(of: relationship, owners: [snapshot.objectID], at: generation)
                    let names = members.joined().map(\.uri)
                    let list = relationship.isOrdered ? names : names.sorted()
                    lines.append("\(snapshot.objectID).\(relationship.name) \(list)")
                }
            }
        }
        return lines.sorted()
    }
}
