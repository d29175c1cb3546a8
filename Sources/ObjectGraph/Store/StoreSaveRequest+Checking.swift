// SPDX-License-Identifier: Apache-2.0

// Conflict detection for stores that know versions and unique values.

import ObjectModel

extension StoreSaveRequest {
    /// All conflicts of the save, or nil. Rows of the save release their unique values first, so that they may swap
    /// them. Derived values count: see `Derivations.deriveLocally(_:with:)`.
    ///
    ///     let conflicts = try request.conflicts(version: index.version, holder: index.holder, members: members, stored: row)
    ///     if let conflicts { return .conflicts(conflicts) }
    ///
    /// - Parameters:
    ///   - version: The version of a row, or nil if it is missing.
    ///   - holder: The object that has the values of a key.
    ///   - members: The members of a to-many relationship, owner by owner.
    ///   - stored: The row of an object, or nil if it is missing; called only for conflicts.
    public func conflicts<Failure: Error>(
        version: (ManagedObjectID) -> Int64?,
        holder: (UniqueKey) -> ManagedObjectID?,
        members: (RelationshipDescription, [ManagedObjectID]) throws(Failure) -> [[ManagedObjectID]],
        stored: (ManagedObjectID) throws(Failure) -> Snapshot?
    ) throws(Failure) -> StoreConflicts? {
        var conflicts = StoreConflicts()
        let expected =
            updates.map { ($0.objectID, $0.version) } + (deletions + locks).map { ($0.objectID, $0.version) }
        for (objectID, expected) in expected where version(objectID) != expected {
            conflicts.rows[objectID] = .some(try stored(objectID))
        }
        let changed = insertions.map { ($0.objectID, $0.row) } + updates.map { ($0.objectID, $0.row) }
        conflicts.constraints = try ConstraintViolation.all(
            among: changed.map { objectID, row in
                (objectID, objectID.entity.uniquenessConstraints.compactMap { UniqueKey($0, of: row) })
            },
            deleting: deletions.map(\.objectID),
            holder: holder,
            stored: stored
        )
        conflicts.dangling = references.filter { version($0.destination) == nil }
        conflicts.newReferrers = try newReferrers(members: members, stored: stored)
        conflicts.members = try outdatedMembers(members)
        return conflicts.isEmpty ? nil : conflicts
    }

    /// The known members that have changed since their count was validated, with one call for each relationship.
    package func outdatedMembers<Failure: Error>(
        _ members: (RelationshipDescription, [ManagedObjectID]) throws(Failure) -> [[ManagedObjectID]]
    ) throws(Failure) -> [KnownMembers] {
        var overtaken: [KnownMembers] = []
        for relationship in OrderedMembers(known.map(\.relationship)) {
            let known = known.filter { $0.relationship == relationship }
            for (known, present) in zip(known, try members(relationship, known.map(\.owner)))
            where !known.stillMatch(present) {
                overtaken.append(KnownMembers(owner: known.owner, relationship: relationship, members: present))
            }
        }
        return overtaken
    }

    /// Rows that refer to deleted ones, and that the save neither deletes nor changes accordingly.
    private func newReferrers<Failure: Error>(
        members: (RelationshipDescription, [ManagedObjectID]) throws(Failure) -> [[ManagedObjectID]],
        stored: (ManagedObjectID) throws(Failure) -> Snapshot?
    ) throws(Failure) -> [Snapshot] {
        guard !deletions.isEmpty else { return [] }
        let gone = Set(deletions.map(\.objectID))
        let changed = Dictionary(updates.map { ($0.objectID, $0.row) }) { _, last in last }
        var newReferrers: [Snapshot] = []
        for (entity, owners) in Dictionary(grouping: deletions.map(\.objectID), by: \.entity) {
            for relationship in entity.toManys where relationship.deletionAffectsMemberRows {
                guard let inverse = relationship.inverse else { continue }
                for (owner, members) in zip(owners, try members(relationship, owners)) {
                    for member in members where !gone.contains(member) {
                        if let row = changed[member], row.toOnes[inverse.slot] != owner { continue }
                        if let row = try stored(member) { newReferrers.append(row) }
                    }
                }
            }
        }
        return newReferrers
    }

    /// The destinations of written rows, except those that the save inserts itself.
    public var references: [Reference] {
        var references: [Reference] = []
        func add(_ objectID: ManagedObjectID, _ row: Row, _ slots: some Sequence<Int>) {
            for slot in slots {
                guard let destination = row.toOnes[slot] else { continue }
                let relationship = objectID.entity.toOnes[slot]
                references.append(Reference(objectID: objectID, relationship: relationship, destination: destination))
            }
        }
        for insertion in insertions { add(insertion.objectID, insertion.row, insertion.row.toOnes.indices) }
        for update in updates { add(update.objectID, update.row, update.toOnes) }
        guard !references.isEmpty, !insertions.isEmpty else { return references }
        let inserted = Set(insertions.map(\.objectID))
        return references.filter { !inserted.contains($0.destination) }
    }

    /// The rows that the save writes, in their new versions.
    public var writtenRows: [Snapshot] {
        insertions.map { Snapshot(objectID: $0.objectID, version: $0.version, row: $0.row) }
            + updates.map { Snapshot(objectID: $0.objectID, version: $0.version &+ 1, row: $0.row) }
    }

    /// The objects that the save changes, links or unlinks: derived values may be computed from these.
    public var touched: [ManagedObjectID] {
        insertions.map(\.objectID) + updates.map(\.objectID) + deletions.map(\.objectID)
            + members.flatMap(\.objects)
    }
}

extension RelationshipDescription {
    /// Whether the members' rows store the relationship and a delete rule applies to them.
    package var deletionAffectsMemberRows: Bool { isToMany && inverse?.isToMany == false && deleteRule != .noAction }
}

extension ConstraintViolation {
    /// The unique values that several rows of a save share, or that a stored row outside of the save has.
    ///
    /// - Parameters:
    ///   - changed: The inserted and updated rows, with their unique values.
    ///   - holder: The stored object that has the values of a key.
    static func all<Failure: Error>(
        among changed: [(objectID: ManagedObjectID, keys: [UniqueKey])],
        deleting deleted: [ManagedObjectID],
        holder: (UniqueKey) -> ManagedObjectID?,
        stored: (ManagedObjectID) throws(Failure) -> Snapshot?
    ) throws(Failure) -> [ConstraintViolation] {
        let leaving = Set(deleted + changed.map(\.objectID))
        var claims: [UniqueKey: [ManagedObjectID]] = [:]
        var order: [UniqueKey] = []
        for (objectID, keys) in changed {
            for key in keys {
                if claims[key] == nil { order.append(key) }
                claims[key, default: []].append(objectID)
            }
        }
        var violations: [ConstraintViolation] = []
        for key in order {
            let holder = holder(key).flatMap { leaving.contains($0) ? nil : $0 }
            guard let objects = claims[key], objects.count > 1 || holder != nil else { continue }
            var row: Snapshot?
            if let holder { row = try stored(holder) }
            violations.append(ConstraintViolation(constraint: key.constraint, objects: objects, stored: row))
        }
        return violations
    }
}
