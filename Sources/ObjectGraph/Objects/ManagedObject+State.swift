// SPDX-License-Identifier: Apache-2.0

// The state of an object, without firing its fault.

public import Predicates

extension ManagedObject {
    /// The object's context, or nil once its deletion was saved.
    public final var context: ManagedObjectContext? {
        let context = confinement.context
        return context.registeredObject(for: objectID) === self ? context : nil
    }

    /// The version of its row when the context read it; zero if it has none or wasn't read.
    public final var rowVersion: Int64 {
        confinement.check()
        return snapshot?.version ?? 0
    }

    public final var isFault: Bool { checkedStatus.contains(.fault) }
    public final var isInserted: Bool { checkedStatus.contains(.inserted) }
    public final var isUpdated: Bool { checkedStatus.contains(.updated) }
    /// Whether others have deleted it.
    final var isGone: Bool { status.isSuperset(of: [.deleted, .missing]) }

    /// Whether it wasn't found because it was requested under another entity than the ID's.
    final func hasWrongEntity(for objectID: ManagedObjectID) -> Bool {
        status.contains(.missing) && snapshot == nil && entity != objectID.entity
    }

    public final var isDeleted: Bool { checkedStatus.contains(.deleted) }
    /// Whether it is inserted, updated or deleted, even if its values are unchanged.
    public final var hasChanges: Bool {
        let status = checkedStatus
        return !status.contains(.missing) && !status.isDisjoint(with: [.inserted, .updated, .deleted])
    }

    /// The status, after a check that the object may be used.
    private final var checkedStatus: Status {
        confinement.check()
        return status
    }

    /// Whether any stored value differs from the last save.
    public final var hasPersistentChangedValues: Bool {
        confinement.check()
        let hasOtherMembers =
            !toManys.isEmpty && entity.toManys.contains { !$0.isTransient && toManys[$0.slot].hasChanges }
        if isFault || hasOtherMembers { return hasOtherMembers }
        let committed = snapshot?.row ?? Row(of: entity)
        return entity.attributes.contains {
            $0.isPersistent && row.attributes[$0.slot] != committed.attributes[$0.slot]
        } || entity.toOnes.contains { !$0.isTransient && row.toOnes[$0.slot] != committed.toOnes[$0.slot] }
    }

    /// Whether the members of a to-many relationship, or the object of a to-one, are yet to be read.
    public final func hasFault(forRelationshipNamed name: String) -> Bool {
        confinement.check()
        guard let relationship = entity.relationship(named: name) else { return false }
        if relationship.isToMany { return toManys.isEmpty ? true : toManys[relationship.slot].isFault }
        guard !isFault else { return true }
        guard let destination = row.toOnes[relationship.slot] else { return false }
        return confinement.context.registeredObject(for: destination)?.isFault ?? true
    }

    /// The present values of the properties that differ from the last save, without loading relationships.
    public final var changedValues: [String: Value] {
        confinement.check()
        guard !isFault else { return toManyChanges }
        var changes = toManyChanges
        let committed = snapshot?.row ?? Row(of: entity)
        for attribute in entity.attributes where row.attributes[attribute.slot] != committed.attributes[attribute.slot]
        {
            changes[attribute.name] = row.attributes[attribute.slot]
        }
        for relationship in entity.toOnes where row.toOnes[relationship.slot] != committed.toOnes[relationship.slot] {
            changes[relationship.name] = row.toOnes[relationship.slot].map { .reference($0.objectReference) } ?? .null
        }
        return changes
    }

    /// The values of properties as last saved or read, null for a new object. Without keys, all except to-many
    /// relationships that aren't loaded.
    public final func committedValues(forKeys keys: [String]? = nil) throws(GraphError) -> [String: Value] {
        let context = confinement.context
        try context.fire(self)
        let committed = snapshot?.row ?? Row(nilOf: entity)
        let names = keys ?? entity.attributes.map(\.name) + entity.relationships.map(\.name)
        var values: [String: Value] = [:]
        for name in names {
            switch entity.property(named: name) {
            case .attribute(let attribute): values[name] = committed.attributes[attribute.slot]
            case .relationship(let relationship) where relationship.isToMany:
                if keys == nil, toMany(relationship).isFault { continue }
                try context.load(relationship, of: [self])
                let members = toMany(relationship).committed ?? []
                values[name] = .array(members.map { .reference($0.objectReference) })
            case .relationship(let relationship):
                values[name] = committed.toOnes[relationship.slot].map { .reference($0.objectReference) } ?? .null
            case .fetched, nil: throw .unknownKey(name, of: entity)
            }
        }
        return values
    }

    private var toManyChanges: [String: Value] {
        var changes: [String: Value] = [:]
        for relationship in entity.toManys where !toManys.isEmpty && toManys[relationship.slot].hasChanges {
            let toMany = toManys[relationship.slot]
            changes[relationship.name] = .array(
                (toMany.members ?? toMany.added).map { .reference($0.objectReference) }
            )
        }
        return changes
    }
}
