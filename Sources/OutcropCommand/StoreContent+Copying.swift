// SPDX-License-Identifier: Apache-2.0

// The content of any store, for a file in XML or binary form.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

extension StoreContent {
    /// Copies all objects of a store. Objects keep their keys, and the store its identifier, if the keys are unique
    /// and small enough for a file. A SQLite store numbers each entity hierarchy separately, so its objects may have
    /// to be renumbered.
    init(copying store: some PersistentStore, of model: ManagedObjectModel) throws {
        let generation = try store.currentGeneration()
        var snapshots: [Snapshot] = []
        for entity in model.entities {
            let request = StoreFetchRequest(entity: entity, includesSubentities: false)
            guard case .snapshots(let found) = try store.fetch(request, at: generation) else { continue }
            snapshots += found
        }
        var numbers = ObjectNumbers(snapshots.map(\.objectID))
        var objects = snapshots.map { snapshot in
            let entity = snapshot.objectID.entity
            let number = numbers.number(of: snapshot.objectID)
            var object = FileObject(entity: entity, reference: number, version: max(1, snapshot.version))
            object.attributes = snapshot.row.attributes
            object.toOnes = snapshot.row.toOnes.map { $0.map { numbers.number(of: $0) } }
            return object
        }
        let places = Dictionary(uniqueKeysWithValues: zip(snapshots.map(\.objectID), snapshots.indices))
        for entity in model.entities {
            for relationship in entity.toManys where relationship.isListed {
                let owners = snapshots.map(\.objectID).filter { $0.entity == entity }
                let members = try store.members(of: relationship, owners: owners, at: generation)
                for (owner, members) in zip(owners, members) {
                    guard let place = places[owner] else { continue }
                    objects[place].toManys[relationship.slot] = members.map { numbers.number(of: $0) }
                }
            }
        }
        let head = StoreHead(
            identifier: numbers.areKept ? store.identifier : UUID(),
            metadata: StoreMetadata(values: store.metadata.values.filter { !Self.isOwn($0.key) }),
            versionHashes: model.model.versionHashes(),
            lastReference: numbers.last
        )
        let order = Dictionary(uniqueKeysWithValues: model.entities.map { ($0, $0.index) })
        objects.sort { (order[$0.entity] ?? 0, $0.reference) < (order[$1.entity] ?? 0, $1.reference) }
        self.init(head: head, objects: objects)
    }

    /// Metadata that belong to the store itself and are not copied.
    private static func isOwn(_ key: String) -> Bool {
        ["NSStore", "NSPersistence", "_NS", "Outcrop"].contains { key.hasPrefix($0) }
    }
}

/// The numbers of objects in a file, where they are unique among all entities.
private struct ObjectNumbers {
    let areKept: Bool
    private(set) var last: Int64 = 0
    private var numbers: [ManagedObjectID: Int64] = [:]

    init(_ objects: [ManagedObjectID]) {
        let keys = objects.compactMap(\.key)
        // Leaves room for later numbers, as files do, and for those of missing objects.
        areKept = Set(keys).count == objects.count && keys.allSatisfy { (1...Int64.max / 4).contains($0) }
        for object in objects {
            let number = areKept ? object.key ?? 0 : last + 1
            numbers[object] = number
            last = max(last, number)
        }
    }

    /// The number of an object; for a missing object, one that no object has.
    mutating func number(of object: ManagedObjectID) -> Int64 {
        if let known = numbers[object] { return known }
        last += 1
        numbers[object] = last
        return last
    }
}

extension ManagedObjectID {
    fileprivate var key: Int64? { if case .integer(let key) = reference { key } else { nil } }
}
