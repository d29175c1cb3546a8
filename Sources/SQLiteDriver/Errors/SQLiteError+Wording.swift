// SPDX-License-Identifier: Apache-2.0

// The errors of SQLite and of the checks before a call, with their messages.

import CSQLite
import Files

extension SQLiteError {
    /// The error that a connection reports for a result.
    static func latest(of handle: OpaquePointer?, result: CInt, sql: String? = nil, start: Int = 0) -> Self {
        guard let handle = unsafe handle else { return of(result, sql: sql) }
        // SQLite may not record a misuse in the connection.
        let noted = unsafe sqlite3_extended_errcode(handle)
        guard noted & 0xFF == result & 0xFF, let message = unsafe sqlite3_errmsg(handle) else {
            return of(result, sql: sql)
        }
        let offset = unsafe sqlite3_error_offset(handle)
        return unsafe SQLiteError(
            code: Code(rawValue: noted),
            message: String(cString: message),
            sql: sql,
            offset: sql == nil || offset < 0 ? nil : start + Int(offset)
        )
    }

    /// An error that is known only by its result code.
    static func of(_ result: CInt, sql: String? = nil) -> Self {
        let message = unsafe sqlite3_errstr(result).map { unsafe String(cString: $0) }
        return SQLiteError(code: Code(rawValue: result), message: message ?? "unknown error", sql: sql)
    }

    static func nulInSQL(_ sql: String, at offset: Int) -> Self {
        SQLiteError(code: .misuse, message: "SQL text can't contain a NUL character", sql: sql, offset: offset)
    }

    static func nulInName(_ kind: String) -> Self {
        SQLiteError(code: .misuse, message: "\(kind) can't contain a NUL character")
    }

    static func noStatement(_ sql: String) -> Self {
        SQLiteError(code: .misuse, message: "the text has no statement", sql: sql)
    }

    static func severalStatements(_ sql: String, at offset: Int) -> Self {
        SQLiteError(code: .misuse, message: "the text has more than one statement", sql: sql, offset: offset)
    }

    static func bindingCount(_ count: Int, of expected: Int, sql: String) -> Self {
        SQLiteError(code: .range, message: "the statement has \(expected) parameters, not \(count)", sql: sql)
    }

    static func running(_ sql: String) -> Self {
        SQLiteError(code: .misuse, message: "the statement has rows left; reset it before binding to it", sql: sql)
    }

    static func beyondBlob(_ offset: Int, _ count: Int, of size: Int) -> Self {
        SQLiteError(code: .range, message: "\(count) bytes at \(offset) are beyond the \(size) bytes of the blob")
    }

    static func fileExists(_ path: String) -> Self {
        SQLiteError(code: .cantOpen, message: "the file exists already: \(path)")
    }

    static func fileSystem(_ action: String, _ path: String, _ error: FileError) -> Self {
        let code = error.code == .full ? Code.full : .ioError
        return SQLiteError(code: code, message: "\(path) can't be \(action): \(error.reason)")
    }

    static let cancelled = SQLiteError(code: .interrupted, message: "cancelled")

    static let pastDeadline = SQLiteError(code: .interrupted, message: "the deadline has passed")

    /// All connections for reading were in use.
    public static let noReaderInTime = SQLiteError(
        code: .busy,
        message: "no connection became available before the deadline"
    )

    /// Other writes were running.
    public static let noWriterInTime = SQLiteError(
        code: .busy,
        message: "the write waited for its turn until the deadline"
    )

    /// Another process was writing, or had locked the file exclusively.
    public static let lockedByOthers = SQLiteError(
        code: .busy,
        message: "another program didn't release its lock in time"
    )
    /// The opened file is no longer at its path.
    public static func moved(_ place: FileStatus) -> Self {
        let message =
            switch place {
            case .replaced: "the file of the database was replaced"
            case .overwritten: "the file of the database was overwritten by something other than SQLite"
            case .logMissing: "the log of the database, or the log's index, was deleted or replaced"
            case .missing, .unchanged: "the database was deleted or moved since it was opened"
            }
        return SQLiteError(code: .readOnlyMoved, message: message)
    }

    static let severalConnections = SQLiteError(
        code: .cantOpen,
        message: "a database that several connections share requires a file"
    )

    static let readOnlyDatabase = SQLiteError(code: .readOnly, message: "the database was opened read-only")

    static let closed = SQLiteError(code: .misuse, message: "the database was closed")

    static let rolledBack = SQLiteError(code: .aborted, message: "the transaction was rolled back")

    static let notRolledBack = SQLiteError(
        code: .noMemory,
        message: "there isn't enough memory to roll back an earlier failure"
    )

    static let readTransactionEnded = SQLiteError(
        code: .misuse,
        message: "the transaction of the snapshot was ended by a statement"
    )
}
