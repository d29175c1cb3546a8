// SPDX-License-Identifier: Apache-2.0

// Resolving conflicts with rows that others have changed, by the merge policy.

import Basics
import Predicates

extension ManagedObjectContext {
    /// Makes the objects of conflicts savable, or throws if the policy doesn't allow it.
    func resolve(_ conflicts: StoreConflicts) throws(GraphError) {
        // Rows first: their values may already resolve the other conflicts.
        guard !conflicts.rows.isEmpty else {
            if !conflicts.dangling.isEmpty { return try unlinkDangling(conflicts.dangling) }
            if !conflicts.newReferrers.isEmpty { return try mergeReferrers(conflicts.newReferrers) }
            if !conflicts.members.isEmpty { return try mergePresentMembers(conflicts.members) }
            return try resolve(conflicts.constraints)
        }
        let rows = mergeConflicts(conflicts.rows)
        if mergePolicy.kind == .error, mergePolicy.resolution == nil, !rows.isEmpty { throw .conflicts(rows) }
        let resolved = try rows.map { conflict throws(GraphError) in (conflict, try resolvedRow(conflict)) }
        try adopt(conflicts.rows, awaking: .mergePolicy) { changes in
            for (conflict, row) in resolved { dropLosingChanges(of: conflict, resolvedTo: row, from: &changes) }
            for objectID in conflicts.rows.keys { changes.resolve(objectID) }
        }
        for (conflict, row) in resolved where row == nil { forgetEdits(conflict) }
    }

    /// Unlinks objects from destinations that others have deleted, as a merge does, unless the policy is to throw or to
    /// ask.
    private func unlinkDangling(_ dangling: [StoreSaveRequest.Reference]) throws(GraphError) {
        guard mergePolicy.kind != .error || mergePolicy.resolution != nil else { throw .dangling(dangling) }
        // Registers unknown destinations as missing.
        let objects = dangling.map { object(with: $0.destination) }
        defer { withExtendedLifetime(objects) {} }
        let gone = Dictionary(keepingFirst: dangling.map { ($0.destination, Snapshot?.none) })
        try adopt(gone, awaking: .mergePolicy) { _ in }
    }

    /// Merges rows that others have linked to objects to be deleted, so that delete rules apply to them.
    private func mergeReferrers(_ newReferrers: [Snapshot]) throws(GraphError) {
        var changes = SavedChanges()
        for row in newReferrers {
            if let before = registered[row.objectID]?.snapshot {
                changes.list.append(.updated(before: before, after: row))
            } else {
                changes.list.append(.inserted(row))
            }
        }
        try merge(changes)
    }

    /// Merges the present members, so that their number is validated again.
    private func mergePresentMembers(_ present: [StoreSaveRequest.KnownMembers]) throws(GraphError) {
        var changes = SavedChanges()
        for present in present {
            let before = registered[present.owner]?.toMany(present.relationship).committed ?? []
            changes.add([present.owner] + Set(before).symmetricDifference(present.members), as: .updated)
        }
        try merge(changes)
    }

    /// The conflicts in order of their objects' changes, without rows that weren't read here and rows that both sides
    /// have deleted.
    private func mergeConflicts(_ rows: [ManagedObjectID: Snapshot?]) -> [MergeConflict] {
        (deleted.members + updated.members + unchangedLockedObjects).compactMap { object in
            guard let stored = rows[object.objectID], let base = object.snapshot,
                !object.isDeleted || stored != nil
            else { return nil }
            return MergeConflict(
                objectID: object.objectID,
                base: base,
                stored: stored,
                edited: object.isDeleted ? nil : object.row
            )
        }
    }

    /// The row that a custom policy returns for a conflict, or nil.
    private func resolvedRow(_ conflict: MergeConflict) throws(GraphError) -> Row? {
        guard let resolution = mergePolicy.resolution, let stored = conflict.stored, conflict.edited != nil else {
            return nil
        }
        let row: Row?
        do {
            row = try resolution(conflict)
        } catch {
            var failed = GraphError.conflicts([conflict])
            failed.underlying = error
            throw failed
        }
        guard let row else { return stored.row }
        let entity = registered[conflict.objectID]?.entity ?? conflict.objectID.entity
        return try conflict.checked(row, of: entity, in: model)
    }

    /// Drops undo edits of values that the policy has given up.
    private func forgetEdits(_ conflict: MergeConflict) {
        guard let undoManager, let stored = conflict.stored?.row, conflict.edited != nil else { return }
        let objectID = conflict.objectID
        let base = conflict.base.row
        let isWhole = mergePolicy.kind == .rollback
        guard isWhole || mergePolicy.kind == .mergeByPropertyStoreTrump else { return }
        func isTheirs(toOne slot: Int) -> Bool {
            // For one-to-one relationships, the partners' edits must stay.
            guard objectID.entity.toOnes[slot].inverse?.isToMany ?? true else { return false }
            return isWhole || stored.toOnes[slot] != base.toOnes[slot]
        }
        undoManager.forget { edit in
            switch edit {
            case .attribute(let object, let slot, _):
                object.objectID == objectID && (isWhole || stored.attributes[slot] != base.attributes[slot])
            case .toOne(let object, let slot, _): object.objectID == objectID && isTheirs(toOne: slot)
            case .addMember(let owner, let slot, objectID, at: _), .removeMember(let owner, let slot, objectID):
                owner.entity.toManys[slot].inverseToOne.map { isTheirs(toOne: $0.slot) } ?? false
            default: false
            }
        }
    }

    /// Drops the changes of an object that the policy doesn't save.
    private func dropLosingChanges(
        of conflict: MergeConflict,
        resolvedTo resolved: Row?,
        from changes: inout ContextChanges
    ) {
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
    /// Whether the context decides if an object exists.
    fileprivate var objectWins: Bool { kind == .overwrite || kind == .mergeByPropertyObjectTrump }
}

extension Row {
    /// These values, with those of another row where these equal the base.
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
            "Other writers have changed \(names)\(conflicts.count > 3 ? " and more" : "") since this context read them.",
            hint: "Refresh the objects and try again, or set a merge policy."
        )
        error.conflicts = conflicts
        return error
    }

    /// An object to be saved refers to objects that others have deleted.
    static func dangling(_ references: [StoreSaveRequest.Reference]) -> GraphError {
        let failures = references.map { reference in
            var failure = ValidationFailure(
                .referentialIntegrity,
                "\(reference.relationship.name) refers to \(reference.destination), which was deleted by another writer.",
                property: reference.relationship.name,
                value: .reference(reference.destination.objectReference)
            )
            failure.objectID = reference.objectID
            failure.entityName = reference.objectID.entity.name
            return failure
        }
        return .validation(failures, code: .conflict)
    }

    static func constraintConflicts(_ violations: [ConstraintViolation]) -> GraphError {
        let names = violations.prefix(3).map { violation in
            let entity = violation.objects.first?.entity.name ?? ""
            return "\(entity) (\(violation.constraint.map(violation.describe).joined(separator: ", ")))"
        }
        var error = GraphError(
            .constraint,
            "Unique constraints are violated: \(names.joined(separator: "; "))."
        )
        error.constraintConflicts = violations
        return error
    }
}

extension ConstraintViolation {
    /// A property's name, and the conflicting value if the store returned the row.
    fileprivate func describe(_ property: PropertyDescription) -> String {
        guard case .attribute(let attribute) = property, let value = stored?.row.attributes[attribute.slot] else {
            return property.name
        }
        return "\(property.name): \(ObjectExpression.constant(value))"
    }
}
