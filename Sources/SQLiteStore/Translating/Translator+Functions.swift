// SPDX-License-Identifier: Apache-2.0

// Function calls: by SQL's operators where their results are the same, or else by functions that the store defines.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    mutating func call(_ function: Function, _ operands: [ObjectExpression]) throws(Untranslatable) -> Node {
        switch function {
        case .noIndex where operands.count == 1:
            guard case .term(var term) = try node(operands[0]) else { return try node(operands[0]) }
            if term.isColumn { term.sql = "+\(term.sql)" }
            term.isColumn = false
            term.canonical = nil
            term.named = nil
            return .term(term)
        case .now: return .term(Term(.date(now)) ?? .null)
        case .random, .randomBelow: throw Untranslatable("is random")
        case .union, .intersect, .minus: throw Untranslatable("combines collections")
        case .count, .sum, .minimum, .maximum, .average, .median, .mode, .standardDeviation:
            if operands.count == 1, case .many(let members) = try node(operands[0]) {
                return .term(try aggregate(function, members))
            }
        default: break
        }
        guard function.arity ~= operands.count else {
            throw Untranslatable("calls a function with too few or many operands")
        }
        var terms: [Term] = []
        for operand in operands { terms.append(try term(operand)) }
        for term in terms { try term.expectReadable() }
        if terms.allSatisfy({ $0.constant != nil }) { return .term(try computed(function, terms)) }
        // SQLite allows 127.
        guard terms.count <= 100 else { throw Untranslatable("calls \(function.rawValue) with too many operands") }
        return .term(try call(function, terms))
    }

    /// The result of a call with constant operands only.
    private func computed(_ function: Function, _ terms: [Term]) throws(Untranslatable) -> Term {
        let call = ObjectExpression.function(function, terms.compactMap(\.constant).map(ObjectExpression.constant))
        guard case .value(let value)? = try? Evaluator(now: now).operand(of: call, for: ConstantContext()),
            let term = Term(value)
        else { throw Untranslatable("calls \(function.rawValue) with an unsupported operand") }
        return term
    }

    private func call(_ function: Function, _ terms: [Term]) throws(Untranslatable) -> Term {
        let isNullable = terms.contains(where: \.isNullable)
        switch function {
        case .canonical where terms[0].kind.isText:
            return folded(terms[0], [.caseInsensitive, .diacriticInsensitive])
        case .uppercase where terms[0].kind.isText, .lowercase where terms[0].kind.isText:
            return called(function, terms, .text)
        case .length where terms[0].kind.isText || terms[0].kind == .data: return length(of: terms[0])
        case .add where terms.allSatisfy(\.kind.isText):
            return Term(sql: "(\(terms[0].sql) || \(terms[1].sql))", kind: .text, isNullable: isNullable)
        case .add, .subtract, .multiply, .divide:
            return try arithmetic(function, terms[0], terms[1], isNullable)
        case .negate where terms[0].kind.isPlainNumber:
            let kind: Term.Kind = terms[0].kind == .double ? .double : .number
            return Term(sql: "(0 - \(terms[0].sql))", kind: kind, isNullable: isNullable)
        case .modulus where terms.allSatisfy(\.kind.isWhole):
            return Term(sql: "(\(terms[0].sql) % \(terms[1].sql))", kind: .integer)
        case .bitwiseAnd where terms.allSatisfy(\.kind.isWhole), .bitwiseOr where terms.allSatisfy(\.kind.isWhole):
            let word: SQL = function == .bitwiseAnd ? "&" : "|"
            return Term(sql: "(\(terms[0].sql) \(word) \(terms[1].sql))", kind: .integer, isNullable: isNullable)
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
            return try numeric(function, terms, .integer)
        case .squareRoot, .exponential, .logarithm, .naturalLogarithm, .raise:
            return try numeric(function, terms, .double)
        case .floor, .ceiling, .truncate:
            guard terms[0].kind.isWhole else { return try numeric(function, terms, terms[0].kind.computed) }
            return Term(sql: terms[0].sql, kind: .integer, isColumn: terms[0].isColumn)
        case .modulus, .absolute, .negate:
            return try numeric(function, terms, terms.contains { $0.kind.isDecimal } ? .anyNumber : .number)
        case .sum, .average, .median, .standardDeviation: return try numeric(function, terms, .anyNumber)
        case .count: return called(function, terms, .integer)
        default: throw Untranslatable("calls \(function.rawValue) with an operand that SQL doesn't support")
        }
    }

    private func arithmetic(
        _ function: Function,
        _ left: Term,
        _ right: Term,
        _ isNullable: Bool
    ) throws(Untranslatable) -> Term {
        let word: SQL =
            switch function {
            case .add: "+"
            case .subtract: "-"
            case .multiply: "*"
            default: "/"
            }
        if left.kind.isPlainNumber && right.kind.isPlainNumber {
            let kind: Term.Kind = left.kind == .double || right.kind == .double ? .double : .number
            return Term(sql: "(\(left.sql) \(word) \(right.sql))", kind: kind)
        }
        if left.kind.isNumber && right.kind.isNumber { return called(function, [left, right], .anyNumber) }
        if left.kind == .date || right.kind == .date {
            return called(function, [left, right], try kind(of: function, left.kind, right.kind))
        }
        if left.kind == .null && (right.kind.isNumber || right.kind == .null)
            || right.kind == .null && left.kind.isNumber
        {
            return .null
        }
        throw Untranslatable("calls \(function.rawValue) with an unsupported operand")
    }

    /// A date plus or minus seconds is a date; the difference of two dates is in seconds.
    private func kind(
        of function: Function,
        _ left: Term.Kind,
        _ right: Term.Kind
    ) throws(Untranslatable) -> Term.Kind {
        switch (function, left, right) {
        case (.subtract, .date, .date): return .double
        case (.add, .date, _) where right.isNumber, (.subtract, .date, _) where right.isNumber: return .date
        case (.add, _, .date) where left.isNumber: return .date
        default: throw Untranslatable("calls \(function.rawValue) with an unsupported operand")
        }
    }

    private func numeric(_ function: Function, _ terms: [Term], _ kind: Term.Kind) throws(Untranslatable) -> Term {
        guard terms.allSatisfy({ $0.kind.isNumber || $0.kind == .null }) else {
            throw Untranslatable("calls \(function.rawValue) with an unsupported operand")
        }
        return called(function, terms, kind)
    }

    private func called(_ function: Function, _ terms: [Term], _ kind: Term.Kind) -> Term {
        let kinds = String(terms.map(\.kind.rawValue))
        let operands = terms.map(\.sql).joined(separator: ", ")
        return Term(
            sql: "outcrop_call(\(literal: .text(function.rawValue)), \(literal: .text(kinds)), \(operands))",
            kind: kind
        )
    }
}

extension Term.Kind {
    /// The kind of a computed result: a computed decimal is always digits.
    fileprivate var computed: Term.Kind { isDecimal ? .anyNumber : self }
}

/// The object for which constants are evaluated.
struct ConstantContext: KeyValueObject {
    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? { nil }
}
