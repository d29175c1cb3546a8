// SPDX-License-Identifier: Apache-2.0

// A save in memory, in the order that matters: derive, check everything, change everything, derive again.

import FoundationEssentials
import Outcrop

extension NoteView {
    /// Does a save, unless it is in conflict with what is there. Nothing is written yet.
    func save(_ request: StoreSaveRequest, _ derivations: Derivations) throws -> StoreSaveResult {
        let evaluator = Evaluator(now: .now)
        // Where a conflict is decided, values that are derived from their own row count already.
        let written =
            (request.insertions.map { ($0.objectID, 1, $0.row) }
            + request.updates.map { ($0.objectID, $0.version + 1, $0.row) })
            .map { objectID, version, row in
                let object = RowObject(objectID: objectID, row: row)
                let row = derivations.deriveLocally(row, of: objectID.entity, from: object, with: evaluator)
                return Snapshot(objectID: index.objectID(objectID) ?? objectID, version: version, row: row)
            }
        if let conflicts = try conflicts(of: request, written) { return .conflicts(conflicts) }

        // An object that gets into a list or out of it may be counted by its owner, and the other way round.
        let related = request.members.flatMap { [$0.owner] + $0.added + $0.removed }
        let touched = written.map(\.objectID) + request.deletions.map(\.objectID) + related
        let before = derivations.dependents(on: touched, in: self)
        for deletion in request.deletions { index.remove(deletion.objectID) }
        for snapshot in written { put(snapshot) }
        for change in request.members { index.change(change) }

        let saved = Set(written.map(\.objectID))
        var pending = saved.union(touched).union(before).union(derivations.dependents(on: touched, in: self))
        var changed = saved
        // Values may be derived from derived ones, even in circles, which nothing would end.
        for _ in 0..<20 where !pending.isEmpty {
            let derived = try pending.compactMap {
                try deriving($0, isSaved: saved.contains($0), derivations, evaluator)
            }
            for snapshot in derived { put(snapshot) }
            changed.formUnion(derived.map(\.objectID))
            pending = derivations.dependents(on: derived.map(\.objectID), in: self)
        }
        if let failure { throw failure }
        return .saved(try changed.compactMap(snapshot))
    }

    /// A row with its derived values as they are now, in its old version; nil where they are what they were.
    private func deriving(
        _ objectID: ManagedObjectID,
        isSaved: Bool,
        _ derivations: Derivations,
        _ evaluator: Evaluator
    ) throws -> Snapshot? {
        guard let present = try snapshot(of: objectID) else { return nil }
        let row = derivations.derive(
            present.row,
            of: present.objectID.entity,
            from: NoteObject(objectID: present.objectID, view: self),
            isSaved: isSaved,
            with: evaluator
        )
        return row == present.row ? nil : Snapshot(objectID: present.objectID, version: present.version, row: row)
    }

    /// Why a save can't be done, all of it; nil if it can.
    private func conflicts(of request: StoreSaveRequest, _ written: [Snapshot]) throws -> StoreConflicts? {
        var conflicts = StoreConflicts()
        let expected =
            request.updates.map { ($0.objectID, $0.version) }
            + (request.deletions + request.locks).map { ($0.objectID, $0.version) }
        for (objectID, version) in expected where index.version(of: objectID) != version {
            // The value is an optional, too: nil says that the row is gone, while no entry would say that all is well.
            conflicts.rows[objectID] = .some(try snapshot(of: objectID))
        }
        // Rows of the save itself give up what they have, so that two may swap their values.
        let leaving = Set(written.map(\.objectID) + request.deletions.map(\.objectID))
        var claims: [UniqueKey: [ManagedObjectID]] = [:]
        for snapshot in written {
            for constraint in snapshot.objectID.entity.uniquenessConstraints {
                if let key = UniqueKey(constraint, snapshot.row) { claims[key, default: []].append(snapshot.objectID) }
            }
        }
        for (key, objects) in claims {
            let holder = index.holder(of: key).flatMap { leaving.contains($0) ? nil : $0 }
            guard objects.count > 1 || holder != nil else { continue }
            let stored = try holder.flatMap(snapshot)
            conflicts.constraints.append(.init(constraint: key.constraint, objects: objects, stored: stored))
        }
        return conflicts.rows.isEmpty && conflicts.constraints.isEmpty ? nil : conflicts
    }
}

/// A row that isn't in the store yet, for values that are derived from it alone.
private struct RowObject: KeyValueObject {
    let objectID: ManagedObjectID
    let row: Row

    var reference: ObjectReference? { objectID.objectReference }

    func operand(forKey key: String) -> Operand? {
        objectID.entity.attribute(named: key).map { .value(row.attributes[$0.slot]) }
    }
}
