// SPDX-License-Identifier: Apache-2.0

// What is to be read before a merge, where it isn't told everything.

import FoundationEssentials

extension ManagedObjectContext {
    /// What a merge needs to know and wasn't told.
    struct Reading {
        /// The rows of objects with changes, and of their partners; of all that are others, where it isn't told which are.
        var rows: [ManagedObjectID: Snapshot] = [:]
        /// The members of relationships that have changes.
        var members: [(object: ManagedObject, slot: Int, members: [ManagedObjectID])] = []
        /// The relationships that others may have changed and that have no changes here: they are read when they are asked for.
        var faults: [(object: ManagedObject, slot: Int)] = []
        var goneIDs: [ManagedObjectID] = []
        /// The rows of objects that were gone, or not there yet, when somebody looked last.
        var returned: [Snapshot] = []
        /// Partners that nobody else may hold until the merge is done.
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
        let told = Set(saved.map(\.objectID))
        var rows: [ManagedObjectID: Snapshot?] = reading.rows.mapValues(\.self)
        for row in saved where registered[row.objectID]?.hasChanges ?? false { rows[row.objectID] = row }
        reading.partners = try readPartners(of: &rows, told: told)
        for (objectID, row) in rows where !told.contains(objectID) {
            reading.rows[objectID] = row
            if row == nil { reading.goneIDs.append(objectID) }
        }
        return reading
    }

    /// Reads all that is here of some stores, and finds out what is another by now.
    private func rereadAll(of stores: Set<UUID>, _ reading: inout Reading) throws(GraphError) {
        try readMembers(of: Set(model.entities), &reading)
        let missing = registered.values.filter { object in
            object.status.contains(.missing) && !deleted.contains(object) || isKept(object.objectID)
        }
        let absent = (missing.map(\.objectID) + departed).filter { $0.storeIdentifier.map(stores.contains) ?? false }
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

    /// Reads the members of relationships to many that have changes and may have been changed by others.
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

    /// The objects with relationships to many that have been read, and that objects of some entities may have come to or left.
    private func suspects(of entities: Set<EntityDescription>) -> [RelationshipDescription: [ManagedObject]] {
        var suspects: [RelationshipDescription: [ManagedObject]] = [:]
        var isSuspect: [RelationshipDescription: Bool] = [:]
        for object in registered.values where !object.toManys.isEmpty && !object.isInserted && !object.isGone {
            // What is kept although others have deleted it has no members but new ones.
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

    /// One to one, reads who else is concerned by rows that are about to be adopted: whose own row says otherwise, and who is
    /// to be left by an object with changes. Each is read once.
    ///
    /// - Parameter told: objects whose rows will be adopted too.
    /// - Returns: the partners, to be held until the rows are adopted.
    func readPartners(
        of rows: inout [ManagedObjectID: Snapshot?],
        told: Set<ManagedObjectID> = []
    ) throws(GraphError) -> [ManagedObject] {
        var partners: [ManagedObject] = []
        var latest = Array(rows.keys)
        while !latest.isEmpty {
            let concerned = OrderedMembers(latest.flatMap { partnersToRead(of: $0, rows[$0] ?? nil) })
                .members.filter { rows[$0] == nil }
            partners += concerned.map { object(with: $0) }
            latest = concerned.filter { !told.contains($0) }
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

    /// Whether an object is kept for its changes, although others have deleted it.
    func isKept(_ objectID: ManagedObjectID) -> Bool {
        if case .some(.none) = newer[objectID] { return true }
        return false
    }

    /// What the store is known to have of an object.
    private func committed(_ object: ManagedObject) -> Snapshot? { newer[object.objectID] ?? object.snapshot }
}

extension Snapshot {
    /// Whether a stored row is the same, whatever values this one has besides that aren't stored.
    fileprivate func isStored(as row: Snapshot) -> Bool {
        version == row.version && self.row.toOnes == row.row.toOnes
            && objectID.entity.attributes.allSatisfy {
                $0.isTransient || self.row.attributes[$0.slot] == row.row.attributes[$0.slot]
            }
    }
}
