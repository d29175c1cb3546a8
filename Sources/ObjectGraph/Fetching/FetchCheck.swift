// SPDX-License-Identifier: Apache-2.0

// Checks the key paths of a fetch before any store is asked.

import ObjectModel
import Predicates

/// Follows key paths through the model.
struct FetchCheck {
    /// The type of an expression's value.
    struct ExpressionType {
        enum Kind {
            case object(EntityDescription)
            case attribute(AttributeDescription)
            /// A property that exists without a model: an ID, an entity's name, a length.
            case builtIn(String, AttributeType)
            /// A value of unknown type.
            case value
        }

        var kind: Kind
        var isMany = false
    }

    /// The bound variables, with their entities if they are objects, and the depth of recursion.
    struct Scope {
        var variables: [String: EntityDescription?] = [:]
        var depth = 0

        func deeper() throws(GraphError) -> Scope {
            guard depth < Evaluator.depthLimit else {
                throw GraphError(
                    .invalidRequest,
                    "The request is nested more than \(Evaluator.depthLimit) levels deep."
                )
            }
            return Scope(variables: variables, depth: depth + 1)
        }
    }

    let model: ManagedObjectModel
    let entity: EntityDescription

    func check(_ predicate: ObjectPredicate, _ scope: Scope = Scope()) throws(GraphError) {
        let inner = try scope.deeper()
        try predicate.forEachPart(
            { (part) throws(GraphError) in _ = try expressionType(of: part, inner) },
            { (part) throws(GraphError) in try check(part, inner) }
        )
    }

    /// The type of an expression's value.
    @discardableResult
    func expressionType(of expression: ObjectExpression, _ scope: Scope = Scope()) throws(GraphError) -> ExpressionType
    {
        let inner = try scope.deeper()
        switch expression {
        case .constant: return ExpressionType(kind: .value)
        case .evaluatedObject: return ExpressionType(kind: .object(entity))
        case .variable(let name):
            guard let bound = scope.variables[name] else { throw .unboundVariable(name) }
            return ExpressionType(kind: bound.map(ExpressionType.Kind.object) ?? .value)
        case .argument: throw .unsubstituted(expression)
        case .keyPath(let root, let keys):
            return try follow(keys[...], from: try expressionType(of: root, inner), expression)
        case .element(let collection, let index):
            var end = try expressionType(of: collection, inner)
            guard end.isMany || end.hasMembers else { throw .noList(collection, in: expression) }
            if case .at(let place) = index { try self.expressionType(of: place, inner) }
            if index == .size { end.kind = .value }
            end.isMany = false
            return end
        case .aggregate(let members):
            for member in members { try expressionType(of: member, inner) }
            return ExpressionType(kind: .value, isMany: true)
        case .function(let function, let operands):
            let ends = try operands.map { (operand) throws(GraphError) in try expressionType(of: operand, inner) }
            if [.union, .intersect, .minus, .noIndex].contains(function), let first = ends.first { return first }
            return ExpressionType(kind: .value)
        case .cast(let operand, _):
            try expressionType(of: operand, inner)
            return ExpressionType(kind: .value)
        case .ternary(let condition, let holds, let fails):
            try check(condition, inner)
            let ends = [try expressionType(of: holds, inner), try expressionType(of: fails, inner)]
            return ends.first(where: \.isMany) ?? ExpressionType(kind: .value)
        case .subquery(let collection, let variable, let condition):
            var end = try expressionType(of: collection, inner)
            guard end.isMany || end.hasMembers else { throw .noList(collection, in: expression) }
            var bound = inner
            if case .object(let member) = end.kind {
                bound.variables[variable] = .some(member)
            } else {
                bound.variables[variable] = .some(nil)
            }
            try check(condition, bound)
            end.isMany = true
            return end
        }
    }

    /// Throws if a key path can't be prefetched: each step must be a relationship of the entity or a subentity.
    func checkPrefetching(_ keyPath: String) throws(GraphError) {
        var entities = [entity]
        for name in keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            let kinds = entities.flatMap { model.kinds(of: $0) }
            let found = kinds.compactMap { $0.relationship(named: name) }
            guard !found.isEmpty else { throw .notPrefetchable(name, of: entities[0], in: keyPath, kinds) }
            entities = OrderedMembers(found.map(model.destination)).members
        }
    }

    private func follow(
        _ keys: ArraySlice<Key>,
        from root: ExpressionType,
        _ path: ObjectExpression
    ) throws(GraphError) -> ExpressionType {
        var end = root
        for (position, key) in zip(keys.indices, keys) {
            switch key {
            case .argument: throw .unsubstituted(path)
            case .name(let name): end = try step(name, from: end, path)
            case .collection(let aggregate):
                if !end.isMany, end.isSingle { throw .noCollection(aggregate, path) }
                let rest = try follow(keys[(position + 1)...], from: end, path)
                switch aggregate {
                case .unionOfObjects, .distinctUnionOfObjects: return ExpressionType(kind: rest.kind, isMany: true)
                case .minimum, .maximum: return ExpressionType(kind: rest.kind)
                case .count, .sum, .average: return ExpressionType(kind: .value)
                }
            }
        }
        return end
    }

    private func step(
        _ name: String,
        from end: ExpressionType,
        _ path: ObjectExpression
    ) throws(GraphError) -> ExpressionType {
        if name == "self" { return end }
        switch end.kind {
        case .value: return end
        case .object(let owner):
            switch owner.property(named: name) {
            case .attribute(let attribute):
                guard attribute.isPersistent else { throw .transient(name, of: owner, path) }
                return ExpressionType(kind: .attribute(attribute), isMany: end.isMany)
            case .relationship(let relationship):
                return ExpressionType(
                    kind: .object(model.destination(of: relationship)),
                    isMany: end.isMany || relationship.isToMany
                )
            case .fetched: throw .fetchedInRequest(name, of: owner, path)
            case nil where name == "objectID":
                return ExpressionType(kind: .builtIn(name, .objectID), isMany: end.isMany)
            case nil where name == "entity": return ExpressionType(kind: .builtIn(name, .string), isMany: end.isMany)
            case nil where model.kind(of: name) != nil:
                return ExpressionType(kind: .object(model.kind(of: name) ?? owner), isMany: end.isMany)
            case nil: throw .unknownKey(name, of: owner, in: path, model)
            }
        case .attribute(let attribute):
            if let element = attribute.elements.first(where: { $0.name == name }) {
                return ExpressionType(kind: .attribute(element), isMany: end.isMany)
            }
            if case .composite = attribute.type { throw .unknownElement(name, of: attribute, path) }
            return ExpressionType(kind: try step(name, from: attribute.name, attribute.type, path), isMany: end.isMany)
        case .builtIn(let owner, let type):
            return ExpressionType(kind: try step(name, from: owner, type, path), isMany: end.isMany)
        }
    }

    private func step(
        _ name: String,
        from owner: String,
        _ type: AttributeType,
        _ path: ObjectExpression
    ) throws(GraphError) -> ExpressionType.Kind {
        switch type {
        case .string where name == "length", .uri where name == "length", .binary where name == "length":
            .builtIn(name, .int64)
        case .objectID where name == "objectID": .builtIn(name, type)
        case .transformable, .undefined: .value
        default: throw .pathGoesOn(owner, type, path)
        }
    }
}

extension FetchCheck.ExpressionType {
    /// Whether it is certainly not a list.
    fileprivate var isSingle: Bool {
        switch kind {
        case .object, .builtIn: true
        case .value: false
        case .attribute(let attribute): !attribute.isUntyped
        }
    }

    /// Whether it may be a list, or has elements of its own.
    fileprivate var hasMembers: Bool {
        if case .attribute(let attribute) = kind, case .composite = attribute.type { return true }
        return !isSingle
    }
}

extension FetchCheck {
    /// Whether a key path goes through, or ends at, an untyped attribute.
    func isUntyped(_ key: ObjectExpression) -> Bool {
        guard case .keyPath(of: .evaluatedObject, let keys) = key else { return false }
        let start = ExpressionType(kind: .object(entity))
        return keys.indices.contains { place in
            guard case .attribute(let attribute)? = try? follow(keys[...place], from: start, key).kind else {
                return false
            }
            return attribute.isUntyped
        }
    }
}

extension AttributeDescription {
    /// Whether the model doesn't define the type of the values.
    fileprivate var isUntyped: Bool {
        switch type {
        case .transformable, .undefined: true
        default: false
        }
    }
}

extension EntityDescription {
    /// Whether a name is that of an untyped attribute.
    public func isUntyped(_ name: String) -> Bool { attribute(named: name)?.isUntyped == true }
}
