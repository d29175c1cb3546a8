// SPDX-License-Identifier: Apache-2.0

// Fetched properties: what the model's request finds for one object.

import FoundationEssentials
import ObjectModel
import Predicates

extension ManagedObject {
    /// The objects that a fetched property finds now.
    final func fetchedObjects<Member: ManagedObject>(_ name: String) throws(GraphError) -> [Member] {
        guard case .fetched(let description) = entity.property(named: name) else {
            throw .unknownKey(name, of: entity)
        }
        let template = description.property.fetchRequest
        var request = FetchRequest<Member>(template.entityName)
        request.fetchLimit = template.fetchLimit ?? 0
        request.includesSubentities = template.includesSubentities ?? true
        request.includesPendingChanges = template.includesPendingChanges ?? true
        if let text = template.predicate {
            do {
                request.predicate = try binding(ObjectPredicate(template: text), name)
            } catch {
                throw .evaluation(error)
            }
        }
        return try confinement.context.fetch(request)
    }

    /// The predicate with what it says of `$FETCH_SOURCE` put in. It was parsed, so that it may be walked by recursion.
    private func binding(_ predicate: ObjectPredicate, _ name: String) throws -> ObjectPredicate {
        try predicate.mappingParts({ try binding($0, name) }, { try binding($0, name) })
    }

    private func binding(_ expression: ObjectExpression, _ name: String) throws -> ObjectExpression {
        switch expression {
        case .variable("FETCH_SOURCE"): .constant(objectID.value)
        case .variable("FETCHED_PROPERTY"): .constant(.string(name))
        case .keyPath(.variable("FETCH_SOURCE"), let keys):
            .constant(try ObjectExpression.keyPath(of: .evaluatedObject, keys).evaluate(with: self).value)
        default: try expression.mappingParts({ try binding($0, name) }, { try binding($0, name) })
        }
    }
}

extension Operand {
    /// An operand as a constant, objects as references to them.
    fileprivate var value: Value {
        switch self {
        case .value(let value): value
        case .object(let object): object.reference.map(Value.reference) ?? .null
        case .collection(let members): .array(members.map(\.value))
        }
    }
}
