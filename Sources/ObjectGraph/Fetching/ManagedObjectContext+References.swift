// SPDX-License-Identifier: Apache-2.0

// Predicates that name objects by IDs from before they were saved.

import Predicates

extension ManagedObjectContext {
    /// The predicate with the current IDs of its objects.
    func current(_ predicate: ObjectPredicate) -> ObjectPredicate {
        guard !pending.successors.isEmpty, predicate.namesTemporaryObjects else { return predicate }
        return predicate.mappingConstants { $0.mappingReferences(self.current) }
    }

    private func current(_ reference: ObjectReference) -> ObjectReference {
        guard let objectID = model.temporaryID(forURI: reference.uri) else { return reference }
        return current(objectID).objectReference
    }
}

extension ObjectPredicate {
    /// Whether it names an object by a temporary ID.
    var namesTemporaryObjects: Bool {
        var isFound = false
        _ = mappingConstants { constant in
            constant.mappingReferences { reference in
                isFound = isFound || reference.uri.hasPrefix(ManagedObjectID.temporaryPrefix)
                return reference
            }
        }
        return isFound
    }

    /// Recursion is safe: parsing and building limit the depth.
    fileprivate func mappingConstants(_ mapping: (Value) -> Value) -> ObjectPredicate {
        mappingParts({ $0.mappingConstants(mapping) }, { $0.mappingConstants(mapping) })
    }
}

extension ObjectExpression {
    fileprivate func mappingConstants(_ mapping: (Value) -> Value) -> ObjectExpression {
        if case .constant(let value) = self { return .constant(mapping(value)) }
        return mappingParts({ $0.mappingConstants(mapping) }, { $0.mappingConstants(mapping) })
    }
}

extension Value {
    fileprivate func mappingReferences(_ mapping: (ObjectReference) -> ObjectReference) -> Value {
        switch self {
        case .reference(let reference): .reference(mapping(reference))
        case .array(let values): .array(values.map { $0.mappingReferences(mapping) })
        default: self
        }
    }
}
