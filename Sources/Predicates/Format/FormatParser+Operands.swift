// SPDX-License-Identifier: Apache-2.0

// Operands: literals, names, placeholders and lists, with the key paths and indexes that follow them.

extension FormatParser {
    /// Parses an operand with its signs and key path, or a predicate in place of an operand.
    mutating func operand() throws(FormatError) -> Node {
        switch token.kind {
        case .symbol(.minus):
            try advance()
            if case .number(let literal) = token.kind {
                try countTerm()
                return .expression(try constant(literal, isNegative: true))
            }
            return .expression(try unary(.negate))
        case .symbol(.tilde):
            try advance()
            return .expression(try unary(.onesComplement))
        case .keyword(.truepredicate): return try constantPredicate(true)
        case .keyword(.falsepredicate): return try constantPredicate(false)
        case .symbol(.leftParenthesis):
            try advance()
            let inner = try node(.or)
            try expect(.rightParenthesis, hint: token.kind == .symbol(.comma) ? Self.listHint : nil)
            isLiteral = false
            guard case .expression(let expression) = inner else { return inner }
            return .expression(try trailed(expression, isOpen: false))
        default:
            let (expression, isOpen) = try primary()
            return .expression(try trailed(expression, isOpen: isOpen))
        }
    }

    private mutating func constantPredicate(_ constant: Bool) throws(FormatError) -> Node {
        try countTerm()
        try advance()
        return .predicate(.constant(constant))
    }

    private mutating func unary(_ function: Function) throws(FormatError) -> ObjectExpression {
        let start = token.start
        let operand = try expression(node(.unary), at: start)
        isLiteral = false
        try grow(over: height)
        return .function(function, [operand])
    }

    /// Parses an operand without its suffixes. `isOpen` says whether following keys extend the operand's own path.
    private mutating func primary() throws(FormatError) -> (ObjectExpression, isOpen: Bool) {
        try countTerm()
        switch token.kind {
        case .number(let literal): return (try constant(literal, isNegative: false), false)
        case .string(let string): return (try literal(.string(string)), false)
        case .argument(let argument):
            recordPlaceholder(.value(argument))
            isLiteral = false
            try advance()
            return (.argument(argument), false)
        case .variable(let name):
            isLiteral = false
            try advance()
            return (.variable(name), false)
        case .selector(let selector):
            return (try call(selector), false)
        case .symbol(.leftBrace): return (try list(), false)
        case .name(let name): return try named(name)
        case .keyArgument, .collectionOperator:
            isLiteral = false
            return (.keyPath(of: .evaluatedObject, [try key()]), true)
        case .keyword(let keyword): return try self.keyword(keyword)
        default: throw expected("an expression")
        }
    }

    /// Parses a key, or a function written without its colon.
    private mutating func named(_ name: String) throws(FormatError) -> (ObjectExpression, isOpen: Bool) {
        isLiteral = false
        let isEscaped = lexer.bytes[token.start] == UInt8(ascii: "#")
        let start = token.start
        try advance()
        guard !isEscaped, token.kind == .symbol(.leftParenthesis) else {
            return (.keyPath(of: .evaluatedObject, [.name(name)]), true)
        }
        return (try call(name, at: start), false)
    }

    private mutating func keyword(_ keyword: Keyword) throws(FormatError) -> (ObjectExpression, isOpen: Bool) {
        switch keyword {
        case .true, .yes: return (try literal(.bool(true)), false)
        case .false, .no: return (try literal(.bool(false)), false)
        case .nil, .null: return (try literal(.null), false)
        case .self:
            isLiteral = false
            try advance()
            return (.evaluatedObject, true)
        case _ where keyword.isContextual:
            let start = token.start
            let name = lexer.text(from: token.start, to: token.end)
            isLiteral = false
            try advance()
            guard token.kind == .symbol(.leftParenthesis) else {
                return (.keyPath(of: .evaluatedObject, [.name(name)]), true)
            }
            return (try form(keyword, at: start), false)
        case .anykey:
            throw FormatError(
                .unsupported,
                at: token.start,
                message: "ANYKEY is not supported.",
                hint: "Name the property."
            )
        default:
            let word = lexer.text(from: token.start, to: token.end)
            throw expected("an expression", hint: "Write a property of that name as #\(word).")
        }
    }

    private mutating func literal(_ value: Value) throws(FormatError) -> ObjectExpression {
        isLiteral = true
        try advance()
        return .constant(value)
    }

    private mutating func constant(_ literal: NumberLiteral, isNegative: Bool) throws(FormatError) -> ObjectExpression {
        guard let value = Value(literal, isNegative: isNegative) else {
            let text = lexer.shown(token)
            throw FormatError(.malformed, at: token.start, message: "The number \(text) is too large.")
        }
        return try self.literal(value)
    }

    /// Parses `{1, 2, x}`, which is a constant if all members are literals.
    private mutating func list() throws(FormatError) -> ObjectExpression {
        try advance()
        var members: [ObjectExpression] = []
        var literals: [Value]? = []
        var tallest = 0
        while token.kind != .symbol(.rightBrace) {
            if !members.isEmpty { try expect(.comma, hint: Self.listHint) }
            let start = token.start
            let member = try expression(node(.set), at: start)
            members.append(member)
            tallest = max(tallest, height)
            if isLiteral, case .constant(let value) = member { literals?.append(value) } else { literals = nil }
        }
        try advance()
        try grow(over: tallest)
        isLiteral = literals != nil
        return literals.map { .constant(.array($0)) } ?? .aggregate(members)
    }
}

// MARK: - Key paths and indexes

extension FormatParser {
    /// Parses the keys and indexes after an operand. They extend an open path; otherwise the operand becomes their
    /// root.
    mutating func trailed(_ operand: ObjectExpression, isOpen: Bool) throws(FormatError) -> ObjectExpression {
        var expression = operand
        var isOpen = isOpen
        while true {
            switch token.kind {
            case .symbol(.dot):
                isLiteral = false
                if isOpen, case .keyPath(let root, let keys) = expression {
                    expression = .keyPath(of: root, try followed(keys))
                } else {
                    expression = .keyPath(of: expression, try followed([]))
                    try grow(over: height)
                    isOpen = true
                }
            case .symbol(.leftBracket):
                expression = try element(of: expression)
                isOpen = false
            default: return expression
            }
        }
    }

    /// Appends the keys that follow.
    private mutating func followed(_ keys: [Key]) throws(FormatError) -> [Key] {
        var keys = keys
        while token.kind == .symbol(.dot) {
            try advance()
            try countTerm()
            keys.append(try key())
        }
        return keys
    }

    /// Parses a step of a key path. After a dot, reserved words are names.
    private mutating func key() throws(FormatError) -> Key {
        let key: Key
        switch token.kind {
        case .name(let name): key = .name(name)
        case .keyword: key = .name(lexer.text(from: token.start, to: token.end))
        case .collectionOperator(let name): key = .collection(name)
        case .keyArgument(let index):
            recordPlaceholder(.key(index))
            key = .argument(index)
        default:
            throw expected("a property's name", hint: token.isValueArgument ? "%K takes the name of a property." : nil)
        }
        try advance()
        return key
    }

    private mutating func element(of collection: ObjectExpression) throws(FormatError) -> ObjectExpression {
        let collectionHeight = height
        try advance()
        let index: ElementIndex
        switch token.kind {
        case .keyword(.first): index = try elementName(.first)
        case .keyword(.last): index = try elementName(.last)
        case .keyword(.size): index = try elementName(.size)
        default:
            let start = token.start
            index = .at(try expression(node(.set), at: start))
        }
        try expect(.rightBracket)
        isLiteral = false
        try grow(over: max(collectionHeight, height))
        return .element(of: collection, index)
    }

    private mutating func elementName(_ index: ElementIndex) throws(FormatError) -> ElementIndex {
        try advance()
        return index
    }
}

extension Token {
    fileprivate var isValueArgument: Bool {
        if case .argument = kind { true } else { false }
    }
}
