// SPDX-License-Identifier: Apache-2.0

// Checking whether changes can be saved, without writing.

extension ManagedObjectContext {
    /// Throws the reasons against a save that can be found by reading, without waiting for a writer.
    ///
    /// Hooks and validation run as in `save()`, and unique values are looked up in the stores. Versions aren't compared
    /// and no merge policy is applied: a unique value that another object has is an error.
    package func checkSave() throws(GraphError) {
        try saving("checkSave()") { () throws(GraphError) in
            try processPendingChanges()
            guard hasChanges else { return }
            try prepare()
            let violations = try constraintViolations()
            guard violations.isEmpty else { throw .constraintConflicts(violations) }
        }
    }

    /// The unique values of changed objects that other objects have. Validation doesn't matter.
    package func constraintViolations() throws(GraphError) -> [ConstraintViolation] {
        confinement.check()
        let changed = (inserted.members + updated.members).filter {
            !$0.isFault && !$0.entity.uniquenessConstraints.isEmpty
        }
        var rows: [(objectID: ManagedObjectID, keys: [UniqueKey])] = []
        var holders: [UniqueKey: ManagedObjectID] = [:]
        for entity in OrderedMembers(changed.map(\.entity)).members {
            let objects = changed.filter { $0.entity == entity }
            let found = try GraphError.wrapping {
                try UniqueHolders(of: entity, for: objects.map(\.row), in: model, fetching: source.snapshots)
            }
            for object in objects {
                let keys = found.keys(of: object.row, in: entity)
                for key in keys { holders[key] = found.holder(of: key) }
                rows.append((object.objectID, keys))
            }
        }
        return try ConstraintViolation.all(
            among: rows,
            deleting: deleted.members.map(\.objectID),
            holder: { holders[$0] },
            stored: { objectID throws(GraphError) in
                try source.snapshots(of: [objectID], staleness: stalenessInterval)[0]
            }
        )
    }
}
