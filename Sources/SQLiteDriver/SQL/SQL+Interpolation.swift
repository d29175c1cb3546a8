// SPDX-License-Identifier: Apache-2.0

// How SQL is written as a string literal.

extension SQL: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text: text) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(text: "")

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { sql += SQL(text: literal) }

        /// Splices a fragment in.
        public mutating func appendInterpolation(_ fragment: SQL) { sql += fragment }

        /// Names a table, a column or the like, in double quotes where it needs them.
        public mutating func appendInterpolation(identifier name: String) { sql += .identifier(name) }

        /// Binds a value.
        public mutating func appendInterpolation(value: SQLValue) { sql += .value(value) }

        /// Writes a value into the text.
        public mutating func appendInterpolation(literal value: SQLValue) { sql += .literal(value) }
    }
}
