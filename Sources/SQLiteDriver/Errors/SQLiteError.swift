// SPDX-License-Identifier: Apache-2.0

// What went wrong in SQLite, or in what it was asked for.

/// A failure of SQLite.
public struct SQLiteError: Error, Hashable, Sendable {
    /// What went wrong. Match this one, never the message.
    public let code: Code
    public let message: String
    /// The statement concerned, where there is one.
    public let sql: String?
    /// Where in the statement, in UTF-8 bytes, where SQLite knows.
    public let offset: Int?
    /// What a function written in Swift threw, where that is why.
    public var thrown: Thrown?

    public init(code: Code, message: String, sql: String? = nil, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
        self.offset = offset
    }

    /// SQLite's own number, with all that it tells.
    public var extendedCode: Int32 { code.rawValue }
}

extension SQLiteError {
    /// An error of whatever type. Two are equal that say the same.
    public struct Thrown: Hashable, Sendable {
        public let error: any Error

        public static func == (left: Thrown, right: Thrown) -> Bool { "\(left.error)" == "\(right.error)" }

        public func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
    }
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        var text = "\(message) (SQLite \(code.rawValue))"
        if let sql {
            text += " in: \(sql)"
            if let offset { text += " (at byte \(offset))" }
        }
        return text
    }
}
