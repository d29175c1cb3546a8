// SPDX-License-Identifier: Apache-2.0

// Predicates: compound predicates, and comparisons with ANY and ALL.

import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    mutating func condition(_ predicate: ObjectPredicate) throws(Untranslatable) -> Condition {
        try nested { (translator) throws(Untranslatable) in
            switch predicate {
            case .constant(let holds): return .constant(holds)
            case .comparison(let comparison): return try translator.condition(comparison)
            case .not(let inner): return !(try translator.condition(inner))
            case .and(let terms): return .all(try translator.conditions(terms))
            case .or(let terms): return .any(try translator.conditions(terms))
            }
        }
    }

    private mutating func conditions(_ predicates: [ObjectPredicate]) throws(Untranslatable) -> [Condition] {
        var conditions: [Condition] = []
        for predicate in predicates { conditions.append(try condition(predicate)) }
        return conditions
    }

    private mutating func condition(_ comparison: Comparison) throws(Untranslatable) -> Condition {
        let left = try node(comparison.left)
        if comparison.modifier == .direct {
            let right = try node(comparison.right)
            if let condition = compareCount(left, comparison.operator, right) { return condition }
            return try compare(left, comparison.operator, right, comparison.options)
        }
        let isAny = comparison.modifier == .any
        switch left {
        case .many(let members):
            let right = try node(comparison.right)
            if members.isDistinct { require(!isNull(members.element), of: members) }
            let holds = try compare(members.element.node, comparison.operator, right, comparison.options)
            return isAny
                ? exists(members.scope, where: holds, isCorrelated: !right.isConstant)
                : !exists(members.scope, where: !holds, isCorrelated: true)
        case .term, .object:
            // A single value is its own only member, and nil has no members.
            let holds = try compare(left, comparison.operator, try node(comparison.right), comparison.options)
            let isNull = try isNull(left)
            return isAny ? .all([!isNull, holds]) : .any([isNull, holds])
        case .composite, .list, .expressions:
            throw Untranslatable("has \(comparison.modifier.rawValue) of a list")
        }
    }

    /// Whether a row satisfies a condition. If an index finds all such rows independently of their links, they are
    /// found first.
    func exists(_ scope: Int, where condition: Condition, isCorrelated: Bool) -> Condition {
        if condition.constant == false { return .constant(false) }
        let scope = scopes[scope]
        if let link = scope.link, condition.isSelective || scope.isSelective, !isCorrelated, !scope.isCorrelated {
            return Condition(
                "\(link.owner) IN (SELECT \(link.key)\(scope.unlinkedClause(where: condition)))",
                isNullable: true,
                isSelective: true
            )
        }
        let select: SQL = "(SELECT 1\(scope.clause(where: condition)))"
        return Condition("EXISTS \(select)", isNullable: false, opposite: "NOT EXISTS \(select)")
    }

    func isNull(_ node: Node) throws(Untranslatable) -> Condition {
        switch node {
        case .term(let term): return isNull(term)
        case .object(let object): return isNull(object)
        case .composite(let composite): return isNull(composite)
        case .many, .list, .expressions: throw Untranslatable("compares a collection with one value")
        }
    }

    func isNull(_ composite: CompositeTerm) -> Condition {
        if let presence = composite.presence { return .isNull(presence) }
        return .all(leaves(of: composite).map { .isNull(column($0, ofRow: composite.row)) })
    }

    func isNull(_ element: Members.Element) -> Condition {
        switch element {
        case .object(let object): isNull(object)
        case .term(let term): isNull(term)
        case .composite(let composite): isNull(composite)
        }
    }

    func isNull(_ term: Term) -> Condition {
        if let constant = term.constant { return .constant(constant == .null) }
        return term.isNullable ? .isNull(term.sql) : .constant(false)
    }

    func isNull(_ object: ObjectTerm) -> Condition { object.isNullable ? .isNull(object.key) : .constant(false) }

    private func leaves(of composite: CompositeTerm) -> [Int] {
        var places: [Int] = []
        var pending = Array(composite.elements.map(\.columns).reversed())
        while let columns = pending.popLast() {
            switch columns {
            case .none: break
            case .value(let place, _): places.append(place)
            case .composite(let presence?, _): places.append(presence)
            case .composite(nil, let elements): pending += elements.map(\.columns).reversed()
            }
        }
        return places
    }
}

extension Node {
    var isConstant: Bool {
        switch self {
        case .term(let term): term.constant != nil
        case .list: true
        default: false
        }
    }
}

extension Members.Element {
    var node: Node {
        switch self {
        case .object(let object): .object(object)
        case .term(let term): .term(term)
        case .composite(let composite): .composite(composite)
        }
    }
}
