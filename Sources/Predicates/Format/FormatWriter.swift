// SPDX-License-Identifier: Apache-2.0

// The canonical text of predicates and expressions, which parses back to the same value.

import FoundationEssentials

extension ObjectPredicate: CustomStringConvertible {
    public var description: String {
        var writer = FormatWriter()
        writer.write(self, within: .or)
        return writer.text
    }
}

extension ObjectExpression: CustomStringConvertible {
    public var description: String {
        var writer = FormatWriter()
        writer.write(self, within: .set)
        return writer.text
    }
}

/// Writes a tree with the fewest parentheses that preserve it.
struct FormatWriter {
    private(set) var text = ""
    /// The index of the next placeholder without an explicit index.
    private var nextArgument = 0

    mutating func write(_ predicate: ObjectPredicate, within level: Precedence) {
        switch predicate {
        case .constant(let holds): text += holds ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): write(comparison)
        case .not(let inner):
            text += "NOT "
            parenthesized(Self.level(of: inner) < .not) { $0.write(inner, within: .or) }
        case .and(let predicates): join(predicates, by: " AND ", at: .and, within: level, whenEmpty: true)
        case .or(let predicates): join(predicates, by: " OR ", at: .or, within: level, whenEmpty: false)
        }
    }

    mutating func write(_ expression: ObjectExpression, within level: Precedence) {
        switch expression {
        case .constant(let value): write(value)
        case .evaluatedObject: text += "SELF"
        case .variable(let name): text += "$" + name
        case .argument(let argument): placeholder(argument.kind.rawValue, argument.index)
        case .keyPath(let root, let keys): path(root, keys)
        case .element(let collection, let index):
            root(collection, isPathOpen: true)
            element(index)
        case .aggregate(let members): list(members)
        case .function(let function, let operands): call(function, operands, within: level)
        case .cast(let operand, let type):
            text += "CAST("
            if case .constant(let value) = operand, type.isLiteralForm(of: value) {
                parenthesized(true) { $0.write(value) }
            } else {
                write(operand, within: .set)
            }
            text += ", \"\(type.rawValue)\")"
        case .ternary(let condition, let holds, let fails):
            text += "TERNARY("
            write(condition, within: .or)
            text += ", "
            write(holds, within: .set)
            text += ", "
            write(fails, within: .set)
            text += ")"
        case .subquery(let collection, let variable, let condition):
            text += "SUBQUERY("
            write(collection, within: .set)
            text += ", $\(variable), "
            write(condition, within: .or)
            text += ")"
        }
    }
}

// MARK: - Predicates

extension FormatWriter {
    private mutating func write(_ comparison: Comparison) {
        if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
        write(comparison.left, within: .set)
        text += " " + comparison.operator.rawValue + Self.options(comparison.options) + " "
        write(comparison.right, within: .set)
    }

    private static func options(_ options: Comparison.Options) -> String {
        let letters: [(Comparison.Options, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let text = letters.filter { options.contains($0.0) }.map(\.1).joined()
        return text.isEmpty ? "" : "[\(text)]"
    }

    private mutating func join(
        _ predicates: [ObjectPredicate],
        by word: String,
        at level: Precedence,
        within outer: Precedence,
        whenEmpty: Bool
    ) {
        guard predicates.count > 1 else {
            return write(predicates.first ?? .constant(whenEmpty), within: outer)
        }
        parenthesized(level < outer) { writer in
            for (index, predicate) in predicates.enumerated() {
                if index > 0 { writer.text += word }
                writer.write(predicate, within: level.tighter)
            }
        }
    }

    /// The precedence of a predicate's loosest operator.
    private static func level(of predicate: ObjectPredicate) -> Precedence {
        switch predicate {
        case .and(let predicates) where predicates.count > 1: .and
        case .or(let predicates) where predicates.count > 1: .or
        case .and(let predicates), .or(let predicates): predicates.first.map(level) ?? .primary
        case .not: .not
        case .comparison: .comparison
        case .constant: .primary
        }
    }

    private mutating func parenthesized(_ needed: Bool, _ write: (inout FormatWriter) -> Void) {
        if needed { text += "(" }
        write(&self)
        if needed { text += ")" }
    }
}

// MARK: - Expressions

extension FormatWriter {
    private mutating func path(_ root: ObjectExpression, _ keys: [Key]) {
        var keys = keys[...]
        if case .evaluatedObject = root, let first = keys.popFirst() {
            key(first)
        } else {
            self.root(root, isPathOpen: false)
        }
        for next in keys {
            text += "."
            key(next)
        }
    }

    /// Writes the root of a key path or an index, parenthesised unless it is a single operand. A key path is
    /// parenthesised if the following key would otherwise extend it.
    private mutating func root(_ expression: ObjectExpression, isPathOpen: Bool) {
        let stands =
            switch expression {
            case .evaluatedObject, .variable, .argument, .aggregate, .cast, .ternary, .subquery, .element: true
            case .constant(.null), .constant(.bool), .constant(.string), .constant(.array): true
            case .function(let function, let operands):
                InfixFunction.byFunction[function] == nil && function != .negate && function != .onesComplement
                    || !function.arity.contains(operands.count)
            case .keyPath: isPathOpen
            case .constant: false
            }
        parenthesized(!stands) { $0.write(expression, within: .set) }
    }

    private mutating func key(_ key: Key) {
        switch key {
        case .collection(let name): text += name.rawValue
        case .argument(let index): placeholder("%K", index)
        case .name(let name):
            let bytes = name.utf8
            if let first = bytes.first, Lexer.startsName(first), bytes.allSatisfy(Lexer.continuesName),
                !name.unicodeScalars.contains("\u{A0}")
            {
                text += (Keyword(name) == nil ? "" : "#") + name
            } else {
                text += "#"
                string(name)
            }
        }
    }

    private mutating func element(_ index: ElementIndex) {
        text += "["
        switch index {
        case .first: text += "FIRST"
        case .last: text += "LAST"
        case .size: text += "SIZE"
        case .at(let index): write(index, within: .set)
        }
        text += "]"
    }

    /// Writes a list. If all members are constants, the first is parenthesised, since the list would otherwise be
    /// parsed as one constant.
    private mutating func list(_ members: [ObjectExpression]) {
        let isLiteral = members.allSatisfy { if case .constant = $0 { true } else { false } }
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += ", " }
            parenthesized(isLiteral && index == 0) { $0.write(member, within: .set) }
        }
        text += "}"
    }

    private mutating func call(_ function: Function, _ operands: [ObjectExpression], within level: Precedence) {
        if operands.count == 2, let infix = InfixFunction.byFunction[function] {
            parenthesized(infix.precedence < level) { writer in
                let left = infix.precedence
                let right = infix.precedence.tighter
                writer.write(operands[0], within: infix.groupsFromRight ? right : left)
                writer.text += " \(infix.text) "
                writer.write(operands[1], within: infix.groupsFromRight ? left : right)
            }
        } else if operands.count == 1, function == .negate || function == .onesComplement {
            text += function == .negate ? "-" : "~"
            parenthesized(function == .negate && Self.isNumber(operands[0])) { $0.write(operands[0], within: .unary) }
        } else {
            text += function.rawValue + "("
            for (index, operand) in operands.enumerated() {
                if index > 0 { text += ", " }
                write(operand, within: .set)
            }
            text += ")"
        }
    }

    /// Whether a preceding sign would become part of the operand.
    private static func isNumber(_ expression: ObjectExpression) -> Bool {
        switch expression {
        case .constant(.integer), .constant(.double): true
        default: false
        }
    }

    private mutating func placeholder(_ text: String, _ index: Int) {
        if index == nextArgument {
            self.text += text
            nextArgument += 1
        } else {
            self.text += "%\(index + 1)$" + text.dropFirst()
        }
    }
}

// MARK: - Constants

extension FormatWriter {
    private mutating func write(_ value: Value) {
        switch value {
        case .null: text += "nil"
        case .bool(let holds): text += holds ? "YES" : "NO"
        case .integer(let number): text += String(number)
        case .double(let number) where number.isFinite: text += number.description
        case .double(let number): cast(number.description, .number)
        case .decimal(let number): cast(number.description, .decimal)
        case .string(let string): self.string(string)
        case .date(let date): self.date(date.timeIntervalSinceReferenceDate)
        case .data(let data): cast(data.base64EncodedString(), .data)
        case .uuid(let uuid): cast(uuid.uuidString, .uuid)
        case .uri(let uri): cast(uri, .uri)
        case .reference(let reference): cast(reference.uri, .reference)
        case .array(let members): array(members)
        case .dictionary(let members):
            text += "CAST("
            array(members.sorted { $0.key < $1.key }.flatMap { [.string($0.key), $0.value] })
            text += ", \"\(CastType.dictionary.rawValue)\")"
        }
    }

    private mutating func cast(_ text: String, _ type: CastType) {
        self.text += "CAST("
        string(text)
        self.text += ", \"\(type.rawValue)\")"
    }

    private mutating func date(_ seconds: Double) {
        guard seconds.isFinite else { return cast(seconds.description, .date) }
        text += "CAST(\(seconds), \"\(CastType.date.rawValue)\")"
    }

    private mutating func array(_ members: [Value]) {
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += ", " }
            write(member)
        }
        text += "}"
    }

    private mutating func string(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
