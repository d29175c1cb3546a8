// SPDX-License-Identifier: Apache-2.0

// A save in memory: derive, check everything, change everything, derive again.

import FoundationEssentials
import Outcrop

extension NoteView {
    /// Applies a save in memory, or returns its conflicts.
    func save(_ request: StoreSaveRequest, _ derivations: Derivations) throws -> StoreSaveResult {
        let evaluator = Evaluator(now: .now)
        let request = derivations.deriveLocally(request, with: evaluator)
        let conflicts = try request.conflicts(
            version: index.version,
            holder: index.holder,
            members: { relationship, owners in owners.map { index.members(of: relationship, owner: $0) } },
            stored: snapshot
        )
        if let conflicts { return .conflicts(conflicts) }

        // Determine dependents before and after, since the save changes the relationships that they depend on.
        let before = derivations.dependents(on: request.touched, in: self)
        for deletion in request.deletions { index.remove(deletion.objectID) }
        let written =
            request.insertions.map { Snapshot(objectID: $0.objectID, version: $0.version, row: $0.row) }
            + request.updates.map { Snapshot(objectID: $0.objectID, version: $0.version + 1, row: $0.row) }
        for snapshot in written { put(snapshot) }
        for change in request.members { index.change(change) }
        if derivations.isEmpty { return .saved(written) }

        let saved = Set(written.map(\.objectID))
        var pending = before.union(derivations.dependents(on: request.touched, in: self)).union(request.touched)
        var changed = saved
        // Derived values can depend on each other, even in a cycle that would never end.
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

    /// A row with current derived values in its old version, or nil if they haven't changed.
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
}
