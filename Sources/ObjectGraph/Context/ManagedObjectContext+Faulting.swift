// SPDX-License-Identifier: Apache-2.0

// Filling faults: of objects, and of to-many relationships. Several are filled by one call.

extension ManagedObjectContext {
    /// Fills the faults among some objects with one call to the store. Those whose rows are gone are marked as missing.
    func fire(_ objects: some Sequence<ManagedObject>) throws(GraphError) {
        var faults = objects.filter { $0.isFault && !$0.status.contains(.missing) }
        for object in faults {
            if let snapshot = object.snapshot { fill(object, with: snapshot) }
        }
        faults.removeAll { !$0.isFault }
        guard !faults.isEmpty else { return }
        let snapshots = try source.snapshots(of: faults.map(\.objectID), staleness: stalenessInterval)
        for (object, snapshot) in zip(faults, snapshots) where object.isFault {
            if let snapshot {
                fill(object, with: snapshot)
                guard object.isFault else { continue }
                _ = self.object(of: snapshot, refreshing: false)
                throw .ofSubentity(object, snapshot)
            } else {
                object.status.insert(.missing)
            }
        }
    }

    /// The same, where those whose rows weren't there when somebody asked before may be there by now.
    func fireAnew(_ objects: [ManagedObject]) throws(GraphError) {
        for object in objects where object.isFault && !object.isDeleted && !object.objectID.isTemporary {
            object.status.remove(.missing)
        }
        try fire(objects)
    }

    /// Fills the fault of one object, whose values are needed.
    func fire(_ object: ManagedObject) throws(GraphError) {
        confinement.check()
        guard object.status.contains(.fault) else { return }
        guard !object.status.contains(.forgotten) else { throw .withoutContext(object) }
        try fire([object])
        guard object.status.contains(.missing) else { return }
        guard shouldDeleteInaccessibleFaults else { throw .objectMissing(object.objectID) }
        object.status = [.deleted, .missing]
        object.row = Row(nilOf: object.entity)
    }

    /// Reads those of some partners anew that don't lead back to the object that leads to them: rows of the cache may be older than
    /// what other programs have saved. What has changes is compared with the store when it is saved.
    func renew(
        _ partners: [ManagedObject],
        unlessLeading slot: Int,
        to objectID: ManagedObjectID
    ) throws(GraphError) {
        let suspects = partners.filter {
            !$0.isFault && !$0.hasChanges && !$0.isGone && $0.row.toOnes[slot] != objectID
        }
        guard !suspects.isEmpty, !objectID.isTemporary else { return }
        for (partner, row) in zip(suspects, try source.snapshots(of: suspects.map(\.objectID), staleness: .zero)) {
            if let row { refresh(partner, with: row) }
        }
    }

    /// An object that was asked for under an entity above its own stays a fault: it has not the class that its row is for.
    func fill(_ object: ManagedObject, with snapshot: Snapshot) {
        guard snapshot.objectID.entity == object.entity else { return object.snapshot = nil }
        object.snapshot = snapshot
        object.row = snapshot.row
        object.status.subtract([.fault, .missing])
        for attribute in object.entity.transients { object.row.attributes[attribute.slot] = attribute.initialValue }
        let wasAwakening = isAwakening
        isAwakening = true
        object.awakeFromFetch()
        isAwakening = wasAwakening
        guard !object.entity.transients.isEmpty else { return }
        // What it was given besides its row is where it begins, and no change.
        var committed = snapshot.row
        for attribute in object.entity.transients {
            committed.attributes[attribute.slot] = object.row.attributes[attribute.slot]
        }
        object.snapshot = snapshot.replacing(committed)
    }

    /// Reads the members of a to-many relationship of some objects, where they aren't known yet, with one call.
    func load(_ relationship: RelationshipDescription, of objects: some Sequence<ManagedObject>) throws(GraphError) {
        let faults = objects.filter { $0.toMany(relationship).isFault }
        guard !faults.isEmpty else { return }
        if let forgotten = faults.first(where: { $0.status.contains(.forgotten) }) { throw .withoutContext(forgotten) }
        let members = try source.members(of: relationship, owners: faults.map(\.objectID))
        for (object, members) in zip(faults, members) {
            reclaim(members)
            object.touchToManys()
            object.toManys[relationship.slot].load(agreeing(members, with: object, along: relationship))
        }
    }

    /// The members as their own sides have it, as far as these are read: others may have saved since then, or have changed
    /// otherwise what was changed here.
    private func agreeing(
        _ members: [ManagedObjectID],
        with owner: ManagedObject,
        along relationship: RelationshipDescription
    ) -> [ManagedObjectID] {
        guard let inverse = relationship.inverseToOne else { return members }
        func isMember(_ objectID: ManagedObjectID) -> Bool? {
            guard let member = registered[objectID], !member.isFault else { return nil }
            return member.row.toOnes[inverse.slot] == owner.objectID
        }
        // What was removed here is no news: the store still has it.
        let removed = owner.toMany(relationship).removed
        return members.filter { isMember($0) ?? true || removed.contains($0) }
    }
}

extension ManagedObject {
    /// The state of a to-many relationship, a fault as long as nobody has touched it.
    final func toMany(_ relationship: RelationshipDescription) -> ToMany {
        toManys.isEmpty ? .fault(relationship) : toManys[relationship.slot]
    }

    /// Makes places for the to-many relationships.
    final func touchToManys() {
        guard toManys.isEmpty else { return }
        toManys = entity.toManys.map(ToMany.fault)
    }
}

extension GraphError {
    static func ofSubentity(_ object: ManagedObject, _ snapshot: Snapshot) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(object.objectID) is a \(snapshot.objectID.entity.name), and was made a \(object.entity.name) before anybody knew.",
            object: object.objectID,
            hint: "existingObject(with:) reads which entity an object is of."
        )
    }

    static func objectMissing(_ objectID: ManagedObjectID) -> GraphError {
        GraphError(.objectMissing, "There is no \(objectID.entity.name) \(objectID) in the store.", object: objectID)
    }
}
