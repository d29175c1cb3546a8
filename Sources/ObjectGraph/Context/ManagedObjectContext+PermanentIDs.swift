// SPDX-License-Identifier: Apache-2.0

// Permanent IDs for objects that a parent or store has saved.

import Basics
import Predicates

extension ManagedObjectContext {
    /// Gives objects that a parent or a store has saved their permanent IDs.
    ///
    /// If a save has merged several new objects into one, that one replaces them all: edits of them become edits of it.
    func adopt(permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        func permanent(_ objectID: ManagedObjectID) -> ManagedObjectID { permanentIDs[objectID] ?? objectID }
        for object in registered.values {
            for slot in object.row.toOnes.indices {
                object.row.toOnes[slot] = object.row.toOnes[slot].map(permanent)
            }
            for slot in object.toManys.indices { object.toManys[slot].rename(using: permanent) }
            object.snapshot = object.snapshot?.renamed(permanentIDs)
        }
        var joined: [(object: ManagedObject, with: ManagedObjectID)] = []
        for object in permanentIDs.keys.compactMap({ registered[$0] }).sorted(by: { $0.isOlder(than: $1) }) {
            let permanent = permanent(object.objectID)
            if registered[permanent] == nil, object.entity == permanent.entity {
                rename(object, to: permanent)
            } else {
                joined.append((object, permanent))
                pending.newer[object.objectID] = nil
                pending.contested[object.objectID] = nil
            }
        }
        pending.newer = Dictionary(keepingFirst: pending.newer.map { (permanent($0), $1?.renamed(permanentIDs)) })
        pending.contested = Dictionary(keepingFirst: pending.contested.map { (permanent($0), $1) })
        pending.assignments = Dictionary(keepingFirst: pending.assignments.map { (permanent($0), $1) })
        pending.kept = Dictionary(keepingFirst: pending.kept.map { (permanent($0), $1) })
        for (temporary, permanent) in permanentIDs { pending.successors[temporary] = permanent }
        guard !joined.isEmpty else { return }
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        for (object, permanent) in joined { join(object, with: self.object(with: permanent)) }
    }

    /// Gives an object another ID.
    func rename(_ object: ManagedObject, to permanent: ManagedObjectID) {
        registered[object.objectID] = nil
        pending.successors[object.objectID] = permanent
        object.objectID = permanent
        registered[permanent] = object
        if object.isInserted { event.rename(object) } else { event.refresh(object) }
    }

    /// Replaces an object by another one: its edits become the other's, in undo as well.
    private func join(_ object: ManagedObject, with other: ManagedObject) {
        // If it can't be read, its next use throws; there is nothing to apply edits to.
        try? fireAgain([other])
        registered[object.objectID] = nil
        inserted.remove(object)
        updated.remove(object)
        let isDeleted = deleted.remove(object)
        pending.unpropagated.removeAll { $0 === object }
        event.forget(object)
        hasRebased = true
        let edited = isDeleted || object.isFault ? nil : object.snapshot
        object.status = [.deleted, .missing]
        undoManager?.redirect(object, to: other)
        event.refresh(other)
        guard !other.isFault, !other.isDeleted else { return }
        if isDeleted {
            perform(.delete(other))
            pending.unpropagated.append(other)
        } else if let base = edited {
            edit(other, as: object, since: base)
        }
    }

    /// Applies the edits of an object to another one, which may be of another entity of the hierarchy.
    private func edit(_ other: ManagedObject, as object: ManagedObject, since base: Snapshot) {
        let beneath = try? source.snapshots(of: [other.objectID], staleness: stalenessInterval)[0]
        for attribute in object.entity.attributes where !attribute.isDerived {
            guard object.row.attributes[attribute.slot] != base.row.attributes[attribute.slot],
                case .attribute(let own)? = other.entity.property(named: attribute.name)
            else { continue }
            // They are based on the saved result of both, which is no conflict.
            if let beneath { other.snapshot = other.snapshot?.setting(beneath.row.attributes[own.slot], at: own.slot) }
            perform(.attribute(other, slot: own.slot, object.row.attributes[attribute.slot]))
        }
        for relationship in object.entity.toOnes
        where object.row.toOnes[relationship.slot] != base.row.toOnes[relationship.slot] {
            guard let own = other.entity.relationship(named: relationship.name) else { continue }
            link(other, through: own, to: object.row.toOnes[relationship.slot])
        }
        for relationship in object.entity.toManys where !object.toManys.isEmpty {
            guard let own = other.entity.relationship(named: relationship.name) else { continue }
            let toMany = object.toManys[relationship.slot]
            for member in toMany.added { perform(.addMember(other, slot: own.slot, member, at: nil)) }
            for member in toMany.removed { perform(.removeMember(other, slot: own.slot, member)) }
        }
    }
}

extension ManagedObject {
    /// Whether it got its temporary ID before another one.
    fileprivate func isOlder(than other: ManagedObject) -> Bool {
        (objectID.temporaryNumber ?? 0) < (other.objectID.temporaryNumber ?? 0)
    }
}

extension Snapshot {
    /// The same snapshot with other IDs.
    fileprivate func renamed(_ permanentIDs: [ManagedObjectID: ManagedObjectID]) -> Snapshot {
        let isConcerned =
            permanentIDs[objectID] != nil || row.toOnes.contains { $0.map { permanentIDs[$0] != nil } ?? false }
        guard isConcerned else { return self }
        var row = row
        row.toOnes = row.toOnes.map { $0.map { permanentIDs[$0] ?? $0 } }
        return Snapshot(objectID: permanentIDs[objectID] ?? objectID, version: version, row: row)
    }

    /// The same snapshot with another value.
    fileprivate func setting(_ value: Value, at slot: Int) -> Snapshot {
        var row = row
        row.attributes[slot] = value
        return Snapshot(objectID: objectID, version: version, row: row)
    }
}
