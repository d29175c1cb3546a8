// SPDX-License-Identifier: Apache-2.0

// A precedence climbing parser for format strings: one pass, without backtracking.
//
// Predicates and expressions share parentheses, so `node(_:)` parses both and the caller checks which one it needs.
//
// 1. The parser recurses once per level of nesting; `depth` counts the levels.
// 2. `height` is the height of the last parsed tree. Chains such as a + b + c increase it without recursion.
// 3. Both stay within `limits.maximumDepth`, so neither the parser nor code that walks the tree exhausts the stack.

import SourceText

struct FormatParser {
    enum Node {
        case predicate(ObjectPredicate)
        case expression(ObjectExpression)
    }

    var lexer: Lexer
    var token: Token
    let limits: FormatLimits
    var placeholders: [Placeholder] = []
    var height = 0
    /// Whether the last operand was a single literal, which `CAST` and lists turn into constants.
    var isLiteral = false
    private var depth = 0
    private var terms = 0

    init(_ format: String, limits: FormatLimits) throws(FormatError) {
        guard format.utf8.count <= limits.maximumLength else {
            throw FormatError(
                .limit,
                at: nil,
                message: "The format is longer than \(limits.maximumLength) bytes.",
                hint: "Pass long lists of values as arguments: IN %@."
            )
        }
        self.limits = limits
        lexer = Lexer(format)
        token = try lexer.next()
    }

    mutating func wholePredicate() throws(FormatError) -> ObjectPredicate {
        let node = try node(.or)
        let predicate = try predicate(node)
        try expectEnd()
        return predicate
    }

    mutating func wholeExpression() throws(FormatError) -> ObjectExpression {
        let start = token.start
        let node = try node(.or)
        let expression = try expression(node, at: start)
        try expectEnd()
        return expression
    }

    /// Parses operators of at least the given precedence.
    mutating func node(_ minimum: Precedence) throws(FormatError) -> Node {
        depth += 1
        defer { depth -= 1 }
        try checkDepth(depth)
        let start = token.start
        var left = try prefixed(minimum)
        while let infix = try infix(), infix.precedence >= minimum {
            left = try apply(infix, to: left, startingAt: start)
        }
        return left
    }
}

// MARK: - Operators

extension FormatParser {
    private enum Infix {
        case and, or
        case comparison(Comparison.Operator, negated: Bool)
        case function(InfixFunction)

        var precedence: Precedence {
            switch self {
            case .or: .or
            case .and: .and
            case .comparison: .comparison
            case .function(let function): function.precedence
            }
        }
    }

    /// The operator at the current token, if any.
    private func infix() throws(FormatError) -> Infix? {
        switch token.kind {
        case .symbol(.and), .keyword(.and): .and
        case .symbol(.or), .keyword(.or): .or
        case .symbol(let symbol):
            if let comparison = Comparison.Operator(rawValue: symbol.rawValue) {
                .comparison(comparison, negated: false)
            } else {
                InfixFunction.byText[symbol.rawValue].map(Infix.function)
            }
        case .keyword(.not):
            .comparison(try negatedOperator(), negated: true)
        case .keyword(let keyword):
            Comparison.Operator(rawValue: keyword.rawValue.uppercased()).map { .comparison($0, negated: false) }
        case .name(let name):
            InfixFunction.byText[name.uppercased()].map(Infix.function)
        case .selector(let selector) where Self.classTests.contains(selector):
            throw FormatError(
                .unsupported,
                at: token.start,
                message: "\(selector) isn't supported; predicates have entities, not classes.",
                hint: "Compare the entity's name: entity == \"Post\"."
            )
        default: nil
        }
    }

    /// Methods that apps use like operators.
    private static let classTests: Set = ["isKindOfClass:", "isMemberOfClass:"]

    /// The operator after the current NOT, as in `NOT IN`.
    private func negatedOperator() throws(FormatError) -> Comparison.Operator {
        var ahead = lexer
        if case .keyword(let keyword) = try ahead.next().kind,
            let comparison = Comparison.Operator(rawValue: keyword.rawValue.uppercased())
        {
            return comparison
        }
        throw expected(
            "an operator",
            hint: "Write NOT before the whole comparison, or before an operator such as IN or LIKE."
        )
    }

    private mutating func apply(_ infix: Infix, to left: Node, startingAt start: Int) throws(FormatError) -> Node {
        switch infix {
        case .and: try .predicate(.and(chain(left, of: .and)))
        case .or: try .predicate(.or(chain(left, of: .or)))
        case .comparison(let comparison, let negated):
            try .predicate(compare(expression(left, at: start), comparison, negated: negated))
        case .function(let infix):
            try .expression(combine(expression(left, at: start), infix))
        }
    }

    /// Parses `a AND b AND c` into one list.
    private mutating func chain(_ first: Node, of level: Precedence) throws(FormatError) -> [ObjectPredicate] {
        var predicates = [try predicate(first)]
        var tallest = height
        while try infix()?.precedence == level {
            try advance()
            let next = try node(level.tighter)
            predicates.append(try predicate(next))
            tallest = max(tallest, height)
        }
        try grow(over: tallest)
        return predicates
    }

    private mutating func compare(
        _ left: ObjectExpression,
        _ comparison: Comparison.Operator,
        negated: Bool
    ) throws(FormatError) -> ObjectPredicate {
        let leftHeight = height
        if negated { try advance() }
        try advance()
        let options = try options(of: comparison)
        let start = token.start
        let right = try expression(node(.set), at: start)
        try grow(over: max(leftHeight, height))
        if case .comparison = try infix() {
            throw expected("AND, OR or the end", hint: "Comparisons can't be chained; join two of them with AND.")
        }
        let predicate = ObjectPredicate.comparing(left, comparison, right, options: options)
        return negated ? .not(predicate) : predicate
    }

    private mutating func combine(
        _ left: ObjectExpression,
        _ infix: InfixFunction
    ) throws(FormatError) -> ObjectExpression {
        let leftHeight = height
        try advance()
        let start = token.start
        let right = try expression(
            node(infix.groupsFromRight ? infix.precedence : infix.precedence.tighter),
            at: start
        )
        isLiteral = false
        try grow(over: max(leftHeight, height))
        return .function(infix.function, [left, right])
    }

    /// Parses `[cd]` after an operator.
    private mutating func options(of comparison: Comparison.Operator) throws(FormatError) -> Comparison.Options {
        guard token.kind == .symbol(.leftBracket) else { return [] }
        try advance()
        var options: Comparison.Options = []
        let hint = "Options are [c] for case, [d] for diacritics, [n] for normalized and [l] for the locale's order."
        guard let letters = nameText else {
            let takesList = comparison == .in || comparison == .between
            throw expected("the letters c, d, n or l", hint: takesList ? Self.listHint : hint)
        }
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw expected("the letters c, d, n or l", hint: hint)
            }
        }
        try advance()
        try expect(.rightBracket)
        return options
    }

    /// Parses an operand, or a term that begins with NOT, ANY or a sign.
    private mutating func prefixed(_ minimum: Precedence) throws(FormatError) -> Node {
        switch token.kind {
        case .symbol(.not), .keyword(.not):
            guard minimum <= .not else { throw expected("an expression") }
            try advance()
            let operand = try node(.not)
            let predicate = try predicate(operand)
            try grow(over: height)
            return .predicate(.not(predicate))
        case .keyword(.any), .keyword(.some): return try modified(.any, negated: false, minimum)
        case .keyword(.all): return try modified(.all, negated: false, minimum)
        case .keyword(.none): return try modified(.any, negated: true, minimum)
        default: return try operand()
        }
    }

    private mutating func modified(
        _ modifier: Comparison.Modifier,
        negated: Bool,
        _ minimum: Precedence
    ) throws(FormatError) -> Node {
        guard minimum <= .comparison else { throw expected("an expression") }
        try advance()
        let start = token.start
        let left = try expression(node(.set), at: start)
        guard case .comparison(let comparison, let isNot) = try infix() else { throw expectedOperator(after: left) }
        let predicate = try compare(left, comparison, negated: isNot)
        return .predicate(Self.modify(predicate, by: modifier, negated: negated))
    }

    private static func modify(
        _ predicate: ObjectPredicate,
        by modifier: Comparison.Modifier,
        negated: Bool
    ) -> ObjectPredicate {
        switch predicate {
        case .comparison(var comparison):
            comparison.modifier = modifier
            return negated ? .not(.comparison(comparison)) : .comparison(comparison)
        case .not(let inner): return modify(inner, by: modifier, negated: !negated)
        default: return predicate
        }
    }
}

// MARK: - Shared by the parser's other files

extension FormatParser {
    mutating func advance() throws(FormatError) {
        token = try lexer.next()
    }

    mutating func expect(_ symbol: Symbol, hint: String? = nil) throws(FormatError) {
        guard token.kind == .symbol(symbol) else { throw expected("“\(symbol.rawValue)”", hint: hint) }
        try advance()
    }

    /// The text of the current token, if it is a name or keyword.
    var nameText: String? {
        switch token.kind {
        case .name, .keyword: lexer.text(from: token.start, to: token.end)
        default: nil
        }
    }

    mutating func countTerm() throws(FormatError) {
        terms += 1
        height = 1
        guard terms <= limits.maximumTerms else {
            throw FormatError(
                .limit,
                at: token.start,
                message: "The format has more than \(limits.maximumTerms) terms.",
                hint: "Pass long lists of values as arguments: IN %@."
            )
        }
    }

    /// Records a node above others of the given height.
    mutating func grow(over others: Int) throws(FormatError) {
        height = others + 1
        try checkDepth(height)
    }

    private func checkDepth(_ depth: Int) throws(FormatError) {
        guard depth <= limits.maximumDepth else {
            throw FormatError(
                .limit,
                at: token.start,
                message: "The format is nested more than \(limits.maximumDepth) levels deep."
            )
        }
    }

    func expected(_ what: String, hint: String? = nil) -> FormatError {
        .expected(what, found: lexer.shown(token), at: token.start, hint: hint ?? doubledQuoteHint)
    }

    func predicate(_ node: Node) throws(FormatError) -> ObjectPredicate {
        switch node {
        case .predicate(let predicate): return predicate
        case .expression(let expression): throw expectedOperator(after: expression)
        }
    }

    func expression(_ node: Node, at start: Int) throws(FormatError) -> ObjectExpression {
        switch node {
        case .expression(let expression): return expression
        case .predicate:
            throw .expected(
                "an expression",
                found: "a predicate",
                at: start,
                hint: "Use TERNARY(predicate, YES, NO) as a value."
            )
        }
    }

    private func expectEnd() throws(FormatError) {
        guard token.kind == .end else { throw expected("an operator or the end", hint: operatorHint) }
    }

    private func expectedOperator(after expression: ObjectExpression) -> FormatError {
        var hint = operatorHint
        if Self.isExists(expression) {
            hint = Self.existsHint
        } else if hint == nil, case .keyPath = expression {
            hint = "To test a Boolean, compare it: \(expression) == YES."
        }
        return expected("a comparison operator", hint: hint)
    }
}
