// SPDX-License-Identifier: Apache-2.0

// Errors of fetch requests.

import ObjectModel
import Predicates
import SourceText

extension GraphError {
    /// Wraps the error of an evaluation.
    package static func evaluation(_ error: any Error) -> GraphError {
        if let error = error as? GraphError { return error }
        var wrapped = GraphError(
            .invalidRequest,
            "The predicate or the order can't be evaluated: \(error)".asSentenceEnd
        )
        wrapped.underlying = error
        return wrapped
    }

    static func negative(_ property: String, _ number: Int) -> GraphError {
        GraphError(
            .invalidRequest,
            "The \(property) of a fetch request can't be \(number).",
            property: property,
            hint: "Use a non-negative number\(property == "fetchOffset" ? "" : "; 0 means none")."
        )
    }

    // MARK: Key paths

    static func unknownKey(_ name: String, of entity: EntityDescription) -> GraphError {
        var error = GraphError(.unknownName, "\(entity.name) has no property “\(name)”.", property: name)
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        error.hint = Spelling.hint(for: name, among: names)
        return error
    }

    static func unknownKey(
        _ name: String,
        of entity: EntityDescription,
        in path: ObjectExpression,
        _ model: ManagedObjectModel
    ) -> GraphError {
        var error = unknownKey(name, of: entity)
        error.property = "\(path)"
        if let below = model.kinds(of: entity).first(where: { $0.property(named: name) != nil }) {
            error.hint = "Its subentity \(below.name) has this property; fetch \(below.name) instead."
        }
        return error
    }

    static func notPrefetchable(
        _ name: String,
        of entity: EntityDescription,
        in keyPath: String,
        _ kinds: [EntityDescription]
    ) -> GraphError {
        var error = unknownKey(name, of: entity)
        error.property = keyPath
        guard kinds.contains(where: { $0.property(named: name) != nil }) else { return error }
        return GraphError(
            .unknownName,
            "\(entity.name).\(name) isn't a relationship.",
            property: keyPath
        )
    }

    static func unknownElement(
        _ name: String,
        of attribute: AttributeDescription,
        _ path: ObjectExpression
    ) -> GraphError {
        GraphError(
            .unknownName,
            "The composite \(attribute.type.name) has no element “\(name)”.",
            property: "\(path)",
            hint: Spelling.hint(for: name, among: attribute.elements.map(\.name))
        )
    }

    static func pathGoesOn(_ owner: String, _ type: AttributeType, _ path: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(path)” continues after “\(owner)”, which is of type \(type.name) and has no properties.",
            property: "\(path)",
            hint: owner == "entity" ? "“entity” is the name of the object's entity." : nil
        )
    }

    static func transient(_ name: String, of entity: EntityDescription, _ path: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(entity.name).\(name) is transient, so stores can't query it.",
            property: "\(path)",
            hint: "Fetch without it, and filter the objects."
        )
    }

    static func fetchedInRequest(_ name: String, of entity: EntityDescription, _ path: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(entity.name).\(name) is a fetched property, which stores can't query.",
            property: "\(path)",
            hint: "Use a relationship, or fetch without it and filter the objects."
        )
    }

    static func noCollection(_ aggregate: CollectionOperator, _ path: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(path)” applies \(aggregate.rawValue) to something other than a collection.",
            property: "\(path)"
        )
    }

    static func noList(_ collection: ObjectExpression, in expression: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(expression)” requires a collection, which “\(collection)” isn't.",
            property: "\(collection)"
        )
    }

    static func unboundVariable(_ name: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "The variable $\(name) of the request has no value.",
            property: "$\(name)",
            hint: "Substitute it: predicate.substituting(variables: [\"\(name)\": …])."
        )
    }

    static func unsubstituted(_ expression: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "The placeholder in “\(expression)” has no value.",
            property: "\(expression)",
            hint: "Substitute it: predicate.substituting(arguments: […])."
        )
    }

    // MARK: Columns

    static func toManyColumn(_ name: String, _ expression: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(expression)” has many values, but a column has one value per row.",
            property: name,
            hint: "Reduce them to one, such as \(expression).@count."
        )
    }

    static func toManyAggregate(_ aggregate: GroupAggregate, in name: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(aggregate.function.rawValue) over a group takes one value per object, but “\(aggregate.operand)” has many.",
            property: name,
            hint: "Reduce them to one first: sum:(\(aggregate.operand).@count) is their number in the group, "
                + "\(aggregate.operand).@count that of each object."
        )
    }

    static func nestedAggregate(_ aggregate: GroupAggregate, in name: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(aggregate.function.rawValue) takes values of objects, but “\(aggregate.operand)” contains an aggregate.",
            property: name
        )
    }

    static func notNumeric(
        _ aggregate: GroupAggregate,
        _ attribute: AttributeDescription,
        in name: String
    ) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(aggregate.function.rawValue) takes numbers, but “\(aggregate.operand)” is of type \(attribute.type.name).",
            property: name
        )
    }

    /// A path that access rules can't be applied to.
    package static func nestedOperators(_ path: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(path)” has an operator within another one, over objects that may not be readable.",
            hint: "Use one operator, or SUBQUERY."
        )
    }

    /// An expression whose properties access rules can't be applied to.
    package static func mixedObjects(_ expression: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(expression)” results in objects of several entities, or in objects and values, so nothing can follow it.",
            hint: "Use a condition for each of them."
        )
    }

    static func notGrouped(_ path: ObjectExpression, in name: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(path)” may have different values within a group.",
            property: name,
            hint: "Group by it too, or use an aggregate of it."
        )
    }

    static func columnTwice(_ name: String) -> GraphError {
        GraphError(
            .invalidRequest,
            name.isEmpty ? "A property to fetch has no name." : "Two of the properties to fetch are named “\(name)”.",
            property: name,
            hint: "Each needs a unique name."
        )
    }

    static func havingWithoutGroups() -> GraphError {
        GraphError(
            .invalidRequest,
            "havingPredicate requires propertiesToGroupBy.",
            property: "havingPredicate",
            hint: "Conditions on objects belong in the predicate."
        )
    }

    static func aggregateInOrder(_ key: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(key)” is an aggregate, but the request has no groups to sort by it.",
            property: "\(key)",
            hint: "Group by a key path, or fetch an aggregate."
        )
    }

    static func orderOutsideColumns(_ key: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "Distinct rows can't be sorted by “\(key)”, which isn't one of their columns.",
            property: "\(key)",
            hint: "Fetch it too."
        )
    }

    static func toManyInOrder(_ key: ObjectExpression) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(key)” has many values, which can't be sorted by.",
            property: "\(key)",
            hint: "Reduce them to one, such as \(key).@count."
        )
    }

    static func needsDictionaries(_ property: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(property) applies to dictionaries, but the request fetches objects.",
            property: property,
            hint: "Use context.dictionaries(request)."
        )
    }
}
