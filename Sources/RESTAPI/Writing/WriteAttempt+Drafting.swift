// SPDX-License-Identifier: Apache-2.0

// Writes in editing contexts, where nothing is saved: what is answered of what is pending then.

import HTTPMessage
import ObjectGraph

/// The objects that an attempt has touched in an editing context.
struct DraftedChanges {
    private var insertions = OrderedMembers<ManagedObject>()
    private var updates = OrderedMembers<ManagedObject>()
    private var deletions = OrderedMembers<ManagedObject>()

    var inserted: [ManagedObject] { insertions.filter { !$0.isDeleted } }
    var updated: [ManagedObject] { updates.filter { !$0.isDeleted } }
    var deleted: [ManagedObject] { deletions.members }

    mutating func add(_ changes: ObjectsDidChange) {
        for object in changes.inserted { insertions.append(object) }
        for object in changes.updated where !insertions.contains(object) { updates.append(object) }
        for object in changes.deleted { deletions.append(object) }
    }
}

extension WriteAttempt {
    /// Has objects go out from the version that a change names, if it is the one that is stored: whoever has seen what others made
    /// of it may decide.
    func moveBases() throws {
        for (index, write) in plan.writes.enumerated() {
            guard let object = objects[index], let base = write.baseVersion ?? versionInPath(index),
                case let objectID = object.objectID, !objectID.isTemporary,
                try context.snapshots(of: [objectID])[0]?.version != base
            else { continue }
            let stored = try api.coordinator.read { reader in try reader.snapshots(of: [objectID])[0] }
            if stored?.version == base { try context.refresh(object, mergingChanges: true) }
        }
    }

    private func versionInPath(_ index: Int) -> Int64? {
        guard index == 0, case .object = plan.answer else { return nil }
        return plan.conditions.ifMatch?.versions.max()
    }

    /// - Parameter former: The row of the object that goes, for answers that show it.
    func draftReply(_ former: Snapshot?) throws -> Reply {
        var written = WrittenDTO()
        if plan.isDryRun, plan.answer == .deletion {
            written.content = .closure(closure(deleted: drafted.deleted, updated: drafted.updated))
            return Reply(.written(written))
        }
        written.ids = byName.sorted { $0.key < $1.key }.map { ($0.key, $0.value.objectID) }
        written.changes = try changes(
            inserted: drafted.inserted,
            updated: drafted.updated,
            deleted: drafted.deleted,
            context
        )
        return try reply(&written, former, context)
    }
}
