// SPDX-License-Identifier: Apache-2.0

// What happened in a context between two times that its changes were processed.

/// The objects touched in one event, which a notification tells of.
struct ContextEvent {
    private(set) var inserted = OrderedMembers<ManagedObject>()
    private(set) var updated = OrderedMembers<ManagedObject>()
    private(set) var deleted = OrderedMembers<ManagedObject>()
    private(set) var refreshed = OrderedMembers<ManagedObject>()
    /// New objects that have got their permanent IDs, which is no news but to lists by ID.
    private(set) var renamed = OrderedMembers<ManagedObject>()
    /// Whether the stores have got changes that they hadn't.
    var includesSave = false
    /// Whether others have changed the stores and didn't tell what.
    var isIncomplete = false
    /// Whether everything was forgotten before.
    var invalidatesAll = false

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && renamed.isEmpty && !isIncomplete
            && !invalidatesAll && !includesSave
    }

    mutating func insert(_ object: ManagedObject) {
        if deleted.remove(object) { refreshed.append(object) } else { inserted.append(object) }
    }

    mutating func refresh(_ object: ManagedObject) {
        if !inserted.contains(object), !deleted.contains(object) { refreshed.append(object) }
    }

    mutating func rename(_ object: ManagedObject) { renamed.append(object) }

    mutating func update(_ object: ManagedObject) {
        if !inserted.contains(object), !deleted.contains(object) { updated.append(object) }
    }

    /// What was inserted and deleted in one event is not reported at all.
    mutating func delete(_ object: ManagedObject, wasInserted: Bool) {
        updated.remove(object)
        refreshed.remove(object)
        if !inserted.remove(object) { deleted.append(object) }
    }

    /// Takes back that an object was deleted.
    mutating func forget(_ object: ManagedObject) { deleted.remove(object) }

    mutating func remove(_ object: ManagedObject) { delete(object, wasInserted: true) }

    mutating func restore(_ object: ManagedObject) {
        insert(object)
    }
}
