// SPDX-License-Identifier: Apache-2.0

// Replaces `$FETCH_SOURCE` in a fetched property's predicate by the object.

import Basics
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

/// Replaces expressions about the object and the property in a fetched property's predicate by values.
struct FetchedPropertySource<Reader: GraphReading> {
    private let object: EvaluatedRow<Reader>
    private let evaluator: Evaluator

    private static var source: String { "FETCH_SOURCE" }
    private static var property: String { "FETCHED_PROPERTY" }

    init(_ property: FetchedPropertyDescription, of row: Snapshot, from reader: Reader) {
        object = EvaluatedRow(snapshot: row, reader: reader)
        evaluator = .limited(
            variables: [
                Self.source: .object(object),
                Self.property: .object(FetchedPropertyVariable(property: property.property)),
            ]
        )
    }

    func bound(_ predicate: ObjectPredicate) throws -> ObjectPredicate {
        try predicate.mappingParts({ try bound($0) }, { try bound($0) })
    }

    private func bound(_ expression: ObjectExpression) throws -> ObjectExpression {
        switch expression {
        case .variable(Self.source), .keyPath(of: .variable(Self.source), _), .keyPath(of: .variable(Self.property), _):
            return .constant(try evaluator.operand(of: expression, for: object).constant)
        default: return try expression.mappingParts({ try bound($0) }, { try bound($0) })
        }
    }
}

/// A fetched property as an operand of its own predicate.
private struct FetchedPropertyVariable: KeyValueObject {
    let property: FetchedProperty

    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? {
        switch key {
        case "name": return .value(.string(property.name))
        case "userInfo":
            let entries = property.userInfo.entries.map { ($0.key, Value.string($0.value)) }
            return .value(.dictionary(Dictionary(keepingFirst: entries)))
        default: return nil
        }
    }
}

extension Operand {
    /// The operand as a value; objects are references.
    var constant: Value {
        switch self {
        case .value(let value): value
        case .object(let object): object.reference.map(Value.reference) ?? .null
        case .collection(let members): .array(members.map(\.constant))
        }
    }
}
