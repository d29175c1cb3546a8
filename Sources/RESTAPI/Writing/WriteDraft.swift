// SPDX-License-Identifier: Apache-2.0

// Ends a write by leaving it pending in an editing context.

import ObjectGraph

/// Answers with the pending state of the written objects; new objects have temporary IDs.
struct WriteDraft {
    let write: AppliedWrite
    let changes: RequestChanges

    func reply() throws -> Reply {
        if write.plan.isDryRun, write.plan.answer == .deletion { return Reply(closureOf: changes.touched) }
        let answer = try WriteAnswer(to: write, touching: changes.touched)
        let rows = try answer.rows(in: write.context)
        return answer.reply { rows[$0] }
    }
}

/// The changes of an editing context while a request is executed.
struct RequestChanges {
    private var inserted = OrderedMembers<ManagedObject>()
    private var updated = OrderedMembers<ManagedObject>()
    private var deleted = OrderedMembers<ManagedObject>()

    var touched: TouchedObjects {
        TouchedObjects(
            inserted: inserted.filter { !$0.isDeleted },
            updated: updated.filter { !$0.isDeleted },
            deleted: deleted.members
        )
    }

    mutating func add(_ changes: ObjectsDidChange) {
        for object in changes.inserted { inserted.append(object) }
        for object in changes.updated where !inserted.contains(object) { updated.append(object) }
        for object in changes.deleted { deleted.append(object) }
    }
}
