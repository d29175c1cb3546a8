// SPDX-License-Identifier: Apache-2.0

// Reads what a merge needs beyond the changes that it received.

import FoundationEssentials

extension ManagedObjectContext {
    /// What a merge has to read.
    struct Reading {
        /// The rows of changed objects and of their partners; or, if it is unknown which rows changed, all that differ.
        var rows: [ManagedObjectID: Snapshot] = [:]
        /// The members of relationships with changes.
        var members: [(object: ManagedObject, slot: Int, members: [ManagedObjectID])] = []
        /// Relationships that others may have changed and without changes here: they become faults.
        var faults: [(object: ManagedObject, slot: Int)] = []
        var goneIDs: [ManagedObjectID] = []
        /// The rows of objects that were missing when they were last read.
        var returned: [Snapshot] = []
        /// Partners that must stay registered until the merge is done.
        var partners: [ManagedObject] = []
    }

    /// Reads what has changes here, with one call for all rows and one for each relationship.
    func reading(for changes: SavedChanges) throws(GraphError) -> Reading {
        let deleted = changes.namedIDs(.deleted)
        let present = changes.namedIDs(.inserted) + changes.namedIDs(.updated)
        let ranges = changes.ranges(.inserted) + changes.ranges(.updated) + changes.ranges(.deleted)
        var reading = Reading(goneIDs: deleted)
        let entities = Set((present + deleted).map(\.entity) + ranges.map(\.entity))
        if !entities.isEmpty {
            try readMembers(of: entities, &reading)
            let edited = present.filter { registered[$0]?.hasChanges ?? false }
            for (objectID, row) in zip(edited, try edited.isEmpty ? [] : source.snapshots(of: edited, staleness: .zero))
            {
                reading.rows[objectID] = row
                if row == nil { reading.goneIDs.append(objectID) }
            }
        }
        let stores = changes.unknownStores
        if !stores.isEmpty { try rereadAll(of: stores, &reading) }
        guard hasChanges else { return reading }
        let saved = changes.list.compactMap(\.written)
        let delivered = Set(saved.map(\.objectID))
        var rows: [ManagedObjectID: Snapshot?] = reading.rows.mapValues(\.self)
        for row in saved where registered[row.objectID]?.hasChanges ?? false { rows[row.objectID] = row }
        reading.partners = try readPartners(of: &rows, delivered: delivered)
        for (objectID, row) in rows where !delivered.contains(objectID) {
            reading.rows[objectID] = row
            if row == nil { reading.goneIDs.append(objectID) }
        }
        return reading
    }

    /// Reads everything that is registered from some stores, and determines what has changed.
    private func rereadAll(of stores: Set<UUID>, _ reading: inout Reading) throws(GraphError) {
        try readMembers(of: Set(model.entities), &reading)
        let missing = registered.values.filter { object in
            object.status.contains(.missing) && !deleted.contains(object) || isKept(object.objectID)
        }
        let absent = (missing.map(\.objectID) + pending.savedDeletions).filter {
            $0.storeIdentifier.map(stores.contains) ?? false
        }
        if !absent.isEmpty {
            reading.returned = try source.snapshots(of: absent, staleness: .zero).compactMap(\.self)
        }
        let known = registered.values.filter { object in
            object.objectID.storeIdentifier.map(stores.contains) ?? false && committed(object) != nil && !object.isGone
        }
        guard !known.isEmpty else { return }
        for (object, row) in zip(known, try source.snapshots(of: known.map(\.objectID), staleness: .zero)) {
            guard let row else {
                reading.goneIDs.append(object.objectID)
                continue
            }
            if committed(object).map({ $0.isStored(as: row) }) != true { reading.rows[object.objectID] = row }
        }
    }

    /// Reads the members of to-many relationships that have changes here and may have been changed by others.
    private func readMembers(of entities: Set<EntityDescription>, _ reading: inout Reading) throws(GraphError) {
        for (relationship, objects) in suspects(of: entities) {
            let slot = relationship.slot
            let changed = objects.filter { $0.toManys[slot].hasChanges && registered[$0.objectID] === $0 }
            reading.faults += objects.filter { !$0.toManys[slot].hasChanges }.map { ($0, slot) }
            guard !changed.isEmpty else { continue }
            let members = try source.members(of: relationship, owners: changed.map(\.objectID))
            reading.members += zip(changed, members).map { ($0, slot, $1) }
        }
    }

    /// The objects with loaded to-many relationships that objects of some entities may have been added to or removed
    /// from.
    private func suspects(of entities: Set<EntityDescription>) -> [RelationshipDescription: [ManagedObject]] {
        var suspects: [RelationshipDescription: [ManagedObject]] = [:]
        var isSuspect: [RelationshipDescription: Bool] = [:]
        for object in registered.values where !object.toManys.isEmpty && !object.isInserted && !object.isGone {
            // An object that is kept although others have deleted it has only new members.
            if isKept(object.objectID) { continue }
            for relationship in object.entity.toManys {
                let toMany = object.toManys[relationship.slot]
                guard !toMany.isFault || toMany.hasChanges else { continue }
                if isSuspect[relationship] == nil {
                    let destination = model.destination(of: relationship)
                    isSuspect[relationship] = entities.contains {
                        $0.kinds.overlaps(destination.kinds)
                            || relationship.isOrdered && $0.kinds.overlaps(object.entity.kinds)
                    }
                }
                if isSuspect[relationship] == true { suspects[relationship, default: []].append(object) }
            }
        }
        return suspects
    }

    /// For one-to-one relationships, reads the partners affected by rows that are about to be adopted: those whose own
    /// row disagrees, and those that a changed object is to leave. Each is read once.
    ///
    /// - Parameter delivered: Objects whose rows came with the changes.
    /// - Returns: The partners, to be retained until the rows are adopted.
    func readPartners(
        of rows: inout [ManagedObjectID: Snapshot?],
        delivered: Set<ManagedObjectID> = []
    ) throws(GraphError) -> [ManagedObject] {
        var partners: [ManagedObject] = []
        var latest = Array(rows.keys)
        while !latest.isEmpty {
            let concerned = OrderedMembers(latest.flatMap { partnersToRead(of: $0, rows[$0] ?? nil) })
                .members.filter { rows[$0] == nil }
            partners += concerned.map { object(with: $0) }
            latest = concerned.filter { !delivered.contains($0) }
            guard !latest.isEmpty else { break }
            for (objectID, row) in zip(latest, try source.snapshots(of: latest, staleness: .zero)) {
                rows.updateValue(row, forKey: objectID)
            }
        }
        return partners
    }

    private func partnersToRead(of objectID: ManagedObjectID, _ stored: Snapshot?) -> [ManagedObjectID] {
        guard let object = registered[objectID] else { return [] }
        return object.entity.toOnes.flatMap { relationship -> [ManagedObjectID] in
            guard let inverse = relationship.inverse, !inverse.isToMany else { return [] }
            let now = stored?.row.toOnes[relationship.slot]
            let own = object.isFault ? nil : object.row.toOnes[relationship.slot]
            let before = committed(object)?.row.toOnes[relationship.slot]
            return Set([now, before].compactMap { $0 ?? nil }).filter { partner in
                guard let known = registered[partner], !known.isFault, !known.isGone else {
                    return partner == now && own != now
                }
                guard let row = committed(known)?.row else { return false }
                return (partner == now) != (row.toOnes[inverse.slot] == objectID)
            }
        }
    }

    /// Whether an object is kept for its changes although others have deleted it.
    func isKept(_ objectID: ManagedObjectID) -> Bool {
        if case .some(.none) = pending.newer[objectID] { return true }
        return false
    }

    /// The row of an object as the store is known to have it; nil for one that others have deleted.
    private func committed(_ object: ManagedObject) -> Snapshot? { pending.newer[object.objectID] ?? object.snapshot }
}

extension Snapshot {
    /// Whether a stored row equals this one, apart from values that aren't stored.
    fileprivate func isStored(as row: Snapshot) -> Bool {
        version == row.version && self.row.toOnes == row.row.toOnes
            && objectID.entity.attributes.allSatisfy {
                $0.isTransient || self.row.attributes[$0.slot] == row.row.attributes[$0.slot]
            }
    }
}
