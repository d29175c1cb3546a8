// SPDX-License-Identifier: Apache-2.0

// SQLite's result codes.

import CSQLite

extension SQLiteError {
    /// A result code, extended if SQLite reports more than the primary code.
    ///
    ///     catch let error where error.code.primary == .constraint
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The primary code, without the extended part.
        public var primary: Code { Code(rawValue: rawValue & 0xFF) }

        private init(_ primary: Int32, _ detail: Int32) { rawValue = primary | detail << 8 }
    }
}

extension SQLiteError.Code {
    public static let error = Self(rawValue: SQLITE_ERROR)
    public static let `internal` = Self(rawValue: SQLITE_INTERNAL)
    public static let permission = Self(rawValue: SQLITE_PERM)
    public static let aborted = Self(rawValue: SQLITE_ABORT)
    public static let busy = Self(rawValue: SQLITE_BUSY)
    public static let locked = Self(rawValue: SQLITE_LOCKED)
    public static let noMemory = Self(rawValue: SQLITE_NOMEM)
    public static let readOnly = Self(rawValue: SQLITE_READONLY)
    public static let interrupted = Self(rawValue: SQLITE_INTERRUPT)
    public static let ioError = Self(rawValue: SQLITE_IOERR)
    public static let corrupt = Self(rawValue: SQLITE_CORRUPT)
    public static let notFound = Self(rawValue: SQLITE_NOTFOUND)
    public static let full = Self(rawValue: SQLITE_FULL)
    public static let cantOpen = Self(rawValue: SQLITE_CANTOPEN)
    public static let lockingProtocol = Self(rawValue: SQLITE_PROTOCOL)
    public static let schema = Self(rawValue: SQLITE_SCHEMA)
    public static let tooBig = Self(rawValue: SQLITE_TOOBIG)
    public static let constraint = Self(rawValue: SQLITE_CONSTRAINT)
    public static let mismatch = Self(rawValue: SQLITE_MISMATCH)
    public static let misuse = Self(rawValue: SQLITE_MISUSE)
    public static let authorization = Self(rawValue: SQLITE_AUTH)
    public static let range = Self(rawValue: SQLITE_RANGE)
    public static let notADatabase = Self(rawValue: SQLITE_NOTADB)

    public static let busyRecovery = Self(SQLITE_BUSY, 1)
    /// A transaction that has read can't write, because its snapshot is out of date.
    public static let busySnapshot = Self(SQLITE_BUSY, 2)
    public static let constraintCheck = Self(SQLITE_CONSTRAINT, 1)
    public static let constraintCommitHook = Self(SQLITE_CONSTRAINT, 2)
    public static let constraintForeignKey = Self(SQLITE_CONSTRAINT, 3)
    public static let constraintNotNull = Self(SQLITE_CONSTRAINT, 5)
    public static let constraintPrimaryKey = Self(SQLITE_CONSTRAINT, 6)
    public static let constraintTrigger = Self(SQLITE_CONSTRAINT, 7)
    public static let constraintUnique = Self(SQLITE_CONSTRAINT, 8)
    public static let constraintRowID = Self(SQLITE_CONSTRAINT, 10)
    public static let constraintDataType = Self(SQLITE_CONSTRAINT, 12)
    public static let readOnlyDirectory = Self(SQLITE_READONLY, 6)
    /// A hot journal must be rolled back first.
    public static let readOnlyRollback = Self(SQLITE_READONLY, 3)
    /// The file was moved or removed while open.
    public static let readOnlyMoved = Self(SQLITE_READONLY, 4)
    public static let ioErrorRead = Self(SQLITE_IOERR, 1)
    public static let ioErrorShortRead = Self(SQLITE_IOERR, 2)
    public static let ioErrorWrite = Self(SQLITE_IOERR, 3)
    public static let ioErrorSync = Self(SQLITE_IOERR, 4)
}
