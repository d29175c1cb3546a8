// SPDX-License-Identifier: Apache-2.0

// Function calls, and the forms that look like calls: SUBQUERY, TERNARY, CAST.

import SourceText

extension FormatParser {
    /// Parses `length:(title)`, beginning at the selector.
    mutating func call(_ selector: String) throws(FormatError) -> ObjectExpression {
        let start = token.start
        try advance()
        guard token.kind == .symbol(.leftParenthesis) else { throw expected("“(” and the operands of \(selector)") }
        return try call(selector, at: start)
    }

    /// Parses a call, beginning at its opening parenthesis.
    mutating func call(_ name: String, at start: Int) throws(FormatError) -> ObjectExpression {
        guard let function = Function.named(name) else {
            if name == "distanceToLocation:fromLocation:" {
                throw FormatError(
                    .unsupported,
                    at: start,
                    message: "\(name) isn't supported, because locations aren't values."
                )
            }
            throw FormatError(
                .unknown,
                at: start,
                expected: "a function",
                found: "“\(name)”",
                message: "There is no function “\(name)”.",
                hint: Self.functionHint(name)
            )
        }
        try advance()
        var operands: [ObjectExpression] = []
        var tallest = 0
        while token.kind != .symbol(.rightParenthesis) {
            if !operands.isEmpty { try expect(.comma) }
            if function == .count, token.kind == .symbol(.times) {
                throw expected("an expression", hint: "The number of related objects is tags.@count.")
            }
            let operandStart = token.start
            operands.append(try expression(node(.set), at: operandStart))
            tallest = max(tallest, height)
        }
        try advance()
        guard let exact = function.variant(operandCount: operands.count) else {
            throw FormatError(
                .operandCount,
                at: start,
                message: "\(function.rawValue) takes \(function.arityText), but has \(operands.count)."
            )
        }
        isLiteral = false
        try grow(over: tallest)
        return .function(exact, operands)
    }

    /// Parses a special form, beginning at its opening parenthesis.
    mutating func form(_ keyword: Keyword, at start: Int) throws(FormatError) -> ObjectExpression {
        switch keyword {
        case .subquery: return try subquery()
        case .ternary: return try ternary()
        case .cast: return try cast()
        case .first: return try end(.first)
        case .last: return try end(.last)
        case .function:
            throw FormatError(
                .unsupported,
                at: start,
                message: "FUNCTION isn't supported, because it would call arbitrary methods.",
                hint: "Call the built-in functions by name: length:(title)."
            )
        case .fetch:
            throw FormatError(
                .unsupported,
                at: start,
                message: "FETCH isn't supported, because a predicate can't fetch.",
                hint: "Use SUBQUERY(relationship, $x, …) for related objects."
            )
        default: return try call(keyword.rawValue, at: start)
        }
    }

    private mutating func subquery() throws(FormatError) -> ObjectExpression {
        try advance()
        let start = token.start
        let collection = try expression(node(.set), at: start)
        var tallest = height
        try expect(.comma)
        guard case .variable(let variable) = token.kind else {
            throw expected("a variable", hint: "SUBQUERY(collection, $x, $x.name == 'a')")
        }
        try advance()
        try expect(.comma)
        let condition = try node(.or)
        let predicate = try predicate(condition)
        tallest = max(tallest, height)
        try expect(.rightParenthesis)
        isLiteral = false
        try grow(over: tallest)
        return .subquery(collection, variable: variable, predicate)
    }

    /// `FIRST(editors)`, another form of `editors[FIRST]`.
    private mutating func end(_ index: ElementIndex) throws(FormatError) -> ObjectExpression {
        try advance()
        let start = token.start
        let collection = try expression(node(.set), at: start)
        try expect(.rightParenthesis)
        isLiteral = false
        try grow(over: height)
        return .element(of: collection, index)
    }

    private mutating func ternary() throws(FormatError) -> ObjectExpression {
        try advance()
        let condition = try node(.or)
        let predicate = try predicate(condition)
        var tallest = height
        try expect(.comma)
        let start = token.start
        let holds = try expression(node(.set), at: start)
        tallest = max(tallest, height)
        try expect(.comma)
        let otherStart = token.start
        let fails = try expression(node(.set), at: otherStart)
        tallest = max(tallest, height)
        try expect(.rightParenthesis)
        isLiteral = false
        try grow(over: tallest)
        return .ternary(predicate, holds, fails)
    }

    private mutating func cast() throws(FormatError) -> ObjectExpression {
        try advance()
        let start = token.start
        let operand = try expression(node(.set), at: start)
        let operandIsLiteral = isLiteral
        try expect(.comma)
        let types = CastType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard case .string(let name) = token.kind else {
            throw expected("a type's name in quotes", hint: "Use one of \(types).")
        }
        guard let type = CastType(rawValue: name) else {
            throw FormatError(
                .unknown,
                at: token.start,
                expected: "a type",
                found: "“\(name)”",
                message: "“\(name)” isn't a type to cast to.",
                hint: "Use one of \(types)."
            )
        }
        try advance()
        try expect(.rightParenthesis)
        isLiteral = false
        if operandIsLiteral, case .constant(let value) = operand, type.isLiteralForm(of: value) {
            guard let constant = type.constant(from: value) else {
                throw FormatError(
                    .malformed,
                    at: start,
                    message: "The literal isn't a valid \(type.noun).",
                    hint: type.literalHint
                )
            }
            isLiteral = true
            height = 1
            return .constant(constant)
        }
        try grow(over: height)
        return .cast(operand, type)
    }
}

extension Function {
    /// Alternative names of functions.
    static let aliases: [String: Function] = ["random:": .randomBelow]

    /// The function of a name, with or without its colon.
    static func named(_ name: String) -> Function? {
        Function(rawValue: name) ?? Function(rawValue: name + ":") ?? aliases[name]
            ?? (name.hasSuffix(":") ? Function(rawValue: String(name.dropLast())) : nil)
    }

    /// The function itself, or its variant with this number of operands.
    func variant(operandCount count: Int) -> Function? {
        if arity.contains(count) { return self }
        if self == .randomBelow, count == 0 { return .random }
        if self == .random, count == 1 { return .randomBelow }
        return nil
    }

    fileprivate var arityText: String {
        switch arity {
        case 0...0: "no operands"
        case 1...1: "one operand"
        case 2...2: "two operands"
        default: "at least one operand"
        }
    }
}
