// SPDX-License-Identifier: Apache-2.0

// Expressions over groups of objects: group keys and aggregates.

import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    /// Starts translating for groups of objects that have equal values for these paths.
    mutating func group(by paths: [ObjectExpression]) throws(Untranslatable) -> [SQL] {
        var known: [ObjectExpression: Node] = [:]
        var keys: [SQL] = []
        for path in paths {
            let node = try node(path)
            keys += try distinctColumns(of: node)
            known[path] = node
        }
        grouped = known
        return keys
    }

    /// The value of an expression in a group, or nil if it is neither a group key nor an aggregate.
    mutating func grouping(_ expression: ObjectExpression) throws(Untranslatable) -> Node? {
        guard let known = grouped else { return nil }
        if let node = known[expression] { return node }
        guard let aggregate = GroupAggregate(expression) else { return nil }
        grouped = nil
        let operand = try node(aggregate.operand)
        grouped = known
        let element: Members.Element
        switch operand {
        case .term(let term): element = .term(term)
        case .object(let object): element = .object(object)
        default: throw Untranslatable("aggregates collections")
        }
        let (sql, kind, isNullable) = try aggregated(
            aggregate.function,
            element,
            isDistinct: aggregate.isDistinct,
            order: ["t0.Z_PK"]
        )
        return .term(Term(sql: sql, kind: kind, isNullable: isNullable))
    }

    /// The columns that distinguish values in the same way as `==`.
    func distinctColumns(of node: Node) throws(Untranslatable) -> [SQL] {
        switch node {
        case .object(let object): return [object.key] + [object.number].compactMap(\.self)
        case .term(let term):
            switch term.kind {
            case .file, .opaque, .number, .anyNumber: throw Untranslatable("distinguishes values that SQL can't")
            default: return term.constant == nil ? [term.sql] : []
            }
        default: throw Untranslatable("has a list or a dictionary in a row")
        }
    }
}
