// SPDX-License-Identifier: Apache-2.0

// Errors of SQLite, or of the arguments passed to it.

/// An error of SQLite.
public struct SQLiteError: Error, Hashable, Sendable {
    /// Match this, never the message.
    public let code: Code
    public let message: String
    /// The statement concerned, if any.
    public let sql: String?
    /// The position of the error in the statement, in UTF-8 bytes, if SQLite knows it.
    public let offset: Int?
    /// The error that a function written in Swift threw, if that is the cause.
    public var thrown: Thrown?

    public init(code: Code, message: String, sql: String? = nil, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
        self.offset = offset
    }

    /// SQLite's extended result code.
    public var extendedCode: Int32 { code.rawValue }
}

extension SQLiteError {
    /// An error of any type. Two are equal if their descriptions are.
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
