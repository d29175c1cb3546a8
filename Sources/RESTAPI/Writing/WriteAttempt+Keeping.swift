// SPDX-License-Identifier: Apache-2.0

// The answer of a save that is kept with it: made of the rows as they are written, before anybody can read them.

import ObjectGraph

extension WriteAttempt {
    /// The note of the answer to what is about to be saved.
    func note(_ keeping: AnswerKeeping) throws(GraphError) -> PendingNote<SavedRows> {
        let answer = WriteAnswer(self)
        let answered = answered.map { objects[$0]?.objectID }
        let names = byName.sorted { $0.key < $1.key }.map { ($0.key, $0.value.objectID) }
        let tellsChanges = plan.preferences.returning.contains(.changes) && context.hasChanges
        let changed = tellsChanges ? touched(besides: answered) : nil
        // What is answered and not written stays as it is.
        let present = answered.compactMap(\.self) + (changed?.map(\.objectID) ?? [])
        let unwritten = Dictionary(
            zip(present, try context.snapshots(of: present)).compactMap { id, row in row.map { (id, $0) } }
        ) { first, _ in first }
        return keeping.note { saved in
            let row = { (objectID: ManagedObjectID) in saved[objectID] ?? unwritten[objectID]?.named(saved) }
            var written = WrittenDTO()
            written.ids = names.map { ($0, saved.permanentID(of: $1)) }
            written.changes = changed?.compactMap { change in
                if change.kind == .deleted { return change }
                return row(change.objectID).map {
                    WrittenDTO.Change(objectID: $0.objectID, version: $0.version, kind: change.kind)
                }
            }
            return answer.reply(written, answered.map { $0.flatMap(row) })
        }
    }

    /// What the save touches besides the objects of the answer.
    private func touched(besides answered: [ManagedObjectID?]) -> [WrittenDTO.Change] {
        let shown = Set(answered.compactMap(\.self))
        func changes(_ objects: [ManagedObject], _ kind: WrittenDTO.Change.Kind) -> [WrittenDTO.Change] {
            objects.filter { !shown.contains($0.objectID) }.map {
                WrittenDTO.Change(objectID: $0.objectID, version: $0.rowVersion, kind: kind)
            }
        }
        return changes(context.insertedObjects, .inserted) + changes(context.updatedObjects, .updated)
            + changes(context.deletedObjects, .deleted)
    }
}

extension Snapshot {
    /// The row under the IDs that objects have after a save.
    fileprivate func named(_ saved: SavedRows) -> Snapshot {
        var row = row
        row.toOnes = row.toOnes.map { $0.map(saved.permanentID) }
        return Snapshot(objectID: saved.permanentID(of: objectID), version: version, row: row)
    }
}
