// SPDX-License-Identifier: Apache-2.0

// What others have deleted, and what this context has of it.

extension ManagedObjectContext {
    /// Merges deletions. A deleted object stays readable for who has it, and is found no more, unless its values were changed
    /// here: then it is for the save to say what becomes of it. Nothing leads to those that are gone.
    func mergeDeletions(_ rows: [(objectID: ManagedObjectID, snapshot: Snapshot?)]) {
        guard !rows.isEmpty else { return }
        var kept: Set<ManagedObjectID> = []
        for (objectID, snapshot) in rows {
            guard let object = registered[objectID], !object.isInserted else { continue }
            if object.isUpdated, object.hasOwnValues {
                newer[objectID] = .some(nil)
                kept.insert(objectID)
            } else if object.isDeleted, object.hasChanges {
                forgetDeleted(object)
            } else {
                vanish(object, snapshot)
            }
        }
        unlink(Set(rows.map(\.objectID)), except: kept)
    }

    /// Lets go of an object whose row is not there any more; its values stay readable.
    func vanish(_ object: ManagedObject, _ snapshot: Snapshot? = nil) {
        if object.isFault {
            if let row = snapshot ?? object.snapshot {
                fill(object, with: row)
            } else {
                object.row = Row(nilOf: object.entity)
            }
        }
        updated.remove(object)
        newer[object.objectID] = nil
        guard !object.isDeleted else { return }
        object.status = [.deleted, .missing]
        event.delete(object, wasInserted: false)
    }

    /// Counts a deletion as saved that others have saved too. Undo may bring the object back, as a new one.
    func forgetDeleted(_ object: ManagedObject) {
        for slot in object.toManys.indices { object.toManys[slot].uncommit() }
        object.status.remove(.deleted)
        deleted.remove(object)
        newer[object.objectID] = nil
        registered[object.objectID] = nil
    }

    /// Takes objects that are gone out of all relationships. Those that are kept here keep where they lead to.
    func unlink(_ gone: Set<ManagedObjectID>, except kept: Set<ManagedObjectID> = []) {
        for object in registered.values where !object.toManys.isEmpty && !object.isGone {
            for relationship in object.entity.toManys {
                let isMutual = relationship.isManyToMany
                let lost = object.toManys[relationship.slot].known(of: gone).filter { member in
                    !kept.contains(member) || isMutual && !object.toManys[relationship.slot].added.contains(member)
                }
                for member in lost { object.toManys[relationship.slot].adopt(removed: member) }
                if !lost.isEmpty { event.refresh(object) }
            }
        }
        for objectID in kept { unpair(objectID) }
        for object in updated.members + inserted.members where !object.isFault {
            for relationship in object.entity.toOnes {
                guard let destination = object.row.toOnes[relationship.slot], gone.contains(destination),
                    !kept.contains(destination)
                else { continue }
                perform(.toOne(object, slot: relationship.slot, nil))
            }
        }
    }

    /// The store has none of an object's pairs any more; those that were made here stay.
    private func unpair(_ objectID: ManagedObjectID) {
        guard let object = registered[objectID], !object.toManys.isEmpty else { return }
        for relationship in object.entity.toManys where relationship.isManyToMany {
            let toMany = object.toManys[relationship.slot]
            for member in (toMany.members ?? toMany.removed).members + toMany.removed.members
            where !toMany.added.contains(member) {
                object.toManys[relationship.slot].adopt(removed: member)
                guard let inverse = relationship.inverse, let other = registered[member], !other.toManys.isEmpty else {
                    continue
                }
                other.toManys[inverse.slot].adopt(removed: objectID)
            }
        }
    }
}

extension ManagedObject {
    /// Whether values of the row were changed here.
    fileprivate var hasOwnValues: Bool {
        guard !isFault, let snapshot else { return false }
        return row.toOnes != snapshot.row.toOnes
            || entity.attributes.contains {
                $0.isPersistent && row.attributes[$0.slot] != snapshot.row.attributes[$0.slot]
            }
    }
}
