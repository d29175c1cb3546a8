// SPDX-License-Identifier: Apache-2.0

// Checking the row that a custom merge policy returns.

import Predicates

extension MergeConflict {
    /// The row with values converted to the attributes' types; throws if the object can't have them.
    func checked(_ row: Row, of entity: EntityDescription, in model: ManagedObjectModel) throws(GraphError) -> Row {
        do throws(GraphError) {
            return try accepted(row, entity, model)
        } catch {
            var failed = error
            failed.objectID = objectID
            failed.conflicts = [self]
            failed.hint = "Return the conflict's edited or stored row, with other values."
            throw failed
        }
    }

    private func accepted(
        _ row: Row,
        _ entity: EntityDescription,
        _ model: ManagedObjectModel
    ) throws(GraphError) -> Row {
        guard row.attributes.count == entity.attributes.count, row.toOnes.count == entity.toOnes.count else {
            throw .wrongShape(row, of: entity)
        }
        var accepted = row
        for attribute in entity.attributes where !attribute.isDerived {
            let value = row.attributes[attribute.slot]
            guard let kept = attribute.accepting(value) else { throw .wrongType(value, for: attribute, of: entity) }
            accepted.attributes[attribute.slot] = kept
        }
        for relationship in entity.toOnes {
            guard let destination = row.toOnes[relationship.slot]?.entity else { continue }
            // An ID may name a superentity of its row's.
            let wanted = model.destination(of: relationship)
            guard destination.isKind(of: wanted) || wanted.isKind(of: destination) else {
                throw .wrongDestination(destination, of: relationship)
            }
        }
        return accepted
    }
}

extension GraphError {
    fileprivate static func wrongShape(_ row: Row, of entity: EntityDescription) -> GraphError {
        GraphError(
            .invalidRequest,
            "The merge policy returned a row with \(row.attributes.count) attributes and \(row.toOnes.count) to-one "
                + "relationships for \(entity.name), which has \(entity.attributes.count) and \(entity.toOnes.count)."
        )
    }
}
