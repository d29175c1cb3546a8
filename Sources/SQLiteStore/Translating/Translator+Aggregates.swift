// SPDX-License-Identifier: Apache-2.0

// Single values computed from many members: counts, sums, the first and the last.

import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    /// An aggregate function over members.
    mutating func aggregate(_ function: Function, _ members: Members) throws(Untranslatable) -> Term {
        let scope = scopes[members.scope]
        let (aggregate, kind, isNullable) = try aggregated(
            function,
            members.element,
            isDistinct: members.isDistinct,
            order: scope.order
        )
        var term = Term(sql: "(SELECT \(aggregate)\(scope.clause()))", kind: kind, isNullable: isNullable)
        if function == .count, !members.isDistinct, case .object(let object) = members.element, !object.isNullable {
            term.counted = members.scope
        }
        return term
    }

    /// An aggregate over rows, in the given order where it matters.
    func aggregated(
        _ function: Function,
        _ element: Members.Element,
        isDistinct: Bool,
        order: [SQL]
    ) throws(Untranslatable) -> (SQL, Term.Kind, isNullable: Bool) {
        let term: Term
        switch element {
        case .object(let object):
            guard function == .count else { throw Untranslatable("uses objects as values") }
            if isDistinct { return ("COUNT(DISTINCT \(object.key))", .integer, false) }
            return (object.isNullable ? "COUNT(\(object.key))" : "COUNT(*)", .integer, false)
        case .composite: throw Untranslatable("uses dictionaries as values")
        case .term(let value): term = value
        }
        switch (function, term.kind) {
        case (_, .file), (_, .opaque): throw .unreadable
        case (.count, .anyNumber) where isDistinct: throw Untranslatable("counts distinct numbers of several kinds")
        case (.count, _): return (isDistinct ? "COUNT(DISTINCT \(term.sql))" : "COUNT(\(term.sql))", .integer, false)
        case (.minimum, let kind) where kind.hasNativeOrder: return ("MIN(\(term.sql))", kind, true)
        case (.maximum, let kind) where kind.hasNativeOrder: return ("MAX(\(term.sql))", kind, true)
        case _ where isDistinct: throw Untranslatable("aggregates distinct values")
        case (.sum, let kind) where kind.isWhole && term.isSmall:
            return ("IFNULL(SUM(\(term.sql)), 0)", .integer, false)
        case (.average, let kind) where kind.isWhole && term.isSmall:
            return ("CAST(SUM(\(term.sql)) AS REAL) / COUNT(\(term.sql))", .double, true)
        case (.minimum, let kind) where kind.isNumber, (.maximum, let kind) where kind.isNumber,
            (.mode, let kind) where kind.isNumber, (.sum, let kind) where kind.isNumber,
            (.average, let kind) where kind.isNumber, (.median, let kind) where kind.isNumber,
            (.standardDeviation, let kind) where kind.isNumber:
            let words = [SQL.literal(.text(function.rawValue)), .literal(.text(String(kind.rawValue))), term.sql]
            let call = "(\(words.joined(separator: ", ")), \(order.joined(separator: ", ")))" as SQL
            // With no rows, SQLite doesn't pass the function's arguments, and only the sum isn't nil.
            return ((function == .sum ? "outcrop_sum" : "outcrop_aggregate") + call, kind.aggregated(function), true)
        default: throw Untranslatable("calls \(function.rawValue) with an unsupported operand")
        }
    }

    /// `tags[FIRST].name`
    mutating func element(_ index: ElementIndex, of node: Node) throws(Untranslatable) -> Node {
        guard case .many(let members) = node, !members.isDistinct else {
            throw Untranslatable("accesses a member of a list")
        }
        let scope = scopes[members.scope]
        if index == .size {
            return .term(Term(sql: "(SELECT COUNT(*)\(scope.clause()))", kind: .integer, isNullable: false))
        }
        let (place, isFromEnd): (Int64, Bool)
        switch index {
        case .first:
            place = 0
            isFromEnd = false
        case .last:
            place = 0
            isFromEnd = true
        default:
            guard case .at(.constant(let value)) = index else {
                throw Untranslatable("accesses a member by a computed index")
            }
            switch value {
            case .integer(let number) where number >= 0: place = number
            case .bool(let flag): place = flag ? 1 : 0
            default: return .term(.null)
            }
            isFromEnd = false
        }
        let order = isFromEnd ? scope.order.map { "\($0) DESC" as SQL } : scope.order
        let rest = scope.clause() + SQL.order(order) + SQL.window(offset: Int(place), limit: 1)
        switch members.element {
        case .term(let term): return .term(Term(sql: "(SELECT \(term.sql)\(rest))", kind: term.kind))
        case .composite: throw Untranslatable("accesses a dictionary")
        case .object(let object):
            let picked = ObjectTerm(
                key: "(SELECT \(object.key)\(rest))",
                number: object.number.map { "(SELECT \($0)\(rest))" },
                entity: object.entity,
                isNullable: true,
                place: .picked(from: members.scope, to: members.owner)
            )
            return .object(picked)
        }
    }

    /// A comparison of a number of members with zero as EXISTS, without counting; nil for other comparisons.
    func compareCount(_ left: Node, _ operator: Comparison.Operator, _ right: Node) -> Condition? {
        guard case .term(let term) = left, let scope = term.counted, case .term(let bound) = right,
            case .integer(let number)? = bound.constant
        else { return nil }
        switch (`operator`, number) {
        case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0):
            return exists(scope, where: .constant(true), isCorrelated: false)
        case (.lessOrEqual, 0), (.less, 1), (.equal, 0):
            return !exists(scope, where: .constant(true), isCorrelated: false)
        default: return nil
        }
    }
}

extension Term.Kind {
    /// The kind of an aggregate's result.
    fileprivate func aggregated(_ function: Function) -> Term.Kind {
        switch function {
        case .standardDeviation: .double
        case _ where isDecimal: .anyNumber
        case .minimum, .maximum, .mode: self
        case .average: .double
        default: .number
        }
    }

    /// Whether SQLite's minimum and maximum match the sort order.
    fileprivate var hasNativeOrder: Bool {
        switch self {
        case .bool, .integer, .double, .text, .uri, .date, .uuid, .data: true
        default: false
        }
    }
}
