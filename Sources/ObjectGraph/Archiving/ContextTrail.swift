// SPDX-License-Identifier: Apache-2.0

// What a context's archive has of it, and what the next is to add.

import FoundationEssentials

/// What an archive has, and the objects that aren't any more as it has them.
struct ContextTrail {
    /// Where the archive has each object, by which what follows names it.
    private var places: [ManagedObject: Int] = [:]
    /// Objects that count although they have no changes.
    var kept: Set<ManagedObject> = []
    var era = 0
    var successors: [ManagedObjectID: ManagedObjectID] = [:]
    var departed: Set<ManagedObjectID> = []
    var assignments: [ManagedObjectID: UUID] = [:]
    /// Those that have changed since, and those that the archive hasn't at all.
    var changed: [ManagedObject] = []
    private var told: [(place: Int, object: ManagedObject)] = []

    /// The place of an object, which it gets if it has none.
    mutating func place(_ object: ManagedObject) -> Int {
        if let place = places[object] { return place }
        places[object] = places.count
        changed.append(object)
        return places.count - 1
    }

    /// The objects that a step has to tell, with their places.
    mutating func takeChanged() -> [(place: Int, object: ManagedObject)] {
        defer { changed = [] }
        told = OrderedMembers(changed).members.compactMap { object in places[object].map { ($0, object) } }
            .sorted { $0.0 < $1.0 }
        return told
    }

    /// Has the objects that were told say when they change.
    mutating func follow() {
        for (_, object) in told { object.isArchived = true }
        told = []
    }
}

extension ManagedObject {
    /// Has the next archive tell of the object, which has changed in some way.
    @inline(__always)
    final func leaveArchive() {
        if isArchived { noteChange() }
    }

    @inline(never)
    private final func noteChange() {
        isArchived = false
        confinement.context.trail?.changed.append(self)
    }
}
