// SPDX-License-Identifier: Apache-2.0

// What becomes of objects whose rows others have changed: what the merge policy says.

import Predicates

extension ManagedObjectContext {
    /// Brings the objects of conflicts into a state that can be saved, or throws where the policy doesn't allow that.
    func resolve(_ conflicts: StoreConflicts) throws(GraphError) {
        let rows = try mergeConflicts(conflicts.rows)
        if mergePolicy.kind == .error, mergePolicy.resolution == nil, !rows.isEmpty { throw .conflicts(rows) }
        // What others have deleted goes first, since nothing may lead to it in what the others come to.
        for conflict in rows where conflict.stored == nil {
            if let object = registered[conflict.objectID] { try resolve(conflict, of: object) }
        }
        for conflict in try mergeConflicts(conflicts.rows) where conflict.stored != nil {
            guard let object = registered[conflict.objectID] else { continue }
            try resolve(conflict, of: object)
        }
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        try propagateDeletions()
        // Rows come first: what they bring may already make values different that must be.
        guard rows.isEmpty, !conflicts.constraints.isEmpty else { return }
        try resolve(conflicts.constraints)
    }

    /// The conflicts in the order in which their objects were changed.
    private func mergeConflicts(_ rows: [ManagedObjectID: Snapshot?]) throws(GraphError) -> [MergeConflict] {
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

    private func resolve(_ conflict: MergeConflict, of object: ManagedObject) throws(GraphError) {
        guard let stored = conflict.stored else {
            if !object.isUpdated || !mergePolicy.objectWins { forget(object) } else { insertAgain(object) }
            return
        }
        guard object.hasChanges else { return refresh(object, with: stored) }
        if object.isDeleted {
            object.snapshot = stored
            if !mergePolicy.objectWins { revive(object, as: stored.row) }
            return
        }
        let row = try mergedRow(conflict, stored, object.entity)
        let before = object.row
        newer[object.objectID] = nil
        adopt(stored, with: row, in: object)
        undoManager?.disableRegistration()
        pairUp(object, before: before)
        undoManager?.enableRegistration()
        forgetOrder(of: object, before: before)
        object.awake(fromSnapshotEvents: .mergePolicy)
        settle(object)
    }

    /// The values to be saved in place of those that are in conflict.
    private func mergedRow(
        _ conflict: MergeConflict,
        _ stored: Snapshot,
        _ entity: EntityDescription
    ) throws(GraphError) -> Row {
        let edited = conflict.edited ?? stored.row
        if let resolution = mergePolicy.resolution {
            do {
                return try resolution(conflict) ?? stored.row
            } catch {
                var failed = GraphError.conflicts([conflict])
                failed.underlying = error
                throw failed
            }
        }
        switch mergePolicy.kind {
        case .error, .rollback: return stored.row
        case .overwrite: return edited
        case .mergeByPropertyObjectTrump: return edited.merged(over: stored.row, base: conflict.base.row)
        case .mergeByPropertyStoreTrump: return stored.row.merged(over: edited, base: conflict.base.row)
        }
    }

    /// The row was deleted by others, and the object's values are to stay: it is written as a new one.
    private func insertAgain(_ object: ManagedObject) {
        updated.remove(object)
        object.status.subtract(.updated)
        object.status.insert(.inserted)
        object.snapshot = nil
        for slot in object.toManys.indices { object.toManys[slot].uncommit() }
        newer[object.objectID] = nil
        inserted.append(object)
        for relationship in object.entity.toManys where relationship.isManyToMany && !object.toManys.isEmpty {
            guard let inverse = relationship.inverse else { continue }
            for member in object.toManys[relationship.slot].added { uncommit(object, at: inverse.slot, of: member) }
        }
    }

    /// Counts an object as a new member of a relationship: the store has the pair no more, whose other side may speak for it.
    private func uncommit(_ object: ManagedObject, at slot: Int, of owner: ManagedObjectID) {
        guard let owner = registered[owner], !owner.isDeleted else { return }
        owner.touchToManys()
        owner.toManys[slot].adopt(removed: object.objectID)
        undoManager?.disableRegistration()
        perform(.addMember(owner, slot: slot, object.objectID, at: nil))
        undoManager?.enableRegistration()
    }

    /// The row was deleted by others, and so is the object.
    private func forget(_ object: ManagedObject) {
        locked.remove(object)
        guard object.isUpdated else { return forgetDeleted(object) }
        undoManager?.disableRegistration()
        vanish(object)
        unlink([object.objectID])
        undoManager?.enableRegistration()
    }

    /// Takes the deletion of an object back, whose row was changed by others meanwhile, and what it led to for other objects.
    private func revive(_ object: ManagedObject, as row: Row) {
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        let before = object.row
        deleted.remove(object)
        object.status.remove(.deleted)
        newer[object.objectID] = nil
        object.row = row
        link(object.objectID, row, from: [before])
        pairUp(object, before: before)
        for relationship in object.entity.toManys where !object.toManys.isEmpty {
            object.toManys[relationship.slot].rollback()
            rejoin(object, along: relationship)
        }
        event.restore(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Makes the members of an object that came back lead to it again, if they still can.
    private func rejoin(_ object: ManagedObject, along relationship: RelationshipDescription) {
        guard let inverse = relationship.inverse else { return }
        for objectID in object.toManys[relationship.slot].members?.members ?? [] {
            guard let member = registered[objectID] else { continue }
            if member.isDeleted {
                perform(.removeMember(object, slot: relationship.slot, objectID))
            } else if inverse.isToMany {
                if !member.toManys.isEmpty { member.toManys[inverse.slot].adopt(added: object.objectID) }
            } else if !member.isFault, member.row.toOnes[inverse.slot] == nil {
                perform(.toOne(member, slot: inverse.slot, object.objectID))
            } else if !member.isFault, member.row.toOnes[inverse.slot] != object.objectID {
                object.toManys[relationship.slot].adopt(removed: objectID)
            }
            settle(member)
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
            return "\(entity) (\(violation.constraint.map(\.name).joined(separator: ", ")))"
        }
        var error = GraphError(
            .constraint,
            "Objects have the same values where they must differ: \(names.joined(separator: "; "))."
        )
        error.constraintConflicts = violations
        return error
    }
}
