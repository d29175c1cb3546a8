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

        // The save changes the relationships by which dependents are found.
        let before = derivations.dependents(on: request.touched, in: self)
        for deletion in request.deletions { index.remove(deletion.objectID) }
        let written = request.writtenRows
        for snapshot in written { put(snapshot) }
        index.change(request.members)
        if derivations.isEmpty { return .saved(written) }

        var view = self
        let rows = try derivations.recompute(
            written.map(\.objectID),
            touched: request.touched,
            formerDependents: before,
            in: &view,
            with: evaluator
        )
        if let failure { throw failure }
        return .saved(rows)
    }
}

extension NoteView: DerivationTarget {
    func recompute(
        _ objects: Set<ManagedObjectID>,
        saved: Set<ManagedObjectID>,
        by derivations: Derivations,
        with evaluator: Evaluator
    ) throws -> [ManagedObjectID: Snapshot?] {
        var former: [ManagedObjectID: Snapshot?] = [:]
        for objectID in objects {
            guard let present = try snapshot(of: objectID) else { continue }
            let row = derivations.derive(
                present.row,
                of: present.objectID.entity,
                from: NoteObject(objectID: present.objectID, view: self),
                isSaved: saved.contains(objectID),
                with: evaluator
            )
            guard row != present.row else { continue }
            put(Snapshot(objectID: present.objectID, version: present.version, row: row))
            former[present.objectID] = present
        }
        return former
    }
}
