// SPDX-License-Identifier: Apache-2.0

// Derived values that are new because others were saved.

extension ManagedObjectContext {
    /// Gives an object the derived values that its row has now. That is no change of its own, and no conflict with one.
    func adopt(recomputed snapshot: Snapshot) {
        // A row that others have changed as well comes with what they changed.
        guard let object = registered[snapshot.objectID], let base = object.snapshot, base.version == snapshot.version
        else { return }
        guard !object.isFault else { return object.snapshot = snapshot }
        var committed = base.row
        for attribute in object.entity.attributes where attribute.isDerived && attribute.isPersistent {
            committed.attributes[attribute.slot] = snapshot.row.attributes[attribute.slot]
            object.row.attributes[attribute.slot] = snapshot.row.attributes[attribute.slot]
        }
        object.snapshot = base.replacing(committed)
        event.refresh(object)
    }
}
