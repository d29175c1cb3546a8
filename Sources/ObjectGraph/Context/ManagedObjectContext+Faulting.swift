// SPDX-License-Identifier: Apache-2.0

// Filling faults of objects and of to-many relationships, several with one call.

extension ManagedObjectContext {
    /// Fills the faults among some objects with one call to the store. Objects without rows are marked as missing.
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

    /// The same, but also reads objects again that were missing before.
    func fireAgain(_ objects: [ManagedObject]) throws(GraphError) {
        for object in objects where object.isFault && !object.isDeleted && !object.objectID.isTemporary {
            object.status.remove(.missing)
        }
        try fire(objects)
    }

    /// Fills the fault of one object when its values are needed.
    func fire(_ object: ManagedObject) throws(GraphError) {
        confinement.check()
        guard object.status.contains(.fault) else { return }
        guard !object.status.contains(.forgotten) else { throw .withoutContext(object) }
        if let snapshot = object.snapshot, !object.status.contains(.missing) { fill(object, with: snapshot) }
        guard object.status.contains(.fault) else { return }
        try fire([object])
        guard object.status.contains(.missing) else { return }
        guard shouldDeleteInaccessibleFaults else { throw .objectMissing(object.objectID) }
        object.status = [.deleted, .missing]
        object.row = Row(nilOf: object.entity)
    }

    /// Reads partners again that don't refer back to an object that refers to them: cached rows may be older than what
    /// other programs have saved. Changed partners are skipped; a save compares them with the store.
    func rereadPartners(
        _ partners: [ManagedObject],
        unlessReferring slot: Int,
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

    /// An object that was requested under a superentity stays a fault: its class doesn't match the row.
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
        // Values set while awakening are initial values, not changes.
        var committed = snapshot.row
        for attribute in object.entity.transients {
            committed.attributes[attribute.slot] = object.row.attributes[attribute.slot]
        }
        object.snapshot = snapshot.replacing(committed)
    }

    /// Reads the members of a to-many relationship of some objects with one call, skipping those already loaded.
    func load(_ relationship: RelationshipDescription, of objects: some Sequence<ManagedObject>) throws(GraphError) {
        let faults = try faults(of: relationship, among: objects)
        guard !faults.isEmpty else { return }
        let members = try source.members(of: relationship, owners: faults.map(\.objectID))
        adopt(members, of: relationship, faults)
    }

    /// The objects whose members aren't loaded.
    func faults(
        of relationship: RelationshipDescription,
        among objects: some Sequence<ManagedObject>
    ) throws(GraphError) -> [ManagedObject] {
        let faults = objects.filter { $0.toMany(relationship).isFault }
        if let forgotten = faults.first(where: { $0.status.contains(.forgotten) }) { throw .withoutContext(forgotten) }
        return faults
    }

    /// Sets the members that were read.
    func adopt(
        _ members: [[ManagedObjectID]],
        of relationship: RelationshipDescription,
        _ objects: [ManagedObject]
    ) {
        for (object, members) in zip(objects, members) {
            rebindToRows(members)
            object.touchToManys()
            object.toManys[relationship.slot].load(consistentMembers(members, with: object, along: relationship))
        }
    }

    /// The members consistent with their own loaded sides: others may have saved since, or have made other changes than
    /// this context.
    private func consistentMembers(
        _ members: [ManagedObjectID],
        with owner: ManagedObject,
        along relationship: RelationshipDescription
    ) -> [ManagedObjectID] {
        guard let inverse = relationship.inverseToOne else { return members }
        func isMember(_ objectID: ManagedObjectID) -> Bool? {
            guard let member = registered[objectID], !member.isFault else { return nil }
            return member.row.toOnes[inverse.slot] == owner.objectID
        }
        // Members that were removed here stay: the store still has them.
        let removed = owner.toMany(relationship).removed
        return members.filter { isMember($0) ?? true || removed.contains($0) }
    }
}

extension ManagedObject {
    /// The state of a to-many relationship, a fault until it is used.
    final func toMany(_ relationship: RelationshipDescription) -> ToMany {
        toManys.isEmpty ? .fault(relationship) : toManys[relationship.slot]
    }

    /// Allocates the states of the to-many relationships.
    final func touchToManys() {
        guard toManys.isEmpty else { return }
        toManys = entity.toManys.map(ToMany.fault)
    }
}

extension GraphError {
    static func ofSubentity(_ object: ManagedObject, _ snapshot: Snapshot) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(object.objectID) is a \(snapshot.objectID.entity.name), but was created as a \(object.entity.name) before it was read.",
            object: object.objectID,
            hint: "Use existingObject(with:), which reads the object's entity."
        )
    }

    package static func objectMissing(_ objectID: ManagedObjectID) -> GraphError {
        GraphError(.objectMissing, "The store has no \(objectID.entity.name) \(objectID).", object: objectID)
    }
}
