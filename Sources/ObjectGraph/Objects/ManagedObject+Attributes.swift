// SPDX-License-Identifier: Apache-2.0

// Reading and setting attributes.

import ObjectModel
public import Predicates

extension ManagedObject {
    /// The value of an attribute, read from the store if needed.
    public final func value(of attribute: AttributeDescription) throws(GraphError) -> Value {
        confinement.check()
        if status.contains(.fault) { try confinement.context.fire(self) }
        return row.attributes[attribute.slot]
    }

    /// Sets an attribute. Throws if the value has the wrong type; whether it is valid is checked by the save.
    public final func setValue(_ value: Value, of attribute: AttributeDescription) throws(GraphError) {
        let context = confinement.context
        guard !attribute.isDerived else { throw .derived(attribute, of: self) }
        guard let accepted = attribute.accepting(value) else { throw .wrongType(value, for: attribute, of: self) }
        try requireContext()
        try context.fire(self)
        context.perform(.attribute(self, slot: attribute.slot, accepted))
    }

    /// The value of an attribute without firing a fault: null for a fault.
    public final func primitiveValue(of attribute: AttributeDescription) -> Value {
        confinement.check()
        return isFault ? .null : row.attributes[attribute.slot]
    }

    /// Sets an attribute without recording a change, so that it doesn't cause a save.
    public final func setPrimitiveValue(_ value: Value, of attribute: AttributeDescription) throws(GraphError) {
        guard let accepted = attribute.accepting(value) else { throw .wrongType(value, for: attribute, of: self) }
        try confinement.context.fire(self)
        row.attributes[attribute.slot] = accepted
    }
}

extension GraphError {
    static func wrongType(_ value: Value, for attribute: AttributeDescription, of object: ManagedObject) -> GraphError {
        .wrongType(value, for: attribute, of: object.entity, object.objectID)
    }

    static func wrongType(
        _ value: Value,
        for attribute: AttributeDescription,
        of entity: EntityDescription,
        _ objectID: ManagedObjectID? = nil
    ) -> GraphError {
        GraphError(
            .wrongType,
            "\(entity.name).\(attribute.name) is of type \(attribute.type.name) and can't be "
                + "\(ObjectExpression.constant(value)).",
            object: objectID,
            property: attribute.name
        )
    }

    static func derived(_ attribute: AttributeDescription, of object: ManagedObject) -> GraphError {
        GraphError(
            .notWritable,
            "\(object.entity.name).\(attribute.name) is derived, and can't be set.",
            object: object.objectID,
            property: attribute.name
        )
    }
}
