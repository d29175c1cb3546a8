// SPDX-License-Identifier: Apache-2.0

// What becomes of objects whose rows others have changed: what the merge policy says.

import Predicates

extension ManagedObjectContext {
    /// Brings the objects of conflicts into a state that can be saved, or throws where the policy doesn't allow that.
    func resolve(_ conflicts: StoreConflicts) throws(GraphError) {
        // Rows come first: what they bring may already make values different that must be.
        guard !conflicts.rows.isEmpty else { return try resolve(conflicts.constraints) }
        let rows = mergeConflicts(conflicts.rows)
        if mergePolicy.kind == .error, mergePolicy.resolution == nil, !rows.isEmpty { throw .conflicts(rows) }
        let resolved = try rows.map { conflict throws(GraphError) in (conflict, try resolvedRow(conflict)) }
        try adopt(conflicts.rows, awaking: .mergePolicy) { changes in
            for (conflict, row) in resolved { settle(conflict, row, &changes) }
            for objectID in conflicts.rows.keys { changes.settle(objectID) }
        }
    }

    /// The conflicts in the order in which their objects were changed. Where nothing was known of a row, there is none.
    private func mergeConflicts(_ rows: [ManagedObjectID: Snapshot?]) -> [MergeConflict] {
        (deleted.members + updated.members + locked.members).compactMap { object in
            guard let stored = rows[object.objectID], let base = object.snapshot else { return nil }
            return MergeConflict(
                objectID: object.objectID,
                base: base,
                stored: stored,
                edited: object.isDeleted ? nil : object.row
            )
        }
    }

    /// The row that a policy of one's own wants to be saved.
    private func resolvedRow(_ conflict: MergeConflict) throws(GraphError) -> Row? {
        guard let resolution = mergePolicy.resolution, let stored = conflict.stored, conflict.edited != nil else {
            return nil
        }
        do {
            return try resolution(conflict) ?? stored.row
        } catch {
            var failed = GraphError.conflicts([conflict])
            failed.underlying = error
            throw failed
        }
    }

    /// Gives up those changes of an object that the policy doesn't want to be saved.
    private func settle(_ conflict: MergeConflict, _ resolved: Row?, _ changes: inout ContextChanges) {
        let objectID = conflict.objectID
        guard let stored = conflict.stored?.row else {
            return mergePolicy.objectWins ? changes.insertAgain(objectID) : changes.dropValues(of: objectID)
        }
        guard let edited = conflict.edited else {
            return mergePolicy.objectWins ? () : changes.dropDeletion(of: objectID)
        }
        let base = conflict.base.row
        switch mergePolicy.kind {
        case _ where resolved != nil: changes.set(resolved ?? edited, of: objectID)
        case .error, .rollback: changes.dropValues(of: objectID)
        case .overwrite: changes.set(edited, of: objectID)
        case .mergeByPropertyObjectTrump: break
        case .mergeByPropertyStoreTrump:
            changes.dropValues(
                of: objectID,
                // Stores have no transient values, which stay.
                attributes: {
                    objectID.entity.attributes[$0].isPersistent && stored.attributes[$0] != base.attributes[$0]
                },
                toOnes: { stored.toOnes[$0] != base.toOnes[$0] }
            )
        }
    }
}

extension MergePolicy {
    /// Whether an object goes on to exist, or not to, as its context has it.
    fileprivate var objectWins: Bool { kind == .overwrite || kind == .mergeByPropertyObjectTrump }
}

extension Row {
    /// These values, but those of another row where these are as they were in the beginning.
    func merged(over other: Row, base: Row) -> Row {
        var merged = self
        for slot in attributes.indices where attributes[slot] == base.attributes[slot] {
            merged.attributes[slot] = other.attributes[slot]
        }
        for slot in toOnes.indices where toOnes[slot] == base.toOnes[slot] { merged.toOnes[slot] = other.toOnes[slot] }
        return merged
    }
}

extension GraphError {
    static func conflicts(_ conflicts: [MergeConflict]) -> GraphError {
        let names = conflicts.prefix(3).map(\.objectID.description).joined(separator: ", ")
        var error = GraphError(
            .conflict,
            "Others have changed \(names)\(conflicts.count > 3 ? " and more" : "") since this context read them.",
            hint: "Refresh the objects and try again, or set a merge policy."
        )
        error.conflicts = conflicts
        return error
    }

    static func constraintConflicts(_ violations: [ConstraintViolation]) -> GraphError {
        let names = violations.prefix(3).map { violation in
            let entity = violation.objects.first?.entity.name ?? ""
            return "\(entity) (\(violation.constraint.map(violation.describe).joined(separator: ", ")))"
        }
        var error = GraphError(
            .constraint,
            "Objects have the same values where they must differ: \(names.joined(separator: "; "))."
        )
        error.constraintConflicts = violations
        return error
    }
}

extension ConstraintViolation {
    /// A property's name, and the value that is taken where the store says which.
    fileprivate func describe(_ property: PropertyDescription) -> String {
        guard case .attribute(let attribute) = property, let value = stored?.row.attributes[attribute.slot] else {
            return property.name
        }
        return "\(property.name): \(ObjectExpression.constant(value))"
    }
}
