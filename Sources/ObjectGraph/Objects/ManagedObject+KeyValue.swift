// SPDX-License-Identifier: Apache-2.0

// Access to properties by key, for predicates and for entities without a class.

public import Predicates

extension ManagedObject: KeyValueObject {
    public final var reference: ObjectReference? { objectID.objectReference }

    public final func isUntyped(_ key: String) -> Bool { entity.isUntyped(key) }

    public final func operand(forKey key: String) throws -> Operand? {
        switch entity.property(named: key) {
        case .attribute(let attribute): return .value(try value(of: attribute))
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(try objects(of: relationship).map(Operand.object))
        case .relationship(let relationship): return try object(of: relationship).map(Operand.object) ?? .null
        case nil where key == "entity": return .value(.string(entity.name))
        case .fetched: return .collection(try objects(ofFetchedProperty: key).map(Operand.object))
        case nil:
            return EntityDescription.kinds(of: key).map { $0.contains(entity.index) ? .object(self) : .null }
        }
    }
}

extension ManagedObject {
    /// The value of an attribute by its name.
    public final func value(forKey key: String) throws(GraphError) -> Value {
        guard let attribute = entity.attribute(named: key) else { throw .noAttribute(key, of: entity) }
        return try value(of: attribute)
    }

    /// Sets an attribute by its name.
    public final func setValue(_ value: Value, forKey key: String) throws(GraphError) {
        guard let attribute = entity.attribute(named: key) else { throw .noAttribute(key, of: entity) }
        try setValue(value, of: attribute)
    }
}

// MARK: Relationships

extension ManagedObject {
    /// The destination of a to-one relationship, by its name.
    public final func object(forKey key: String) throws(GraphError) -> ManagedObject? {
        try object(of: relationship(key, isToMany: false))
    }

    /// The objects of a to-many relationship, by its name; in order if it is ordered.
    public final func objects(forKey key: String) throws(GraphError) -> [ManagedObject] {
        try objects(of: relationship(key, isToMany: true))
    }

    /// Sets a to-one relationship by its name, and its inverse.
    public final func setObject(_ destination: ManagedObject?, forKey key: String) throws(GraphError) {
        try setObject(destination, of: relationship(key, isToMany: false))
    }

    /// Sets the members of a to-many relationship, in this order if it is ordered.
    public final func setObjects(_ members: [ManagedObject], forKey key: String) throws(GraphError) {
        try setObjects(members, of: relationship(key, isToMany: true))
    }

    /// Links an object to a to-many relationship, on both sides.
    public final func add(_ member: ManagedObject, forKey key: String) throws(GraphError) {
        try add(member, to: relationship(key, isToMany: true))
    }

    /// Unlinks an object from a to-many relationship, on both sides.
    public final func remove(_ member: ManagedObject, forKey key: String) throws(GraphError) {
        try remove(member, from: relationship(key, isToMany: true))
    }

    private func relationship(_ key: String, isToMany: Bool) throws(GraphError) -> RelationshipDescription {
        guard let relationship = entity.relationship(named: key), relationship.isToMany == isToMany else {
            throw .noRelationship(key, of: entity, isToMany: isToMany)
        }
        return relationship
    }
}

extension ManagedObjectID: ValueConvertible {
    public var value: Value { .reference(objectReference) }
}
