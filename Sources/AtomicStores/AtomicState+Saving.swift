// SPDX-License-Identifier: Apache-2.0

// Saves into an atomic store: all is checked before anything is changed.

import FoundationEssentials
import ObjectGraph

extension AtomicState {
    /// Does a save, unless it is in conflict with what is there.
    mutating func save(
        _ request: StoreSaveRequest,
        in model: ManagedObjectModel,
        _ derivations: Derivations,
        now: Date = .now
    ) -> StoreSaveResult {
        guard !derivations.isEmpty else {
            if let conflicts = conflicts(of: request) { return .conflicts(conflicts) }
            return .saved(apply(request, in: model))
        }
        let request = deriving(request, derivations, now)
        if let conflicts = conflicts(of: request) { return .conflicts(conflicts) }
        let touched = request.touched
        let before = derivations.dependents(on: touched, in: self)
        let written = apply(request, in: model).map(\.objectID)
        // An object that gets into a list or out of it is not saved itself, but may count what is in the list.
        let dependents = derivations.dependents(on: touched, in: self).union(before).union(touched)
        let recomputed = derive(saved: Set(written), dependents: dependents, derivations, now, in: model)
        return .saved((written + recomputed.subtracting(written)).compactMap { rows[$0] })
    }

    /// Why a save can't be done; nil if it can.
    private func conflicts(of request: StoreSaveRequest) -> StoreConflicts? {
        var conflicts = StoreConflicts()
        let expected =
            request.updates.map { ($0.objectID, $0.version) }
            + (request.deletions + request.locks).map { ($0.objectID, $0.version) }
        for (objectID, version) in expected where rows[objectID]?.version != version {
            conflicts.rows[objectID] = .some(rows[objectID])
        }
        conflicts.constraints = violations(of: request)
        return conflicts.rows.isEmpty && conflicts.constraints.isEmpty ? nil : conflicts
    }

    /// Values that would be there twice, within the save and against the rows that it leaves alone.
    private func violations(of request: StoreSaveRequest) -> [ConstraintViolation] {
        let changed = request.insertions.map { ($0.objectID, $0.row) } + request.updates.map { ($0.objectID, $0.row) }
        let leaving = Set(request.deletions.map(\.objectID) + changed.map(\.0))
        var claims: [UniqueKey: [ManagedObjectID]] = [:]
        var order: [UniqueKey] = []
        for (objectID, row) in changed {
            for constraint in objectID.entity.uniquenessConstraints {
                guard let key = UniqueKey(constraint, row) else { continue }
                if claims[key] == nil { order.append(key) }
                claims[key, default: []].append(objectID)
            }
        }
        return order.compactMap { key in
            let stored = holder(of: key).flatMap { leaving.contains($0) ? nil : rows[$0] }
            guard let objects = claims[key], objects.count > 1 || stored != nil else { return nil }
            return ConstraintViolation(constraint: key.constraint, objects: objects, stored: stored)
        }
    }

    /// Does what a save without conflicts asks for; the rows inserted and updated as they stand then.
    private mutating func apply(_ request: StoreSaveRequest, in model: ManagedObjectModel) -> [Snapshot] {
        for deletion in request.deletions { remove(deletion.objectID) }
        var written: [Snapshot] = []
        for insertion in request.insertions {
            written.append(Snapshot(objectID: insertion.objectID, version: 1, row: insertion.row))
        }
        for update in request.updates {
            written.append(Snapshot(objectID: update.objectID, version: update.version + 1, row: update.row))
        }
        for snapshot in written { put(snapshot, in: model) }
        for members in request.members { change(members) }
        return written
    }
}
