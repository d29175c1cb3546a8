// SPDX-License-Identifier: Apache-2.0

// All that an atomic store holds, as a value: its rows, and who is related to whom.

import FoundationEssentials
import ObjectGraph
import Predicates

/// The content of a store that is in memory as a whole.
///
/// 1. `rows` has each object once, and `tables` lists the same objects by entity.
/// 2. For each to-one relationship of a row with an inverse to many, the owner's `members` have the row's object.
/// 3. What is a member on one side of a relationship to many on both sides has the owner as a member on the other.
/// 4. `uniques` has the values of each constraint that a row satisfies, and no two rows the same.
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

    /// The row of an object; nil where the one of that number is of an entity beside the ID's, or above it.
    func row(named objectID: ManagedObjectID) -> Snapshot? {
        rows[objectID].flatMap { $0.objectID.entity.isKind(of: objectID.entity) ? $0 : nil }
    }

    /// The members of a relationship, by number where it has no order of its own.
    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        var members = members[MembersKey(owner: owner, relationship: relationship)]?.members ?? []
        // Nothing leads from a deleted object to the lists that it is in, where there is no inverse.
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
    /// Puts a row in the place of the one that is there, if one is.
    mutating func put(_ snapshot: Snapshot, in model: ManagedObjectModel) {
        let objectID = snapshot.objectID
        let before = rows.updateValue(snapshot, forKey: objectID)
        if before == nil { tables[objectID.entity, default: OrderedMembers()].append(objectID) }
        for constraint in objectID.entity.uniquenessConstraints {
            if let key = before.flatMap({ UniqueKey(constraint, $0.row) }), uniques[key] == objectID {
                uniques[key] = nil
            }
        }
        for constraint in objectID.entity.uniquenessConstraints {
            if let key = UniqueKey(constraint, snapshot.row) { uniques[key] = objectID }
        }
        for relationship in objectID.entity.toOnes {
            let (old, new) = (before?.row.toOnes[relationship.slot], snapshot.row.toOnes[relationship.slot])
            guard old != new else { continue }
            if let old, let key = key(of: old, backFrom: relationship) { members[key]?.remove(objectID) }
            if let new, let key = key(of: new, backFrom: relationship) {
                members[key, default: OrderedMembers()].append(objectID)
            }
        }
    }

    /// Takes a row away, and its object out of all relationships to many.
    mutating func remove(_ objectID: ManagedObjectID) {
        guard let before = rows.removeValue(forKey: objectID) else { return }
        tables[before.objectID.entity]?.remove(objectID)
        for constraint in before.objectID.entity.uniquenessConstraints {
            if let key = UniqueKey(constraint, before.row), uniques[key] == objectID { uniques[key] = nil }
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

    /// Changes the members of a relationship that the rows don't tell.
    mutating func change(_ change: StoreSaveRequest.MembersChange) {
        // Its row may have been deleted by others: the save changes no value of it, and so asks for no version.
        guard rows[change.owner] != nil else { return }
        let key = MembersKey(owner: change.owner, relationship: change.relationship)
        if change.relationship.isManyToMany {
            for member in change.removed {
                members[key]?.remove(member)
                if let back = self.key(of: member, backFrom: change.relationship) {
                    members[back]?.remove(change.owner)
                }
            }
            for member in change.added where rows[member] != nil {
                members[key, default: OrderedMembers()].append(member)
                if let back = self.key(of: member, backFrom: change.relationship) {
                    members[back, default: OrderedMembers()].append(change.owner)
                }
            }
        }
        if change.relationship.isOrdered {
            // They are in the list already where the other side has put them, in an order of its own.
            for member in change.added where members[key]?.remove(member) == true { members[key]?.append(member) }
        }
        if let order = change.order {
            let present = members[key] ?? OrderedMembers()
            members[key] = OrderedMembers(order.filter(present.contains) + present.members)
        }
    }

    /// The relationship to many that leads back from a destination.
    private func key(of destination: ManagedObjectID, backFrom relationship: RelationshipDescription) -> MembersKey? {
        guard let inverse = relationship.inverse, inverse.isToMany else { return nil }
        return MembersKey(owner: destination, relationship: destination.entity.toManys[inverse.slot])
    }
}
