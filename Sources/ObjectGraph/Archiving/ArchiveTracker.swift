// SPDX-License-Identifier: Apache-2.0

// Tracks what a context's archive has and what the next one must add.

import FoundationEssentials

/// What an archive has, and the objects that have changed since.
struct ArchiveTracker {
    /// The index of each object in the archive's state.
    private var places: [ManagedObject: Int] = [:]
    /// Objects whose committed values matter although they have no changes.
    var kept: Set<ManagedObject> = []
    var era = 0
    var successors: [ManagedObjectID: ManagedObjectID] = [:]
    var savedDeletions: Set<ManagedObjectID> = []
    var assignments: [ManagedObjectID: UUID] = [:]
    /// Objects that have changed since, and those that aren't in the archive.
    var changed: [ManagedObject] = []
    private var drained: [(place: Int, object: ManagedObject)] = []

    /// The index of an object, assigned at first use.
    mutating func place(_ object: ManagedObject) -> Int {
        if let place = places[object] { return place }
        places[object] = places.count
        changed.append(object)
        return places.count - 1
    }

    /// Drains the objects that a step must contain, with their indices.
    mutating func drainChanged() -> [(place: Int, object: ManagedObject)] {
        defer { changed = [] }
        drained = OrderedMembers(changed).members.compactMap { object in places[object].map { ($0, object) } }
            .sorted { $0.0 < $1.0 }
        return drained
    }

    /// Marks the drained objects as archived, so that they report their next change.
    mutating func markDrainedAsArchived() {
        for (_, object) in drained { object.isArchived = true }
        drained = []
    }
}

extension ManagedObject {
    /// Makes the next archive contain the object, which has changed.
    @inline(__always)
    final func markChangedSinceArchive() {
        if isArchived { recordChange() }
    }

    @inline(never)
    private final func recordChange() {
        isArchived = false
        confinement.context.archiveTracker?.changed.append(self)
    }
}
