// SPDX-License-Identifier: Apache-2.0

// What a context records of its pending changes, apart from the states of its objects.

import FoundationEssentials

/// The records of what is pending. A copy, with the objects' states, restores it.
struct PendingRecords {
    var inserted = PendingObjects()
    var updated = PendingObjects()
    var deleted = PendingObjects()
    /// Objects that a save depends on without changing them.
    var locked = PendingObjects()
    /// Deleted objects whose delete rules weren't applied yet.
    var unpropagated: [ManagedObject] = []
    /// Stored rows that conflict with pending changes, or nil if others have deleted the row. Their objects stay based
    /// on older versions, so that the save finds the conflict.
    var newer: [ManagedObjectID: Snapshot?] = [:]
    /// The base values of edits that conflict with others' edits, if the merge has moved the base.
    var contested: [ManagedObjectID: ConflictBases] = [:]
    /// The stores that new objects were assigned to.
    var assignments: [ManagedObjectID: UUID] = [:]
    /// The versions of rows, before others deleted them, whose objects are inserted again.
    var formerVersions: [ManagedObjectID: Int64] = [:]
    /// The references that new objects keep from elsewhere.
    var kept: [ManagedObjectID: RetainedReference] = [:]
    /// The objects that replace inserted ones with the same unique values, in the latest or running save.
    var survivors: [ManagedObjectID: ManagedObjectID] = [:]
    /// The IDs that replaced others: by a save, or by undoing a deletion that was saved.
    var successors: [ManagedObjectID: ManagedObjectID] = [:]
    /// The IDs of objects whose deletion was saved; undo may refer to them without restoring them.
    var savedDeletions: Set<ManagedObjectID> = []

    /// The records without changes: the IDs that objects had.
    var withoutChanges: PendingRecords {
        var records = PendingRecords()
        records.survivors = survivors
        records.successors = successors
        records.savedDeletions = savedDeletions
        return records
    }
}

extension ManagedObjectContext {
    var inserted: PendingObjects {
        get { pending.inserted }
        _modify { yield &pending.inserted }
    }

    var updated: PendingObjects {
        get { pending.updated }
        _modify { yield &pending.updated }
    }

    var deleted: PendingObjects {
        get { pending.deleted }
        _modify { yield &pending.deleted }
    }
}
