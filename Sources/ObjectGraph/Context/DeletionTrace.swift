// SPDX-License-Identifier: Apache-2.0

// What deletions take along that others have brought to the deleted objects since: undo takes it back with the deletions.

/// Tells apart what comes of deletions that are made again on another committed state, and what had come of them before.
struct DeletionTrace {
    private var former: [ManagedObjectID: ContextChanges.Edited] = [:]
    /// The deletions that objects went along with.
    private var causes: [ManagedObject: ManagedObject] = [:]
    private var cause: ManagedObject?
    /// What takes back what newly came of a deletion.
    private(set) var consequences: [Consequence<ManagedObject>] = []

    /// - Parameter deletions: Those that are made again, as they were.
    init(of deletions: [ContextChanges.Edited]) {
        for deletion in deletions { former[deletion.object.objectID] = deletion }
    }

    /// Goes on to an object that goes along with another one: those that were to be deleted before, are so already.
    mutating func beginDeletion(by object: ManagedObject) {
        cause = causes[object] ?? (former[object.objectID] == nil ? nil : object)
    }

    /// Goes on to what becomes of an object's relationship to another one that is deleted.
    mutating func begin(_ destination: ManagedObject, _ relationship: RelationshipDescription, of object: ManagedObject)
    {
        cause = causes[object] ?? (isNew(destination, relationship, of: object) ? object : nil)
    }

    mutating func note(_ inverse: Inverse<ManagedObject>) {
        guard let cause else { return }
        if let object = inverse.edit.restored { causes[object] = cause }
        consequences.append(Consequence(cause: cause, inverse: inverse))
    }

    mutating func end() { cause = nil }

    private func isNew(
        _ destination: ManagedObject,
        _ relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> Bool {
        guard let former = former[object.objectID] else { return false }
        guard relationship.isToMany else {
            let (slot, objectID) = (relationship.slot, destination.objectID)
            // Where it led when its deletion was taken off, it had not been parted.
            return former.base?.row.toOnes[slot] != objectID || former.leads(slot, to: objectID)
        }
        guard !former.toManys.isEmpty else { return true }
        return !former.toManys[relationship.slot].removed.contains(destination.objectID)
    }
}

extension ContextChanges.Edited {
    fileprivate func leads(_ slot: Int, to objectID: ManagedObjectID) -> Bool {
        !row.toOnes.isEmpty && row.toOnes[slot] == objectID
    }
}
