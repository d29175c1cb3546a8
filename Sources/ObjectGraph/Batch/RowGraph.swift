// SPDX-License-Identifier: Apache-2.0

// The rows that a batch changes, with both sides of their relationships: a context without objects.

import Predicates

/// Rows of a store, and their pending changes.
///
/// 1. `rows` has the present values of inserted and updated rows, and of no deleted ones.
/// 2. `inserted`, `updated` and `deleted` are disjoint.
/// 3. `memberships` has both sides of each changed many-to-many relationship.
final class RowGraph {
    let store: any PersistentStore
    let model: ManagedObjectModel
    let maximum: Int?
    let patterns = PatternChecker()
    /// The stored rows; nil for missing ones.
    private var stored: [ManagedObjectID: Snapshot?] = [:]
    private(set) var rows: [ManagedObjectID: Row] = [:]
    private(set) var inserted = OrderedMembers<ManagedObjectID>()
    private(set) var updated = OrderedMembers<ManagedObjectID>()
    private(set) var deleted = OrderedMembers<ManagedObjectID>()
    /// Changes of to-many relationships that rows don't contain, and of those whose number of members is limited.
    private(set) var memberships: [MembersKey: Membership] = [:]
    /// The keys of `memberships` in order.
    private(set) var membershipKeys: [MembersKey] = []
    /// Links with a deny rule, checked after the last cascade.
    var deniable: [DeletedLinks<Snapshot>] = []
    /// The number of the batch's row for each object.
    var numbers: [ManagedObjectID: Int] = [:]
    /// The references that new objects keep from elsewhere.
    var kept: [ManagedObjectID: RetainedReference] = [:]

    /// A to-many relationship of an object.
    struct MembersKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    struct Membership {
        var added = OrderedMembers<ManagedObjectID>()
        var removed = OrderedMembers<ManagedObjectID>()
        /// All members, if they were set as a whole.
        var order: [ManagedObjectID]?
    }

    init(of store: any PersistentStore, model: ManagedObjectModel, maximum: Int?) {
        self.store = store
        self.model = model
        self.maximum = maximum
    }
}

// MARK: Reading

extension RowGraph {
    /// Reads unknown rows with one call.
    func load(_ objects: some Sequence<ManagedObjectID>) throws {
        var unknown = OrderedMembers<ManagedObjectID>()
        for object in objects where stored[object] == nil && !inserted.contains(object) { unknown.append(object) }
        guard !unknown.isEmpty else { return }
        let ids = unknown.members
        for (object, snapshot) in zip(ids, try store.snapshots(of: ids, at: nil)) {
            stored[object] = .some(snapshot)
        }
    }

    func fetch(_ request: StoreFetchRequest) throws -> [Snapshot] {
        guard case .snapshots(let found) = try store.fetch(request, at: nil) else { return [] }
        for snapshot in found { stored[snapshot.objectID] = .some(snapshot) }
        return found
    }

    /// The stored row of an object, or nil.
    func snapshot(_ objectID: ManagedObjectID) throws -> Snapshot? {
        if let known = stored[objectID] { return known }
        try load([objectID])
        return stored[objectID] ?? nil
    }

    /// The present row of an object; nil if it is missing or deleted.
    func present(_ objectID: ManagedObjectID) throws -> Row? {
        if let row = rows[objectID] { return row }
        return deleted.contains(objectID) ? nil : try snapshot(objectID)?.row
    }

    /// The stored members of a to-many relationship.
    func members(of relationship: RelationshipDescription, owners: [ManagedObjectID]) throws -> [[ManagedObjectID]] {
        owners.isEmpty ? [] : try store.members(of: relationship, owners: owners, at: nil)
    }

    /// The ID with the row's own entity, for one that may name a superentity.
    func exact(_ objectID: ManagedObjectID) throws -> ManagedObjectID? {
        inserted.contains(objectID) ? objectID : try snapshot(objectID)?.objectID
    }
}

// MARK: Changing

extension RowGraph {
    func insert(_ row: Row, id objectID: ManagedObjectID) {
        inserted.append(objectID)
        rows[objectID] = row
    }

    /// Changes the row of an object that isn't deleted.
    func edit(_ objectID: ManagedObjectID, _ change: (inout Row) -> Void) throws {
        guard var row = try present(objectID) else { return }
        change(&row)
        if !inserted.contains(objectID) { updated.append(objectID) }
        rows[objectID] = row
    }

    /// Does nothing if it is deleted already.
    func markDeleted(_ objectID: ManagedObjectID) {
        guard deleted.append(objectID) else { return }
        updated.remove(objectID)
        rows[objectID] = nil
    }

    /// Sets a to-one relationship. For a one-to-one relationship, the former partners are unlinked.
    func set(_ relationship: RelationshipDescription, of objectID: ManagedObjectID, to new: ManagedObjectID?) throws {
        let slot = relationship.slot
        guard let before = try present(objectID), before.toOnes[slot] != new else { return }
        let old = before.toOnes[slot]
        try edit(objectID) { $0.toOnes[slot] = new }
        guard let inverse = relationship.inverse else { return }
        if inverse.isToMany {
            if let old { try recordMemberChange(of: old, at: inverse.slot) { $0.remove(objectID) } }
            if let new { try recordMemberChange(of: new, at: inverse.slot) { $0.add(objectID) } }
            return
        }
        if let old, try present(old)?.toOnes[inverse.slot] == objectID {
            try edit(old) { $0.toOnes[inverse.slot] = nil }
        }
        guard let new else { return }
        if let former = try present(new)?.toOnes[inverse.slot], former != objectID {
            try edit(former) { $0.toOnes[slot] = nil }
        }
        try edit(new) { $0.toOnes[inverse.slot] = objectID }
    }

    /// Records a member change of a to-many relationship stored in rows, if its number of members is limited.
    func recordMemberChange(
        of owner: ManagedObjectID,
        at slot: Int,
        _ change: (inout Membership) -> Void
    ) throws {
        guard let owner = try exact(owner), owner.entity.toManys[slot].hasBounds else { return }
        self.change(MembersKey(owner: owner, relationship: owner.entity.toManys[slot]), change)
    }

    /// Links or unlinks two objects of a many-to-many relationship.
    func changePair(
        _ owner: ManagedObjectID,
        _ member: ManagedObjectID,
        of relationship: RelationshipDescription,
        _ change: (inout Membership, ManagedObjectID) -> Void
    ) throws {
        self.change(MembersKey(owner: owner, relationship: relationship)) { change(&$0, member) }
        guard let inverse = relationship.inverse, let member = try exact(member) else { return }
        self.change(MembersKey(owner: member, relationship: member.entity.toManys[inverse.slot])) { change(&$0, owner) }
    }

    /// Sets the members of a many-to-many relationship.
    func setMembers(
        _ members: [ManagedObjectID],
        of relationship: RelationshipDescription,
        owner: ManagedObjectID
    ) throws {
        let before = inserted.contains(owner) ? [] : try present(members: relationship, of: owner)
        let old = OrderedMembers(before)
        let new = OrderedMembers(members)
        for member in old where !new.contains(member) {
            try changePair(owner, member, of: relationship) { $0.remove($1) }
        }
        for member in new where !old.contains(member) { try changePair(owner, member, of: relationship) { $0.add($1) } }
        guard relationship.isOrdered, !before.isEmpty, before != new.members else { return }
        change(MembersKey(owner: owner, relationship: relationship)) { $0.order = new.members }
    }

    private func present(
        members relationship: RelationshipDescription,
        of owner: ManagedObjectID
    ) throws -> [ManagedObjectID] {
        let change = memberships[MembersKey(owner: owner, relationship: relationship)] ?? Membership()
        var members = OrderedMembers(try change.order ?? self.members(of: relationship, owners: [owner])[0])
        for member in change.removed { members.remove(member) }
        for member in change.added { members.append(member) }
        return members.members
    }

    private func change(_ key: MembersKey, _ change: (inout Membership) -> Void) {
        if memberships[key] == nil { membershipKeys.append(key) }
        change(&memberships[key, default: Membership()])
    }
}

extension RowGraph.Membership {
    mutating func add(_ member: ManagedObjectID) {
        if !removed.remove(member) { added.append(member) }
    }

    mutating func remove(_ member: ManagedObjectID) {
        if !added.remove(member) { removed.append(member) }
    }
}

extension GraphError {
    /// A batch finds more objects than its maximum; stores throw this.
    public static func limitExceeded(_ maximum: Int) -> GraphError {
        GraphError(
            .limitExceeded,
            "The batch would affect more than \(maximum) objects, its maximum; nothing was changed."
        )
    }
}
