// SPDX-License-Identifier: Apache-2.0

// What happened in a context between two calls of `processPendingChanges()`.

/// The objects touched in one event, as reported in a notification.
struct ContextEvent {
    private(set) var inserted = OrderedMembers<ManagedObject>()
    private(set) var updated = OrderedMembers<ManagedObject>()
    private(set) var deleted = OrderedMembers<ManagedObject>()
    private(set) var refreshed = OrderedMembers<ManagedObject>()
    /// New objects that got permanent IDs; reported only to lists by ID.
    private(set) var renamed = OrderedMembers<ManagedObject>()
    /// Whether changes were saved to the stores.
    var includesSave = false
    /// Whether others have changed the stores in unknown ways.
    var isIncomplete = false
    /// Whether the context was reset.
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
        if inserted.isEmpty, deleted.isEmpty {
            updated.append(object)
        } else if !updated.contains(object), !inserted.contains(object), !deleted.contains(object) {
            updated.append(object)
        }
    }

    /// An object that was inserted and deleted in one event isn't reported.
    mutating func delete(_ object: ManagedObject, wasInserted: Bool) {
        updated.remove(object)
        refreshed.remove(object)
        if !inserted.remove(object) { deleted.append(object) }
    }

    /// Reverts the record of a deletion.
    mutating func forget(_ object: ManagedObject) { deleted.remove(object) }

    mutating func remove(_ object: ManagedObject) { delete(object, wasInserted: true) }

    mutating func restore(_ object: ManagedObject) {
        insert(object)
    }
}
