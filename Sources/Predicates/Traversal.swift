// SPDX-License-Identifier: Apache-2.0

// Traversal of the direct parts of predicates and expressions, in the order in which they are written.

extension ObjectPredicate {
    /// A copy of the predicate with its direct parts replaced.
    public func mappingParts<E: Error>(
        _ expression: (ObjectExpression) throws(E) -> ObjectExpression,
        _ predicate: (ObjectPredicate) throws(E) -> ObjectPredicate
    ) throws(E) -> ObjectPredicate {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = try expression(comparison.left)
            comparison.right = try expression(comparison.right)
            return .comparison(comparison)
        case .not(let inner): return .not(try predicate(inner))
        case .and(let predicates): return .and(try predicates.map(predicate))
        case .or(let predicates): return .or(try predicates.map(predicate))
        }
    }

    /// Calls one of the two closures for each direct part.
    public func forEachPart<E: Error>(
        _ expression: (ObjectExpression) throws(E) -> Void,
        _ predicate: (ObjectPredicate) throws(E) -> Void
    ) throws(E) {
        switch self {
        case .constant: break
        case .comparison(let comparison):
            try expression(comparison.left)
            try expression(comparison.right)
        case .not(let inner): try predicate(inner)
        case .and(let predicates), .or(let predicates):
            for part in predicates { try predicate(part) }
        }
    }
}

extension ObjectExpression {
    /// A copy of the expression with its direct parts replaced.
    public func mappingParts<E: Error>(
        _ expression: (ObjectExpression) throws(E) -> ObjectExpression,
        _ predicate: (ObjectPredicate) throws(E) -> ObjectPredicate
    ) throws(E) -> ObjectExpression {
        switch self {
        case .constant, .evaluatedObject, .variable, .argument: self
        case .keyPath(let root, let keys): .keyPath(of: try expression(root), keys)
        case .element(let collection, .at(let index)):
            .element(of: try expression(collection), .at(try expression(index)))
        case .element(let collection, let index): .element(of: try expression(collection), index)
        case .aggregate(let members): .aggregate(try members.map(expression))
        case .function(let function, let operands): .function(function, try operands.map(expression))
        case .cast(let operand, let type): .cast(try expression(operand), type)
        case .ternary(let condition, let holds, let fails):
            .ternary(try predicate(condition), try expression(holds), try expression(fails))
        case .subquery(let collection, let variable, let condition):
            .subquery(try expression(collection), variable: variable, try predicate(condition))
        }
    }

    /// Calls one of the two closures for each direct part.
    public func forEachPart<E: Error>(
        _ expression: (ObjectExpression) throws(E) -> Void,
        _ predicate: (ObjectPredicate) throws(E) -> Void
    ) throws(E) {
        switch self {
        case .constant, .evaluatedObject, .variable, .argument: break
        case .keyPath(let root, _), .element(let root, .first), .element(let root, .last), .element(let root, .size):
            try expression(root)
        case .element(let collection, .at(let index)):
            try expression(collection)
            try expression(index)
        case .aggregate(let members), .function(_, let members):
            for member in members { try expression(member) }
        case .cast(let operand, _): try expression(operand)
        case .ternary(let condition, let holds, let fails):
            try predicate(condition)
            try expression(holds)
            try expression(fails)
        case .subquery(let collection, _, let condition):
            try expression(collection)
            try predicate(condition)
        }
    }
}

extension ObjectPredicate {
    /// Whether it calls a volatile function.
    public var isVolatile: Bool {
        var isVolatile = false
        forEachPart({ isVolatile = isVolatile || $0.isVolatile }, { isVolatile = isVolatile || $0.isVolatile })
        return isVolatile
    }
}

extension ObjectExpression {
    /// Whether it calls a volatile function.
    public var isVolatile: Bool {
        if case .function(let function, _) = self, function.isVolatile { return true }
        var isVolatile = false
        forEachPart({ isVolatile = isVolatile || $0.isVolatile }, { isVolatile = isVolatile || $0.isVolatile })
        return isVolatile
    }
}
