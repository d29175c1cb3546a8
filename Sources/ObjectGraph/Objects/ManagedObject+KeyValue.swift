// SPDX-License-Identifier: Apache-2.0

// Values by key, for predicates and for those who have no class for the entity.

public import Predicates

extension ManagedObject: KeyValueObject {
    public final var reference: ObjectReference? { objectID.objectReference }

    public final func operand(forKey key: String) throws -> Operand? {
        switch entity.property(named: key) {
        case .attribute(let attribute): return .value(try value(of: attribute))
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(try objects(of: relationship).map(Operand.object))
        case .relationship(let relationship): return try object(of: relationship).map(Operand.object) ?? .null
        case nil where key == "entity": return .value(.string(entity.name))
        case .fetched: return .collection(try objects(ofFetchedProperty: key).map(Operand.object))
        case nil: return nil
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

extension ManagedObjectID: ValueConvertible {
    public var value: Value { .reference(objectReference) }
}
