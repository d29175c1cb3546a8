// SPDX-License-Identifier: Apache-2.0

// Further consequences of deletions, caused by others' changes to the deleted objects: undo reverts them with the
// deletions.

/// Distinguishes, when deletions are repeated on another committed state, new consequences from former ones.
struct DeletionReplay {
    private var former: [ManagedObjectID: ContextChanges.Edited] = [:]
    /// The deletions that caused other objects' deletions.
    private var causes: [ManagedObject: ManagedObject] = [:]
    private var cause: ManagedObject?
    /// The inverse edits of the new consequences.
    private(set) var consequences: [Consequence<ManagedObject>] = []

    /// - Parameter deletions: The repeated ones, as they were before.
    init(of deletions: [ContextChanges.Edited]) {
        for deletion in deletions { former[deletion.object.objectID] = deletion }
    }

    /// Enters an object deleted because of another one; former deletions are not new consequences.
    mutating func beginDeletion(by object: ManagedObject) {
        cause = causes[object] ?? (former[object.objectID] == nil ? nil : object)
    }

    /// Enters an object's relationship to a deleted destination.
    mutating func begin(_ destination: ManagedObject, _ relationship: RelationshipDescription, of object: ManagedObject)
    {
        cause = causes[object] ?? (isNew(destination, relationship, of: object) ? object : nil)
    }

    mutating func record(_ inverse: Inverse<ManagedObject>) {
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
            let slot = relationship.slot
            let objectID = destination.objectID
            // If it referred to the object when the deletion was lifted, it hadn't been unlinked.
            return former.base?.row.toOnes[slot] != objectID || former.refers(through: slot, to: objectID)
        }
        guard !former.state.toManys.isEmpty else { return true }
        return !former.state.toManys[relationship.slot].removed.contains(destination.objectID)
    }
}

extension ContextChanges.Edited {
    fileprivate func refers(through slot: Int, to objectID: ManagedObjectID) -> Bool {
        !state.row.toOnes.isEmpty && state.row.toOnes[slot] == objectID
    }
}
