// SPDX-License-Identifier: Apache-2.0

// SQL text with the values that are bound to it, made of fragments.

/// A fragment of SQL, or a whole statement, with the values for each `?` in it.
///
///     let sql: SQL = "SELECT \(identifier: name) FROM ZBOOK WHERE Z_PK = \(value: 7)"
///     // SELECT "the name" FROM ZBOOK WHERE Z_PK = ?
///
/// A string that isn't a literal gets into the text only by saying what it is.
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

    /// A name, in double quotes where it needs them.
    public static func identifier(_ name: String) -> SQL { SQL(text: Identifier.text(of: name)) }

    /// A value that is bound.
    public static func value(_ value: SQLValue) -> SQL { SQL(text: "?", bindings: [value]) }

    /// A value written into the text, for statements that can't have bindings, as those that define tables.
    public static func literal(_ value: SQLValue) -> SQL { SQL(text: value.literal) }
}

extension [SQL] {
    /// All fragments as one, with a separator between each two.
    public func joined(separator: SQL = "") -> SQL {
        guard var sum = first else { return "" }
        for fragment in dropFirst() {
            sum += separator
            sum += fragment
        }
        return sum
    }
}
