// SPDX-License-Identifier: Apache-2.0

// The state that is known without reading files: the existing objects, their relationships, and the unique values.

import Outcrop

struct NoteIndex: Sendable {
    private var entries: [ManagedObjectID: Entry] = [:]
    /// The objects of each entity by file name.
    private var tables: [EntityDescription: [String: ManagedObjectID]] = [:]
    private var lists: [ListKey: [ManagedObjectID]] = [:]
    private var holders: [UniqueKey: ManagedObjectID] = [:]
    /// The objects whose files are outdated.
    var touched: Set<ManagedObjectID> = []

    private struct Entry {
        /// The object's exact entity. IDs from outside may have a parent entity.
        let objectID: ManagedObjectID
        let version: Int64
        let toOnes: [ManagedObjectID?]
        let uniques: [UniqueKey]
    }

    private struct ListKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    func objectID(_ objectID: ManagedObjectID) -> ManagedObjectID? { entries[objectID]?.objectID }

    func version(of objectID: ManagedObjectID) -> Int64? { entries[objectID]?.version }

    func holder(of key: UniqueKey) -> ManagedObjectID? { holders[key] }

    /// The objects of an entity without its subentities, in a stable order.
    func objects(of entity: EntityDescription) -> [ManagedObjectID] {
        (tables[entity] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    /// The existing members. Lists without an inverse can still contain deleted objects.
    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        (lists[ListKey(owner: owner, relationship: relationship)] ?? []).filter { entries[$0] != nil }
    }
}

// Changes. The engine passes each link from one side only; the index updates both.
extension NoteIndex {
    /// Inserts or replaces a row.
    mutating func put(_ row: Snapshot) {
        let objectID = row.objectID
        let toOnes = row.row.toOnes
        let before = entries[objectID]
        for key in before?.uniques ?? [] where holders[key] == objectID { holders[key] = nil }
        let uniques = objectID.entity.uniquenessConstraints.compactMap { UniqueKey($0, of: row.row) }
        for key in uniques { holders[key] = objectID }
        for relationship in objectID.entity.toOnes {
            let old = before?.toOnes[relationship.slot]
            let new = toOnes[relationship.slot]
            guard old != new else { continue }
            if let old { remove(objectID, from: list(of: old, backFrom: relationship)) }
            if let new { append(objectID, to: list(of: new, backFrom: relationship)) }
        }
        entries[objectID] = Entry(objectID: objectID, version: row.version, toOnes: toOnes, uniques: uniques)
        tables[objectID.entity, default: [:]][Note.name(of: objectID)] = objectID
        touched.insert(objectID)
    }

    /// Removes a row, and its object from all lists of inverses.
    mutating func remove(_ objectID: ManagedObjectID) {
        guard let before = entries.removeValue(forKey: objectID) else { return }
        let entity = before.objectID.entity
        tables[entity]?[Note.name(of: before.objectID)] = nil
        for key in before.uniques where holders[key] == objectID { holders[key] = nil }
        for relationship in entity.toOnes {
            guard let destination = before.toOnes[relationship.slot] else { continue }
            remove(objectID, from: list(of: destination, backFrom: relationship))
        }
        for relationship in entity.toManys {
            let members = lists.removeValue(forKey: ListKey(owner: objectID, relationship: relationship)) ?? []
            for member in members { remove(objectID, from: list(of: member, backFrom: relationship)) }
        }
        touched.insert(before.objectID)
    }

    /// Applies changes that rows don't contain: first all pairs, then the orders. Owners or members may have been
    /// deleted concurrently, without a version conflict.
    mutating func change(_ changes: [StoreSaveRequest.MembersChange]) {
        let changes = changes.filter { entries[$0.owner] != nil }
        var appended: [ListKey: Set<ManagedObjectID>] = [:]
        for change in changes where change.relationship.isManyToMany {
            let key = ListKey(owner: change.owner, relationship: change.relationship)
            for member in change.removed {
                remove(member, from: key)
                remove(change.owner, from: list(of: member, backFrom: change.relationship))
            }
            for member in change.added where entries[member] != nil {
                // One at a time: if an object is related to itself, both sides are the same list.
                let sides = [(member, key), (change.owner, list(of: member, backFrom: change.relationship))]
                for case (let member, let key?) in sides where !contains(member, key) {
                    append(member, to: key)
                    appended[key, default: []].insert(member)
                }
            }
        }
        for change in changes where change.relationship.isOrdered {
            let key = ListKey(owner: change.owner, relationship: change.relationship)
            // Objects that a row has linked are new members, too.
            let new = change.relationship.isManyToMany ? appended[key] ?? [] : Set(change.added)
            arrange(change, new: new)
        }
    }

    /// New members come last, in the order in which they were added; others stay in their places.
    private mutating func arrange(_ change: StoreSaveRequest.MembersChange, new: Set<ManagedObjectID>) {
        let key = ListKey(owner: change.owner, relationship: change.relationship)
        let present = lists[key] ?? []
        let added = change.added.filter(new.contains)
        let isAdded = Set(added)
        let order = change.order ?? present.filter { !isAdded.contains($0) } + added
        let isPresent = Set(present)
        let isOrdered = Set(order)
        lists[key] = order.filter(isPresent.contains) + present.filter { !isOrdered.contains($0) }
        touched.insert(change.owner)
    }

    /// The list of the inverse, or nil if the inverse is to-one or doesn't exist.
    private func list(of owner: ManagedObjectID, backFrom relationship: RelationshipDescription) -> ListKey? {
        guard let inverse = relationship.inverse, inverse.isToMany else { return nil }
        return ListKey(owner: owner, relationship: owner.entity.toManys[inverse.slot])
    }

    private func contains(_ member: ManagedObjectID, _ key: ListKey?) -> Bool {
        key.flatMap { lists[$0] }?.contains(member) ?? false
    }

    private mutating func append(_ member: ManagedObjectID, to key: ListKey?) {
        guard let key else { return }
        lists[key, default: []].append(member)
        if key.relationship.isListed { touched.insert(key.owner) }
    }

    private mutating func remove(_ member: ManagedObjectID, from key: ListKey?) {
        guard let key, let place = lists[key]?.firstIndex(of: member) else { return }
        lists[key]?.remove(at: place)
        if key.relationship.isListed { touched.insert(key.owner) }
    }
}
