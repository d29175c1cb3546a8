// SPDX-License-Identifier: Apache-2.0

// The content of an atomic store as a value: its rows and relationships.

import FoundationEssentials
import ObjectGraph
import Predicates

/// The content of a store that is entirely in memory.
///
/// 1. `rows` has each object once, and `tables` lists the same objects by entity.
/// 2. For each to-one relationship of a row with a to-many inverse, the `members` of its destination contain the
///    row's object.
/// 3. Many-to-many relationships are consistent on both sides.
/// 4. `uniques` has the values of each uniqueness constraint of each row, and no two rows have the same.
struct AtomicState: Sendable {
    private(set) var rows: [ManagedObjectID: Snapshot] = [:]
    private(set) var tables: [EntityDescription: OrderedMembers<ManagedObjectID>] = [:]
    private var members: [MembersKey: OrderedMembers<ManagedObjectID>] = [:]
    private var uniques: [UniqueKey: ManagedObjectID] = [:]

    /// A to-many relationship of an object.
    private struct MembersKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    private struct Membership: Hashable {
        let key: MembersKey
        let member: ManagedObjectID
    }

    /// The row of an object, or nil if the object with this number isn't of the ID's entity or a subentity.
    func row(named objectID: ManagedObjectID) -> Snapshot? {
        rows[objectID].flatMap { $0.objectID.entity.isKind(of: objectID.entity) ? $0 : nil }
    }

    /// The members of a relationship, ordered by number unless the relationship is ordered.
    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        var members = members[MembersKey(owner: owner, relationship: relationship)]?.members ?? []
        // Without an inverse, deleting an object doesn't remove it from the lists that contain it.
        if relationship.inverse == nil { members.removeAll { rows[$0] == nil } }
        if !relationship.isOrdered { members.sort { $0.number < $1.number } }
        return members
    }

    func related(along relationship: RelationshipDescription, _ owners: [ManagedObjectID]) -> RelatedRows {
        let members = owners.map { self.members(of: relationship, owner: $0) }
        let rows = OrderedMembers(members.joined()).members.compactMap { self.rows[$0] }
        return RelatedRows(members: members, rows: rows)
    }

    func holder(of key: UniqueKey) -> ManagedObjectID? { uniques[key] }
}

extension AtomicState {
    /// Inserts or replaces a row.
    mutating func put(_ snapshot: Snapshot) {
        let objectID = snapshot.objectID
        let before = rows.updateValue(snapshot, forKey: objectID)
        if before == nil { tables[objectID.entity, default: OrderedMembers()].append(objectID) }
        for constraint in objectID.entity.uniquenessConstraints {
            if let key = before.flatMap({ UniqueKey(constraint, of: $0.row) }), uniques[key] == objectID {
                uniques[key] = nil
            }
        }
        for constraint in objectID.entity.uniquenessConstraints {
            if let key = UniqueKey(constraint, of: snapshot.row) { uniques[key] = objectID }
        }
        for relationship in objectID.entity.toOnes {
            let old = before?.row.toOnes[relationship.slot]
            let new = snapshot.row.toOnes[relationship.slot]
            guard old != new else { continue }
            if let old, let key = key(of: old, backFrom: relationship) { members[key]?.remove(objectID) }
            if let new, let key = key(of: new, backFrom: relationship) {
                members[key, default: OrderedMembers()].append(objectID)
            }
        }
    }

    /// Removes a row, and its object from all to-many relationships.
    mutating func remove(_ objectID: ManagedObjectID) {
        guard let before = rows.removeValue(forKey: objectID) else { return }
        tables[before.objectID.entity]?.remove(objectID)
        for constraint in before.objectID.entity.uniquenessConstraints {
            if let key = UniqueKey(constraint, of: before.row), uniques[key] == objectID { uniques[key] = nil }
        }
        for relationship in before.objectID.entity.toOnes {
            guard let destination = before.row.toOnes[relationship.slot],
                let key = key(of: destination, backFrom: relationship)
            else { continue }
            members[key]?.remove(objectID)
        }
        for relationship in before.objectID.entity.toManys {
            let key = MembersKey(owner: objectID, relationship: relationship)
            guard let removed = members.removeValue(forKey: key), relationship.isManyToMany else { continue }
            for member in removed {
                if let back = self.key(of: member, backFrom: relationship) { members[back]?.remove(objectID) }
            }
        }
    }

    /// Changes the members of to-many relationships that are not stored in rows: first all members, then their order.
    mutating func change(_ changes: [StoreSaveRequest.MembersChange]) {
        // Another writer may have deleted an owner: the save doesn't change its row or check its version.
        let changes = changes.filter { rows[$0.owner] != nil }
        var appended: Set<Membership> = []
        for change in changes where change.relationship.isManyToMany { link(change, recordingIn: &appended) }
        for change in changes where change.relationship.isOrdered { arrange(change, appended) }
    }

    private mutating func link(_ change: StoreSaveRequest.MembersChange, recordingIn appended: inout Set<Membership>) {
        let key = MembersKey(owner: change.owner, relationship: change.relationship)
        for member in change.removed {
            members[key]?.remove(member)
            if let back = self.key(of: member, backFrom: change.relationship) { members[back]?.remove(change.owner) }
        }
        for member in change.added where rows[member] != nil {
            append(member, to: key, recordingIn: &appended)
            guard let back = self.key(of: member, backFrom: change.relationship) else { continue }
            append(change.owner, to: back, recordingIn: &appended)
        }
    }

    private mutating func append(
        _ member: ManagedObjectID,
        to key: MembersKey,
        recordingIn appended: inout Set<Membership>
    ) {
        let isNew = members[key, default: OrderedMembers()].append(member)
        if isNew, key.relationship.isOrdered { appended.insert(Membership(key: key, member: member)) }
    }

    /// Appended members may have been added by the inverse, or by their rows, in another order. Others stay in their
    /// places.
    private mutating func arrange(_ change: StoreSaveRequest.MembersChange, _ appended: Set<Membership>) {
        let key = MembersKey(owner: change.owner, relationship: change.relationship)
        for member in change.added
        where !change.relationship.isManyToMany || appended.contains(Membership(key: key, member: member)) {
            if members[key]?.remove(member) == true { members[key]?.append(member) }
        }
        if let order = change.order {
            let present = members[key] ?? OrderedMembers()
            members[key] = OrderedMembers(order.filter(present.contains) + present.members)
        }
    }

    /// The to-many inverse of a relationship at its destination.
    private func key(of destination: ManagedObjectID, backFrom relationship: RelationshipDescription) -> MembersKey? {
        guard let inverse = relationship.inverse, inverse.isToMany else { return nil }
        return MembersKey(owner: destination, relationship: destination.entity.toManys[inverse.slot])
    }
}
