// SPDX-License-Identifier: Apache-2.0

// The precedence of operators, shared by the parser and the canonical text.

/// The levels of the grammar, loosest first.
enum Precedence: Int, Comparable {
    case or, and, not, comparison
    case set, bitwiseOr, bitwiseXor, bitwiseAnd, shift, sum, product, power
    case unary, primary

    /// The next tighter level.
    var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }

    static func < (one: Precedence, other: Precedence) -> Bool { one.rawValue < other.rawValue }
}

/// A function that is written as a binary operator.
struct InfixFunction {
    let function: Function
    let text: String
    let precedence: Precedence

    /// Only the power operator is right-associative: `2 ** 3 ** 2` is `2 ** (3 ** 2)`.
    var groupsFromRight: Bool { function == .raise }

    static let all: [InfixFunction] = [
        InfixFunction(function: .union, text: "UNION", precedence: .set),
        InfixFunction(function: .intersect, text: "INTERSECT", precedence: .set),
        InfixFunction(function: .minus, text: "MINUS", precedence: .set),
        InfixFunction(function: .bitwiseOr, text: "|", precedence: .bitwiseOr),
        InfixFunction(function: .bitwiseXor, text: "^", precedence: .bitwiseXor),
        InfixFunction(function: .bitwiseAnd, text: "&", precedence: .bitwiseAnd),
        InfixFunction(function: .leftShift, text: "<<", precedence: .shift),
        InfixFunction(function: .rightShift, text: ">>", precedence: .shift),
        InfixFunction(function: .add, text: "+", precedence: .sum),
        InfixFunction(function: .subtract, text: "-", precedence: .sum),
        InfixFunction(function: .multiply, text: "*", precedence: .product),
        InfixFunction(function: .divide, text: "/", precedence: .product),
        InfixFunction(function: .modulus, text: "%%", precedence: .product),
        InfixFunction(function: .raise, text: "**", precedence: .power),
    ]

    static let byFunction = Dictionary(uniqueKeysWithValues: all.map { ($0.function, $0) })
    static let byText = Dictionary(uniqueKeysWithValues: all.map { ($0.text, $0) })
}
