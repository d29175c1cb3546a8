// SPDX-License-Identifier: Apache-2.0

// Objects that a save depends on without changing them.

extension ManagedObjectContext {
    /// Makes the next save detect a conflict if others have changed an object, even if this context only reads it or
    /// only changes members of its relationships.
    ///
    ///     try context.detectConflicts(for: account)   // the limit that the order is checked against
    ///     try context.insert(Order.self).account = account
    ///     try context.save()
    ///
    /// It applies to one successful save, and only if that has changes to write.
    public func detectConflicts(for object: ManagedObject) throws(GraphError) {
        try fire(object)
        guard object.snapshot != nil else { return }
        pending.locked.append(object)
    }

    /// Gives new objects the IDs that they will be saved under. They count as inserted until then.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(GraphError) {
        confinement.check()
        let temporary = OrderedMembers(objects.filter { $0.objectID.isTemporary }).members
        guard !temporary.isEmpty else { return }
        let kept = retainableReferences
        let permanentIDs = try source.permanentIDs(
            for: temporary.map {
                ObjectChange($0, .inserted, store: pending.assignments[$0.objectID], kept: kept[$0.objectID])
            }
        )
        // In a child, an object saved to the parent is unchanged but still has a temporary ID, and unchanged objects
        // may refer to it.
        let isChild = temporary.contains { !$0.isInserted }
        let holders = isChild ? Array(registered.values) : inserted.members + updated.members
        for object in holders { rename(object, using: permanentIDs) }
        for (temporary, permanent) in permanentIDs {
            self.pending.kept[permanent] = self.pending.kept.removeValue(forKey: temporary)
        }
    }
}
