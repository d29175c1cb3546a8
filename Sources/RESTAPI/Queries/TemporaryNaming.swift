// SPDX-License-Identifier: Apache-2.0

// Predicates on objects that were new in a draft, with names that a save doesn't change.

import ObjectGraph
import Predicates

/// Names objects of an editing context by their temporary IDs, even after they were saved.
struct TemporaryNaming {
    private let names: ObjectIDResolver
    private let numbers: [ManagedObjectID: UInt32]

    init(_ names: ObjectIDResolver) {
        self.names = names
        let permanent = names.temporaryIDs?.permanentIDs ?? [:]
        numbers = Dictionary(permanent.map { ($1, $0) }) { min($0, $1) }
    }

    func names(_ predicate: ObjectPredicate) -> ObjectPredicate {
        guard names.temporaryIDs != nil else { return predicate }
        return predicate.mappingParts({ named($0) }, { names($0) })
    }

    private func named(_ expression: ObjectExpression) -> ObjectExpression {
        if case .constant(let value) = expression { return .constant(named(value)) }
        return expression.mappingParts({ named($0) }, { names($0) })
    }

    private func named(_ value: Value) -> Value {
        switch value {
        case .array(let members): .array(members.map(named))
        case .reference(let reference): number(of: reference).map { .string("t\($0)") } ?? value
        default: value
        }
    }

    private func number(of reference: ObjectReference) -> UInt32? {
        guard let objectID = names.objectID(forURI: reference.uri) else { return nil }
        return objectID.temporaryNumber ?? numbers[objectID]
    }
}
