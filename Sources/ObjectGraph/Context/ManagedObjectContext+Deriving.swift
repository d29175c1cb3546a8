// SPDX-License-Identifier: Apache-2.0

// Derived values recomputed because other objects were saved.

extension ManagedObjectContext {
    /// Gives an object the recomputed derived values of its row, without counting as a change or a conflict.
    func adopt(recomputed snapshot: Snapshot) {
        // If others have changed the row too, the merge of their change brings it.
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
