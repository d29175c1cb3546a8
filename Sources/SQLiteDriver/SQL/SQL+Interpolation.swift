// SPDX-License-Identifier: Apache-2.0

// SQL as a string literal with interpolations.

extension SQL: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text: text) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(text: "")

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { sql += SQL(text: literal) }

        /// Inserts a fragment.
        public mutating func appendInterpolation(_ fragment: SQL) { sql += fragment }

        /// Inserts an identifier, quoted if necessary.
        public mutating func appendInterpolation(identifier name: String) { sql += .identifier(name) }

        /// Binds a value.
        public mutating func appendInterpolation(value: SQLValue) { sql += .value(value) }

        /// Inserts a value as a literal.
        public mutating func appendInterpolation(literal value: SQLValue) { sql += .literal(value) }
    }
}
