// SPDX-License-Identifier: Apache-2.0

// Fetched properties: the results of a model's fetch request for an object, fetched at first use.

import Basics
import FoundationEssentials
import ObjectModel
import Predicates
import SourceText

extension ManagedObject {
    /// The objects of a fetched property. They are fetched once, and again after the object was refreshed or turned
    /// into a fault.
    ///
    /// In the property's predicate, `$FETCH_SOURCE` is this object, and `$FETCHED_PROPERTY` has the property's `name`
    /// and `userInfo`.
    public final func objects(ofFetchedProperty name: String) throws(GraphError) -> [ManagedObject] {
        let context = confinement.context
        guard let property = entity.fetchedProperties.first(where: { $0.name == name }) else {
            throw .noFetchedProperty(name, of: entity)
        }
        try context.fire(self)
        if let known = fetchedObjects[name] { return known.map { context.object(with: context.current($0)) } }
        let found = try context.fetch(try request(of: property))
        fetchedObjects[name] = found.map(\.objectID)
        return found
    }

    /// The request of a fetched property for this object.
    private func request(of property: FetchedPropertyDescription) throws(GraphError) -> FetchRequest<ManagedObject> {
        var request = try FetchRequest<ManagedObject>(property.property.fetchRequest, named: property.name)
        guard let predicate = request.predicate else { return request }
        let binding = FetchedPropertyBinding(
            check: FetchCheck(model: confinement.context.model, entity: entity),
            evaluator: .limited(
                variables: [
                    FetchedPropertyBinding.source: .object(self),
                    FetchedPropertyBinding.property: .object(PropertyObject(property: property.property)),
                ]
            ),
            object: self
        )
        request.predicate = try binding.bound(predicate)
        return request
    }
}

/// Replaces a fetched property's source variables in its predicate by values.
private struct FetchedPropertyBinding {
    static let source = "FETCH_SOURCE"
    static let property = "FETCHED_PROPERTY"

    let check: FetchCheck
    let evaluator: Evaluator
    let object: ManagedObject

    func bound(_ predicate: ObjectPredicate) throws(GraphError) -> ObjectPredicate {
        try predicate.mappingParts(
            { (part) throws(GraphError) in try bound(part) },
            { (part) throws(GraphError) in try bound(part) }
        )
    }

    private func bound(_ expression: ObjectExpression) throws(GraphError) -> ObjectExpression {
        switch expression {
        case .variable(Self.source), .keyPath(of: .variable(Self.source), _):
            // Another fetched property would have to be fetched first, perhaps this very one.
            let scope = FetchCheck.Scope(variables: [Self.source: check.entity])
            try check.expressionType(of: expression, scope)
            return try value(of: expression)
        case .keyPath(of: .variable(Self.property), _): return try value(of: expression)
        case .variable(Self.property): throw .bareFetchedProperty()
        default:
            return try expression.mappingParts(
                { (part) throws(GraphError) in try bound(part) },
                { (part) throws(GraphError) in try bound(part) }
            )
        }
    }

    private func value(of expression: ObjectExpression) throws(GraphError) -> ObjectExpression {
        do {
            return .constant(try evaluator.operand(of: expression, for: object).constant)
        } catch {
            throw .evaluation(error)
        }
    }
}

/// The object behind `$FETCHED_PROPERTY`.
private struct PropertyObject: KeyValueObject {
    let property: FetchedProperty

    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? {
        switch key {
        case "name": .value(.string(property.name))
        case "userInfo":
            .value(
                .dictionary(
                    Dictionary(keepingFirst: property.userInfo.entries.map { ($0.key, .string($0.value)) })
                )
            )
        default: nil
        }
    }
}

extension Operand {
    /// The operand as a value; objects are references.
    fileprivate var constant: Value {
        switch self {
        case .value(let value): value
        case .object(let object): object.reference.map(Value.reference) ?? .null
        case .collection(let members): .array(members.map(\.constant))
        }
    }
}

extension GraphError {
    static func bareFetchedProperty() -> GraphError {
        GraphError(
            .invalidRequest,
            "$FETCHED_PROPERTY isn't a value to compare with.",
            property: "$FETCHED_PROPERTY",
            hint: "Use $FETCHED_PROPERTY.name, or an entry of $FETCHED_PROPERTY.userInfo."
        )
    }

    static func noFetchedProperty(_ name: String, of entity: EntityDescription) -> GraphError {
        let names = entity.fetchedProperties.map(\.name)
        return GraphError(
            .unknownName,
            "\(entity.name) has no fetched property “\(name)”.",
            property: name,
            hint: Spelling.hint(for: name, among: names)
        )
    }

    /// A property that can't be read and set like an attribute.
    static func noAttribute(_ name: String, of entity: EntityDescription) -> GraphError {
        let kind: String
        let remedy: String
        switch entity.property(named: name) {
        case .relationship(let relationship) where relationship.isToMany:
            kind = "a to-many relationship"
            remedy = "Use objects(forKey:), add(_:forKey:) and remove(_:forKey:)."
        case .relationship:
            kind = "a relationship"
            remedy = "Use object(forKey:) and setObject(_:forKey:)."
        case .fetched:
            kind = "a fetched property"
            remedy = "Use objects(ofFetchedProperty: \"\(name)\")."
        case .attribute, nil: return unknownKey(name, of: entity)
        }
        return GraphError(.invalidRequest, "\(entity.name).\(name) is \(kind).", property: name, hint: remedy)
    }

    /// A name that isn't a to-one, or to-many, relationship.
    static func noRelationship(_ name: String, of entity: EntityDescription, isToMany: Bool) -> GraphError {
        switch entity.property(named: name) {
        case .relationship:
            let (kind, remedy) =
                isToMany
                ? ("to one object", "Use object(forKey:) and setObject(_:forKey:).")
                : ("to many objects", "Use objects(forKey:), add(_:forKey:) and remove(_:forKey:).")
            let message = "\(entity.name).\(name) is a relationship \(kind)."
            return GraphError(.invalidRequest, message, property: name, hint: remedy)
        case .attribute:
            let hint = "Use value(forKey:) and setValue(_:forKey:)."
            return GraphError(.invalidRequest, "\(entity.name).\(name) is an attribute.", property: name, hint: hint)
        case .fetched, nil: return noAttribute(name, of: entity)
        }
    }
}
