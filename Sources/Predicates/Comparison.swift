// SPDX-License-Identifier: Apache-2.0

/// A comparison of two expressions: `ANY tags.name BEGINSWITH[cd] 'sw'`.
public struct Comparison: Hashable, Sendable {
    public enum Operator: String, CaseIterable, Hashable, Sendable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case between = "BETWEEN"
        case `in` = "IN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
    }

    /// How the left side is compared: as a whole, or member by member.
    ///
    /// `NONE x` is written `NOT ANY x`, and `SOME x` is `ANY x`.
    public enum Modifier: String, CaseIterable, Hashable, Sendable {
        case direct = ""
        case any = "ANY"
        case all = "ALL"
    }

    /// How text is compared.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// `[c]`
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are already normalised, so they are compared as they are, regardless of `c` and `d`.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: ordered by the root locale.
        public static let localeSensitive = Options(rawValue: 8)
    }

    public var left: ObjectExpression
    public var `operator`: Operator
    public var right: ObjectExpression
    public var modifier: Modifier
    public var options: Options

    public init(
        _ left: ObjectExpression,
        _ operator: Operator,
        _ right: ObjectExpression,
        modifier: Modifier = .direct,
        options: Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}
