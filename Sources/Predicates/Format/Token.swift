// SPDX-License-Identifier: Apache-2.0

/// A token of a format string, with its byte range.
struct Token {
    enum Kind: Equatable {
        case end
        case name(String)
        case keyword(Keyword)
        /// A complete function name, such as `modulus:by:`.
        case selector(String)
        case variable(String)
        case string(String)
        case number(NumberLiteral)
        case argument(FormatArgument)
        case keyArgument(Int)
        case collectionOperator(CollectionOperator)
        case symbol(Symbol)
    }

    let kind: Kind
    let start: Int
    let end: Int
}

/// A number literal without its sign.
enum NumberLiteral: Equatable {
    case integer(UInt64)
    /// An integer beyond 64 bits, as decimal digits.
    case wide(String)
    case double(Double)
}

/// Punctuation and symbolic operators. Synonyms share a symbol.
enum Symbol: String, CaseIterable {
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case dot = "."
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case power = "**"
    case modulus = "%%"
    case ampersand = "&"
    case bar = "|"
    case caret = "^"
    case tilde = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case assign = ":="
}
