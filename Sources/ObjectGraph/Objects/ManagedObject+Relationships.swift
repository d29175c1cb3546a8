// SPDX-License-Identifier: Apache-2.0

// Reading and setting relationships. The context keeps both sides equal.

import ObjectModel
import Predicates

extension ManagedObject {
    /// The destination of a to-one relationship, perhaps a fault.
    public final func object(of relationship: RelationshipDescription) throws(GraphError) -> ManagedObject? {
        let context = confinement.context
        try context.fire(self)
        return row.toOnes[relationship.slot].map(context.object(with:))
    }

    /// The objects of a to-many relationship, perhaps faults; in order if it is ordered.
    public final func objects(of relationship: RelationshipDescription) throws(GraphError) -> [ManagedObject] {
        let context = confinement.context
        return try objectIDs(of: relationship).map(context.object(with:))
    }

    /// The IDs of a relationship's objects, without creating the objects.
    public final func objectIDs(of relationship: RelationshipDescription) throws(GraphError) -> [ManagedObjectID] {
        let context = confinement.context
        guard relationship.isToMany else {
            try context.fire(self)
            return row.toOnes[relationship.slot].map { [$0] } ?? []
        }
        try context.load(relationship, of: [self])
        return toManys[relationship.slot].members?.members ?? []
    }

    /// Sets a to-one relationship and its inverse.
    public final func setObject(
        _ destination: ManagedObject?,
        of relationship: RelationshipDescription
    ) throws(GraphError) {
        let context = confinement.context
        if let destination { try check(destination, for: relationship, isNew: true) }
        try requireContext()
        try context.fire(self)
        let before = row.toOnes[relationship.slot].map(context.object(with:))
        guard before !== destination else { return context.perform(toOneEdit(relationship, destination)) }
        guard let inverse = relationship.inverse else { return context.perform(toOneEdit(relationship, destination)) }
        if inverse.isToMany {
            try destination?.loadOrder(of: inverse.slot, for: self)
            if let before { context.perform(.removeMember(before, slot: inverse.slot, objectID)) }
            context.perform(toOneEdit(relationship, destination))
            if let destination { context.perform(.addMember(destination, slot: inverse.slot, objectID, at: nil)) }
        } else {
            // One to one: the new partner is unlinked from its former one. A missing partner has no side to keep equal.
            if let destination { try context.fire(destination) }
            let former = destination?.row.toOnes[inverse.slot].map(context.object(with:))
            try context.fire([before, former].compactMap(\.self))
            if let before { try context.rereadPartners([before], unlessReferring: inverse.slot, to: objectID) }
            if let former, let destination {
                try context.rereadPartners([former], unlessReferring: relationship.slot, to: destination.objectID)
            }
            if let before, before.refers(through: inverse.slot, to: objectID) {
                context.perform(.toOne(before, slot: inverse.slot, nil))
            }
            if let former, former !== self, former.refers(through: relationship.slot, to: destination?.objectID) {
                context.perform(.toOne(former, slot: relationship.slot, nil))
            }
            context.perform(toOneEdit(relationship, destination))
            if let destination { context.perform(.toOne(destination, slot: inverse.slot, objectID)) }
        }
    }

    /// Links an object to a to-many relationship, on both sides. The members aren't loaded unless an index is given.
    public final func add(
        _ member: ManagedObject,
        to relationship: RelationshipDescription,
        at index: Int? = nil
    ) throws(GraphError) {
        let context = confinement.context
        try check(member, for: relationship, isNew: true)
        try requireContext()
        if let index {
            try context.load(relationship, of: [self])
            let count = toMany(relationship).members?.count ?? 0
            guard (0...count).contains(index) else { throw .noPlace(index, among: count, of: relationship, of: self) }
        }
        try loadOrder(of: relationship.slot, for: member)
        guard toMany(relationship).contains(member.objectID) != true else { return }
        guard let inverse = relationship.inverseToOne else {
            context.perform(.addMember(self, slot: relationship.slot, member.objectID, at: index))
            if let inverse = relationship.inverse, !isSelfPair(member, relationship, inverse) {
                context.perform(.addMember(member, slot: inverse.slot, objectID, at: nil))
            }
            return
        }
        try context.fire(member)
        if let owner = member.row.toOnes[inverse.slot].map(context.object(with:)) {
            guard owner !== self else { return }
            context.perform(.removeMember(owner, slot: relationship.slot, member.objectID))
        }
        context.perform(.toOne(member, slot: inverse.slot, objectID))
        context.perform(.addMember(self, slot: relationship.slot, member.objectID, at: index))
    }

    /// Unlinks an object from a to-many relationship, on both sides.
    public final func remove(
        _ member: ManagedObject,
        from relationship: RelationshipDescription
    ) throws(GraphError) {
        let context = confinement.context
        try check(member, for: relationship, isNew: false)
        try requireContext()
        guard toMany(relationship).contains(member.objectID) != false else { return }
        guard let inverse = relationship.inverseToOne else {
            // A member that was added before the members were loaded may have been one already.
            if toMany(relationship).contains(member.objectID) != nil { try context.load(relationship, of: [self]) }
            guard try contains(member, in: relationship) else { return }
            context.perform(.removeMember(self, slot: relationship.slot, member.objectID))
            if let inverse = relationship.inverse, !isSelfPair(member, relationship, inverse) {
                let back = member.entity.toManys[inverse.slot]
                if member.toMany(back).contains(objectID) == true { try context.load(back, of: [member]) }
                context.perform(.removeMember(member, slot: inverse.slot, objectID))
            }
            return
        }
        try context.fire(member)
        guard member.row.toOnes[inverse.slot] == objectID else { return }
        context.perform(.removeMember(self, slot: relationship.slot, member.objectID))
        context.perform(.toOne(member, slot: inverse.slot, nil))
    }

    /// Whether an object is a member of a to-many relationship, without loading the members.
    public final func contains(
        _ member: ManagedObject,
        in relationship: RelationshipDescription
    ) throws(GraphError) -> Bool {
        let context = confinement.context
        try check(member, for: relationship, isNew: false)
        if let known = toMany(relationship).contains(member.objectID) { return known }
        if let inverse = relationship.inverseToOne {
            try context.fire(member)
            return member.row.toOnes[inverse.slot] == objectID
        }
        if let inverse = relationship.inverse,
            let known = member.toMany(member.entity.toManys[inverse.slot]).contains(objectID)
        {
            return known
        }
        // A store doesn't know objects that it hasn't saved.
        guard !objectID.isTemporary, let reference = member.reference, !member.objectID.isTemporary else {
            try context.load(relationship, of: [self])
            return toMany(relationship).contains(member.objectID) ?? false
        }
        // The store compares by the entity of the row.
        if member.isFault, member.entity.kinds.count > 1 { try context.fire(member) }
        let isMember = ObjectPredicate.comparing(.evaluatedObject, .equal, .constant(.reference(reference)))
        let found = try context.source.related(
            along: relationship,
            owners: [objectID],
            matching: RelatedRequest(predicate: isMember)
        )
        return !found.members[0].isEmpty
    }

    /// Sets the members of a to-many relationship, in this order if it is ordered.
    public final func setObjects(
        _ members: [ManagedObject],
        of relationship: RelationshipDescription
    ) throws(GraphError) {
        let context = confinement.context
        for member in members { try check(member, for: relationship, isNew: true) }
        try context.load(relationship, of: [self])
        context.assign(self, place: entity.place(of: relationship))
        let wanted = OrderedMembers(members)
        let present = try objects(of: relationship)
        if relationship.inverse?.isToMany == false { try context.fire(members + present) }
        for member in present where !wanted.contains(member) { try remove(member, from: relationship) }
        for member in wanted { try add(member, to: relationship) }
        let order = wanted.map(\.objectID)
        if relationship.isOrdered, !(toMany(relationship).members?.elementsEqual(order) ?? false) {
            context.perform(.order(self, slot: relationship.slot, order))
        }
    }

    /// A member that was removed and is added again has another place, so the order must be known.
    private func loadOrder(of slot: Int, for member: ManagedObject) throws(GraphError) {
        guard entity.toManys[slot].isOrdered, !toManys.isEmpty, toManys[slot].removed.contains(member.objectID) else {
            return
        }
        try confinement.context.load(entity.toManys[slot], of: [self])
    }

    /// Whether a to-one relationship refers to an object, as far as its row is known.
    final func refers(through slot: Int, to destination: ManagedObjectID?) -> Bool {
        !isFault && row.toOnes[slot] == destination
    }

    private func toOneEdit(_ relationship: RelationshipDescription, _ destination: ManagedObject?) -> ContextEdit {
        .toOne(self, slot: relationship.slot, destination?.objectID)
    }

    /// Whether both sides are the same: an object related to itself by a relationship that is its own inverse.
    private func isSelfPair(
        _ member: ManagedObject,
        _ relationship: RelationshipDescription,
        _ inverse: RelationshipDescription.Inverse
    ) -> Bool {
        member === self && inverse.name == relationship.name
    }

    /// - Parameter isNew: Whether the objects will be linked, which requires that the other one exists.
    private func check(
        _ other: ManagedObject,
        for relationship: RelationshipDescription,
        isNew: Bool
    ) throws(GraphError) {
        guard !status.contains(.forgotten) else { throw .withoutContext(self) }
        guard other.confinement === confinement else { throw .otherContext(other, for: relationship, of: self) }
        let destination = confinement.context.model.destination(of: relationship)
        guard other.entity.isKind(of: destination) else { throw .wrongEntity(other, for: relationship, of: self) }
        guard isNew else { return }
        guard !other.isDeleted else { throw .deletedDestination(other, for: relationship, of: self) }
        try other.requireContext()
    }

    /// Throws for an object that isn't in its context any more: changes to it would be lost.
    final func requireContext() throws(GraphError) {
        guard confinement.context.registered[objectID] === self else { throw .withoutContext(self) }
    }
}

extension GraphError {
    static func withoutContext(_ object: ManagedObject) -> GraphError {
        GraphError(
            .invalidRequest,
            "This \(object.entity.name) no longer belongs to its context, which was reset or has released the object.",
            object: object.objectID,
            hint: "Get the object again: context.object(with: objectID)."
        )
    }

    static func deletedDestination(
        _ other: ManagedObject,
        for relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(object.entity.name).\(relationship.name) can't refer to a \(other.entity.name) that was deleted.",
            object: object.objectID,
            property: relationship.name
        )
    }

    static func noPlace(
        _ index: Int,
        among count: Int,
        of relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(object.entity.name).\(relationship.name) has \(count) objects; the index \(index) is out of range.",
            object: object.objectID,
            property: relationship.name
        )
    }

    static func otherContext(
        _ other: ManagedObject,
        for relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .otherContext,
            "\(object.entity.name).\(relationship.name) can't refer to an object of another context.",
            object: object.objectID,
            property: relationship.name,
            hint: "Get it by its ID: context.object(with: other.objectID)."
        )
    }

    static func wrongEntity(
        _ other: ManagedObject,
        for relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .wrongType,
            "The destination of \(object.entity.name).\(relationship.name) is \(relationship.relationship.destinationName), "
                + "not \(other.entity.name).",
            object: object.objectID,
            property: relationship.name
        )
    }
}
