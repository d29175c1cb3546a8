// SPDX-License-Identifier: Apache-2.0

// The rows that a batch changes, with both sides of their relationships: what a context is for objects, without objects.

import Predicates

/// Rows of a store, and what is to become of them.
///
/// 1. `rows` has the present values of rows that are new or were changed, and of no deleted ones.
/// 2. `inserted`, `updated` and `deleted` have no row in common.
/// 3. What `memberships` says of one side of a relationship to many on both sides it says of the other.
final class RowGraph {
    let store: any PersistentStore
    let model: ManagedObjectModel
    let maximum: Int?
    let patterns = PatternChecker()
    /// What the store has; nil for a row that isn't there.
    private var stored: [ManagedObjectID: Snapshot?] = [:]
    private(set) var rows: [ManagedObjectID: Row] = [:]
    private(set) var inserted = OrderedMembers<ManagedObjectID>()
    private(set) var updated = OrderedMembers<ManagedObjectID>()
    private(set) var deleted = OrderedMembers<ManagedObjectID>()
    /// Changes of relationships to many: of all those that rows don't tell, and of those whose number of members counts.
    private(set) var memberships: [MembersKey: Membership] = [:]
    /// The keys of `memberships` in the order in which they came.
    private(set) var membershipKeys: [MembersKey] = []
    /// Which row of the batch became which row of the store.
    var numbers: [ManagedObjectID: Int] = [:]
    /// What new objects keep that they had elsewhere.
    var kept: [ManagedObjectID: KeptIdentity] = [:]

    /// A to-many relationship of an object.
    struct MembersKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    struct Membership {
        var added = OrderedMembers<ManagedObjectID>()
        var removed = OrderedMembers<ManagedObjectID>()
        /// All members, where they were given as a whole.
        var order: [ManagedObjectID]?
    }

    init(_ store: any PersistentStore, _ model: ManagedObjectModel, maximum: Int?) {
        self.store = store
        self.model = model
        self.maximum = maximum
    }
}

// MARK: Reading

extension RowGraph {
    /// Reads rows, those that aren't known yet, with one call.
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

    /// What the store has of an object.
    func snapshot(_ objectID: ManagedObjectID) throws -> Snapshot? {
        if let known = stored[objectID] { return known }
        try load([objectID])
        return stored[objectID] ?? nil
    }

    /// The present row of an object; nil where it has none, or none any more.
    func present(_ objectID: ManagedObjectID) throws -> Row? {
        if let row = rows[objectID] { return row }
        return deleted.contains(objectID) ? nil : try snapshot(objectID)?.row
    }

    /// The members that a relationship to many has in the store.
    func members(of relationship: RelationshipDescription, _ owners: [ManagedObjectID]) throws -> [[ManagedObjectID]] {
        owners.isEmpty ? [] : try store.members(of: relationship, owners: owners, at: nil)
    }

    /// The ID that the store has for an object that may be known under an entity above its own.
    func exact(_ objectID: ManagedObjectID) throws -> ManagedObjectID? {
        inserted.contains(objectID) ? objectID : try snapshot(objectID)?.objectID
    }
}

// MARK: Changing

extension RowGraph {
    func insert(_ row: Row, _ objectID: ManagedObjectID) {
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

    /// False if it is deleted already.
    func markDeleted(_ objectID: ManagedObjectID) -> Bool {
        guard deleted.append(objectID) else { return false }
        updated.remove(objectID)
        rows[objectID] = nil
        return true
    }

    /// Makes a to-one relationship lead elsewhere. Where it is to one on both sides, the former partners are left alone.
    func set(_ relationship: RelationshipDescription, of objectID: ManagedObjectID, to new: ManagedObjectID?) throws {
        let slot = relationship.slot
        guard let before = try present(objectID), before.toOnes[slot] != new else { return }
        let old = before.toOnes[slot]
        try edit(objectID) { $0.toOnes[slot] = new }
        guard let inverse = relationship.inverse else { return }
        if inverse.isToMany {
            if let old { try count(old, inverse.slot) { $0.remove(objectID) } }
            if let new { try count(new, inverse.slot) { $0.add(objectID) } }
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

    /// Keeps count of a relationship to many that the other side's rows tell, if its number of members can be wrong.
    func count(_ owner: ManagedObjectID, _ slot: Int, _ change: (inout Membership) -> Void) throws {
        guard let owner = try exact(owner), owner.entity.toManys[slot].hasBounds else { return }
        self.change(MembersKey(owner: owner, relationship: owner.entity.toManys[slot]), change)
    }

    /// Relates two objects, or ends that, by a relationship that is to many on both sides.
    func pair(
        _ owner: ManagedObjectID,
        _ member: ManagedObjectID,
        _ relationship: RelationshipDescription,
        _ change: (inout Membership, ManagedObjectID) -> Void
    ) throws {
        self.change(MembersKey(owner: owner, relationship: relationship)) { change(&$0, member) }
        guard let inverse = relationship.inverse, let member = try exact(member) else { return }
        self.change(MembersKey(owner: member, relationship: member.entity.toManys[inverse.slot])) { change(&$0, owner) }
    }

    /// Gives a relationship that is to many on both sides other members.
    func set(_ members: [ManagedObjectID], of relationship: RelationshipDescription, _ owner: ManagedObjectID) throws {
        let before = inserted.contains(owner) ? [] : try present(members: relationship, of: owner)
        let (old, new) = (OrderedMembers(before), OrderedMembers(members))
        for member in old where !new.contains(member) { try pair(owner, member, relationship) { $0.remove($1) } }
        for member in new where !old.contains(member) { try pair(owner, member, relationship) { $0.add($1) } }
        guard relationship.isOrdered, !before.isEmpty, before != new.members else { return }
        change(MembersKey(owner: owner, relationship: relationship)) { $0.order = new.members }
    }

    private func present(
        members relationship: RelationshipDescription,
        of owner: ManagedObjectID
    ) throws -> [ManagedObjectID] {
        let change = memberships[MembersKey(owner: owner, relationship: relationship)] ?? Membership()
        var members = OrderedMembers(try change.order ?? self.members(of: relationship, [owner])[0])
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
    /// What a store throws for a batch that finds more objects than it may.
    public static func limitExceeded(_ maximum: Int) -> GraphError {
        GraphError(
            .limitExceeded,
            "The batch would touch more objects than \(maximum), which is its maximum; nothing was changed."
        )
    }
}
