// SPDX-License-Identifier: Apache-2.0

// Inserting the rows of a batch, and merging them into stored ones.

import ObjectModel

extension RowGraph {
    /// Inserts rows; returns the objects that were inserted or changed instead.
    func insert(
        _ rows: [StoreBatchInsertion.Row],
        of entity: EntityDescription,
        resolvingBy policy: MergePolicy.Kind
    ) throws -> [ManagedObjectID] {
        try load(rows.flatMap { $0.row.toOnes.compactMap(\.self) + $0.members.values.joined() })
        let ids = try permanentIDs(for: rows, of: entity)
        var holders: UniqueHolders?
        if policy != .error {
            holders = try UniqueHolders(of: entity, for: rows.map(\.row), in: model, fetching: fetch)
        }
        var touched = OrderedMembers<ManagedObjectID>()
        for (given, objectID) in zip(rows, ids) {
            do {
                let holder = holders?.holder(of: given.row, in: entity)
                if holder != nil, policy != .overwrite, policy != .mergeByPropertyObjectTrump { continue }
                let target = holder ?? objectID
                numbers[target] = given.number
                touched.append(target)
                if let holder {
                    try overwrite(holder, by: given, of: entity, withDefaults: policy == .overwrite, &holders)
                } else {
                    try insert(given, objectID, entity)
                    try holders?.add(objectID, of: self)
                }
            } catch let error as GraphError {
                throw error.of(row: given.number)
            }
        }
        return touched.members
    }

    private func permanentIDs(
        for rows: [StoreBatchInsertion.Row],
        of entity: EntityDescription
    ) throws -> [ManagedObjectID] {
        guard rows.contains(where: { $0.kept != nil }) else {
            return try store.permanentIDs(for: Array(repeating: entity, count: rows.count), keeping: [:])
        }
        var ids: [ManagedObjectID] = []
        var used: Set<ManagedObjectID.Reference> = []
        var rest = rows[...]
        while !rest.isEmpty {
            let block = rest.prefix(StoreBatchInsertion.blockSize)
            rest = rest.dropFirst(block.count)
            let entities = Array(repeating: entity, count: block.count)
            var wanted: [Int: ManagedObjectID.Reference] = [:]
            for (place, row) in block.enumerated() {
                // A store may assign a reference twice if no save has used it.
                if let kept = row.kept?.reference, !used.contains(kept) { wanted[place] = kept }
            }
            let given = try store.permanentIDs(for: entities, keeping: wanted)
            used.formUnion(given.compactMap(\.reference))
            ids += given
        }
        return ids
    }

    private func insert(
        _ given: StoreBatchInsertion.Row,
        _ objectID: ManagedObjectID,
        _ entity: EntityDescription
    )
        throws
    {
        var row = given.row
        for slot in given.toOnes { row.toOnes[slot] = nil }
        insert(row, id: objectID)
        if let identity = given.kept, identity.reference == objectID.reference { kept[objectID] = identity }
        try setRelationships(of: objectID, as: given, of: entity)
    }

    /// Writes the given values of a row into the stored one with the same unique values.
    private func overwrite(
        _ holder: ManagedObjectID,
        by given: StoreBatchInsertion.Row,
        of entity: EntityDescription,
        withDefaults: Bool,
        _ holders: inout UniqueHolders?
    ) throws {
        guard let target = try exact(holder)?.entity else { return }
        try holders?.remove(holder, of: self)
        let slots = withDefaults ? Array(entity.attributes.indices) : given.attributes
        try edit(holder) { row in
            for slot in slots where target.attributes.indices.contains(slot) {
                let attribute = target.attributes[slot]
                guard attribute == entity.attributes[slot], !attribute.isDerived, attribute.isPersistent else {
                    continue
                }
                row.attributes[slot] = given.row.attributes[slot]
            }
        }
        try setRelationships(of: holder, as: given, of: entity)
        try holders?.add(holder, of: self)
    }

    private func setRelationships(
        of objectID: ManagedObjectID,
        as given: StoreBatchInsertion.Row,
        of entity: EntityDescription
    ) throws {
        guard !given.toOnes.isEmpty || !given.members.isEmpty else { return }
        let shared = try exact(objectID)?.entity.relationships ?? []
        for relationship in entity.relationships where shared.contains(relationship) {
            if relationship.isToMany {
                guard let members = given.members[relationship] else { continue }
                let destinations = try members.map { try destination($0, of: relationship) }
                try setMembers(destinations, of: relationship, owner: objectID)
            } else if given.toOnes.contains(relationship.slot) {
                let new = try given.row.toOnes[relationship.slot].map { try destination($0, of: relationship) }
                try set(relationship, of: objectID, to: new)
            }
        }
    }

    /// The new destination of a relationship, under its exact ID in the store.
    func destination(_ objectID: ManagedObjectID, of relationship: RelationshipDescription) throws -> ManagedObjectID {
        guard let found = try exact(objectID) else {
            var error = GraphError.objectMissing(objectID)
            error.property = relationship.name
            throw error
        }
        guard found.entity.isKind(of: model.destination(of: relationship)) else {
            throw GraphError.wrongDestination(found.entity, of: relationship)
        }
        return found
    }
}

extension GraphError {
    /// The same error with the number of a row.
    func of(row number: Int) -> GraphError {
        var error = self
        error.row = number
        return error
    }

    static func wrongDestination(_ entity: EntityDescription, of relationship: RelationshipDescription) -> GraphError {
        GraphError(
            .wrongType,
            "The destination of \(relationship.name) is \(relationship.relationship.destinationName), not "
                + "\(entity.name).",
            property: relationship.name
        )
    }
}
