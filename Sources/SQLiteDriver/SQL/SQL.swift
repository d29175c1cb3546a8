// SPDX-License-Identifier: Apache-2.0

// SQL text with bound values, composed of fragments.

/// A fragment of SQL, or a whole statement, with a value for each `?` in it.
///
///     let sql: SQL = "SELECT \(identifier: name) FROM ZBOOK WHERE Z_PK = \(value: 7)"
///     // SELECT "the name" FROM ZBOOK WHERE Z_PK = ?
///
/// A string that isn't a literal can only be inserted explicitly, as an identifier, a value or a literal.
public struct SQL: Hashable, Sendable {
    public private(set) var text: String
    public private(set) var bindings: [SQLValue]

    public init(text: String, bindings: [SQLValue] = []) {
        self.text = text
        self.bindings = bindings
    }

    public var isEmpty: Bool { text.isEmpty }

    public static func + (left: SQL, right: SQL) -> SQL {
        var sum = left
        sum += right
        return sum
    }

    public static func += (left: inout SQL, right: SQL) {
        left.text += right.text
        left.bindings += right.bindings
    }

    /// An identifier, quoted if necessary.
    public static func identifier(_ name: String) -> SQL { SQL(text: Identifier.text(of: name)) }

    /// A bound value.
    public static func value(_ value: SQLValue) -> SQL { SQL(text: "?", bindings: [value]) }

    /// A value as a literal, for statements that can't have bindings, such as those that define tables.
    public static func literal(_ value: SQLValue) -> SQL { SQL(text: value.literal) }
}

extension [SQL] {
    /// Concatenates the fragments with a separator between them.
    public func joined(separator: SQL = "") -> SQL {
        guard var sum = first else { return "" }
        for fragment in dropFirst() {
            sum += separator
            sum += fragment
        }
        return sum
    }
}
