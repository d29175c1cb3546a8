// SPDX-License-Identifier: Apache-2.0

// What becomes of objects whose rows others have changed: what the merge policy says.

import Predicates

extension ManagedObjectContext {
    /// Brings the objects of conflicts into a state that can be saved, or throws where the policy doesn't allow that.
    func resolve(_ conflicts: StoreConflicts) throws(GraphError) {
        // Rows come first: what they bring may already make values different that must be, or lead elsewhere.
        guard !conflicts.rows.isEmpty else {
            if !conflicts.dangling.isEmpty { return try part(from: conflicts.dangling) }
            if !conflicts.newcomers.isEmpty { return try meet(conflicts.newcomers) }
            if !conflicts.members.isEmpty { return try recount(conflicts.members) }
            return try resolve(conflicts.constraints)
        }
        let rows = mergeConflicts(conflicts.rows)
        if mergePolicy.kind == .error, mergePolicy.resolution == nil, !rows.isEmpty { throw .conflicts(rows) }
        let resolved = try rows.map { conflict throws(GraphError) in (conflict, try resolvedRow(conflict)) }
        try adopt(conflicts.rows, awaking: .mergePolicy) { changes in
            for (conflict, row) in resolved { settle(conflict, row, &changes) }
            for objectID in conflicts.rows.keys { changes.settle(objectID) }
        }
        for (conflict, row) in resolved where row == nil { forgetEdits(conflict) }
    }

    /// What leads to objects that others have deleted leads nowhere, as after a merge, unless somebody is to be asked first.
    private func part(from dangling: [StoreSaveRequest.Reference]) throws(GraphError) {
        guard mergePolicy.kind != .error || mergePolicy.resolution != nil else { throw .dangling(dangling) }
        // Who isn't known here becomes so, as one that is gone.
        let objects = dangling.map { object(with: $0.destination) }
        defer { withExtendedLifetime(objects) {} }
        let gone = Dictionary(dangling.map { ($0.destination, Snapshot?.none) }) { first, _ in first }
        try adopt(gone, awaking: .mergePolicy) { _ in }
    }

    /// Whom others have brought to an object that is to be deleted, its delete rules are for.
    private func meet(_ newcomers: [Snapshot]) throws(GraphError) {
        var changes = SavedChanges()
        for row in newcomers {
            if let before = registered[row.objectID]?.snapshot {
                changes.list.append(.updated(before: before, after: row))
            } else {
                changes.list.append(.inserted(row))
            }
        }
        try merge(changes)
    }

    /// Has the number of members found right or wrong by those that are there now.
    private func recount(_ present: [StoreSaveRequest.KnownMembers]) throws(GraphError) {
        var changes = SavedChanges()
        for present in present {
            let before = registered[present.owner]?.toMany(present.relationship).committed ?? []
            changes.add([present.owner] + Set(before).symmetricDifference(present.members), as: .updated)
        }
        try merge(changes)
    }

    /// The conflicts in the order in which their objects were changed. Where nothing was known of a row there is none, nor where all have
    /// deleted it.
    private func mergeConflicts(_ rows: [ManagedObjectID: Snapshot?]) -> [MergeConflict] {
        (deleted.members + updated.members + locked.members).compactMap { object in
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

    /// The row that a policy of one's own wants to be saved.
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

    /// Has undo leave alone what is others' work by now: values that the policy has given up.
    private func forgetEdits(_ conflict: MergeConflict) {
        guard let undoManager, let stored = conflict.stored?.row, conflict.edited != nil else { return }
        let (objectID, base) = (conflict.objectID, conflict.base.row)
        let isWhole = mergePolicy.kind == .rollback
        guard isWhole || mergePolicy.kind == .mergeByPropertyStoreTrump else { return }
        func isTheirs(toOne slot: Int) -> Bool {
            // One to one, the partners have their own edits of it.
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

    /// What is to be saved leads to objects that others have deleted.
    static func dangling(_ references: [StoreSaveRequest.Reference]) -> GraphError {
        let failures = references.map { reference in
            var failure = ValidationFailure(
                .referentialIntegrity,
                "\(reference.relationship.name) leads to \(reference.destination), which others have deleted.",
                property: reference.relationship.name,
                value: .reference(reference.destination.objectReference)
            )
            (failure.objectID, failure.entityName) = (reference.objectID, reference.objectID.entity.name)
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
