// SPDX-License-Identifier: Apache-2.0

// What a batch update sets, checked against the model and computed for each object.

import Predicates

extension EntityDescription {
    /// What a property is set to, with a constant as the property keeps it.
    ///
    /// - Parameter isTransientToo: Whether transient properties may be set, which only contexts keep.
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
                "\(self.name).\(name) is to many; a batch update sets attributes and to-one relationships.",
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
    /// What a property of one object is set to.
    enum NewValue {
        case value(Value)
        case object(ObjectReference?)

        /// What a relationship is set to by a reference or null.
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
    /// What the expression comes to for an object, as the property keeps it.
    func newValue(
        for object: some KeyValueObject,
        _ objectID: ManagedObjectID,
        _ evaluator: Evaluator
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
                "\(objectID.entity.name).\(property.name) can't be what \(value) comes to.",
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

    /// Only one object can have a partner of its own.
    func checkGiving(to count: Int) throws(GraphError) {
        guard case .relationship(let relationship) = property, relationship.inverseToOne != nil,
            case .constant(let constant) = value, constant != .null
        else { return }
        throw GraphError(
            .invalidRequest,
            "\(relationship.name) is to one on both sides, and one object can't be given to \(count).",
            property: relationship.name
        )
    }
}
