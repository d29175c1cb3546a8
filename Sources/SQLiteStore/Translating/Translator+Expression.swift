// SPDX-License-Identifier: Apache-2.0

// Expressions: constants, key paths, arithmetic, functions.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    /// Translates an expression.
    mutating func node(_ expression: ObjectExpression) throws(Untranslatable) -> Node {
        if let node = try grouping(expression) { return node }
        return try nested { (translator) throws(Untranslatable) in try translator.ungrouped(expression) }
    }

    func node(_ value: Value) -> Node {
        switch value {
        case .array(let values): .list(values)
        default: Term(value).map(Node.term) ?? .list([value])
        }
    }

    /// Translates an expression with one value.
    mutating func term(_ expression: ObjectExpression) throws(Untranslatable) -> Term {
        guard case .term(let term) = try node(expression) else {
            throw Untranslatable("uses an object or a list as a value")
        }
        return term
    }

    private mutating func ungrouped(_ expression: ObjectExpression) throws(Untranslatable) -> Node {
        switch expression {
        case .constant(.dictionary): throw Untranslatable("has a dictionary")
        case .constant(let value): return node(value)
        case .evaluatedObject:
            guard grouped == nil else { throw Untranslatable("names an object besides groups") }
            return .object(evaluated)
        case .variable(let name):
            guard let node = variables[name] else { throw Untranslatable("has the variable $\(name) without a value") }
            return node
        case .argument: throw Untranslatable("has a placeholder without a value")
        case .keyPath(let root, let keys): return try follow(keys[...], from: try node(root))
        case .element(let collection, let index): return try element(index, of: try node(collection))
        case .aggregate(let members): return .expressions(members)
        case .function(let function, let operands): return try call(function, operands)
        case .cast(let operand, let type): return .term(try cast(try node(operand), to: type))
        case .ternary(let condition, let first, let second):
            return .term(try choice(try self.condition(condition), try term(first), try term(second)))
        case .subquery(let collection, let variable, let condition):
            guard case .many(let members) = try node(collection), !members.isDistinct else {
                throw Untranslatable("has SUBQUERY over a list")
            }
            let shadowed = variables[variable]
            variables[variable] = members.element.node
            let holds = try self.condition(condition)
            variables[variable] = shadowed
            require(holds, of: members, isCorrelated: condition.refersOutside(variable))
            return .many(members)
        }
    }

    private func choice(_ condition: Condition, _ first: Term, _ second: Term) throws(Untranslatable) -> Term {
        if let holds = condition.constant { return holds ? first : second }
        guard let kind = first.kind.joined(with: second.kind) else {
            throw Untranslatable("has TERNARY with values of different types")
        }
        return Term(
            sql: "CASE WHEN \(condition.sql) THEN \(first.sql) ELSE \(second.sql) END",
            kind: kind,
            isNullable: first.isNullable || second.isNullable
        )
    }

    private func cast(_ node: Node, to type: CastType) throws(Untranslatable) -> Term {
        guard case .term(let term) = node else { throw Untranslatable("casts an object or a list") }
        if let constant = term.constant, let cast = Term(constant.cast(to: type)) { return cast }
        let kind: Term.Kind? =
            switch type {
            case .string: .text
            case .date: .date
            case .data: .data
            case .uuid: .uuid
            case .uri: .uri
            case .decimal: .anyNumber
            case .number: .anyNumber
            case .dictionary, .reference: nil
            }
        guard let kind, term.kind.isReadable else { throw Untranslatable("has a CAST that SQL doesn't support") }
        return Term(
            sql: """
                outcrop_cast(\(literal: .text(type.rawValue)), \(literal: .text(String(term.kind.rawValue))), \(term.sql))
                """,
            kind: kind
        )
    }
}

extension ObjectPredicate {
    /// Whether the condition of a SUBQUERY refers to anything other than the member.
    fileprivate func refersOutside(_ variable: String) -> Bool {
        var names = false
        func visit(_ expression: ObjectExpression) {
            switch expression {
            case .evaluatedObject: names = true
            default: expression.forEachPart({ visit($0) }, { visit($0) })
            }
        }
        func visit(_ predicate: ObjectPredicate) { predicate.forEachPart({ visit($0) }, { visit($0) }) }
        visit(self)
        return names || !freeVariables.isSubset(of: [variable])
    }
}

extension Term.Kind {
    /// The kind that includes both, or nil.
    func joined(with other: Term.Kind) -> Term.Kind? {
        if self == other || other == .null { return self }
        if self == .null { return other }
        return isPlainNumber && other.isPlainNumber && self != .bool && other != .bool ? .number : nil
    }
}
