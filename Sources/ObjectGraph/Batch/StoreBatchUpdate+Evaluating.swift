// SPDX-License-Identifier: Apache-2.0

// The assignments of a batch update, checked against the model and evaluated for each object.

import Predicates

extension EntityDescription {
    /// The assignment of an expression to a property; constants are converted to the property's type.
    ///
    /// - Parameter isTransientToo: Whether to accept transient properties, which only contexts keep.
    func assignment(
        of value: ObjectExpression,
        to name: String,
        orTransient isTransientToo: Bool = false
    ) throws(GraphError) -> StoreBatchUpdate.Assignment {
        let property = try settableProperty(named: name, orTransient: isTransientToo)
        switch (property, value) {
        case (.attribute(let attribute), .constant(let constant)):
            guard let accepted = attribute.accepting(constant) else {
                throw .wrongType(constant, for: attribute, of: self)
            }
            return StoreBatchUpdate.Assignment(property: property, value: .constant(accepted))
        case (.relationship(let relationship), _) where relationship.isToMany:
            throw GraphError(
                .notWritable,
                "\(self.name).\(name) is a to-many relationship; a batch update can only set attributes and to-one relationships.",
                property: name
            )
        case (.relationship(let relationship), .constant(let constant)):
            _ = try StoreBatchUpdate.NewValue(constant, for: relationship, of: self)
        default: break
        }
        return StoreBatchUpdate.Assignment(property: property, value: value)
    }
}

extension StoreBatchUpdate {
    /// The new value of one object's property.
    enum NewValue {
        case value(Value)
        case object(ObjectReference?)

        /// The new destination of a relationship, from a reference or null.
        init(
            _ value: Value,
            for relationship: RelationshipDescription,
            of entity: EntityDescription
        ) throws(GraphError) {
            switch value {
            case .null: self = .object(nil)
            case .reference(let reference): self = .object(reference)
            default: throw .noReference(value, for: relationship, of: entity, "a reference")
            }
        }
    }
}

extension StoreBatchUpdate.Assignment {
    /// The expression's value for an object, converted to the property's type.
    func newValue(
        for object: some KeyValueObject,
        id objectID: ManagedObjectID,
        with evaluator: Evaluator
    ) throws(GraphError) -> StoreBatchUpdate.NewValue {
        switch (property, try operand(for: object, objectID, evaluator)) {
        case (.attribute(let attribute), .value(let value)):
            guard let accepted = attribute.accepting(computed: value) else {
                throw .wrongType(value, for: attribute, of: objectID.entity, objectID)
            }
            return .value(accepted)
        case (.relationship(let relationship), .value(.null)) where !relationship.isToMany: return .object(nil)
        case (.relationship(let relationship), .value(.reference(let reference))) where !relationship.isToMany:
            return .object(reference)
        case (.relationship(let relationship), .object(let object)) where !relationship.isToMany:
            return .object(object.reference)
        default:
            throw GraphError(
                .wrongType,
                "\(objectID.entity.name).\(property.name) can't have the value of \(value).",
                object: objectID,
                property: property.name
            )
        }
    }

    private func operand(
        for object: some KeyValueObject,
        _ objectID: ManagedObjectID,
        _ evaluator: Evaluator
    ) throws(GraphError) -> Operand {
        if case .constant(let value) = value { return .value(value) }
        do {
            return try evaluator.operand(of: value, for: object)
        } catch {
            var wrapped = GraphError.evaluation(error)
            wrapped.objectID = objectID
            wrapped.property = property.name
            throw wrapped
        }
    }

    /// A one-to-one partner can be linked to one object only.
    func checkOneToOneAssignment(to count: Int) throws(GraphError) {
        guard case .relationship(let relationship) = property, relationship.inverseToOne != nil,
            case .constant(let constant) = value, constant != .null
        else { return }
        throw GraphError(
            .invalidRequest,
            "\(relationship.name) is one-to-one, so \(count) objects can't refer to the same object.",
            property: relationship.name
        )
    }
}
