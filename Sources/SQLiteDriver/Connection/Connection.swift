// SPDX-License-Identifier: Apache-2.0

// A connection to a database.

import CSQLite

/// A connection to a database, confined to one thread at a time. It closes when it and its statements are released.
///
///     let connection = try Connection(path: "books.sqlite", access: .create)
///     try connection.execute("INSERT INTO book (title) VALUES (\(value: "Emma"))")
// Safe: the pointer is valid for as long as the object, and is not exposed outside this target. SQLite does not lock
// such a connection (SQLITE_OPEN_NOMUTEX); the type isn't Sendable instead.
@safe
public final class Connection {
    public let path: String
    public let options: Options
    /// Interrupts the running statements, from any thread.
    public let interruptHandle: InterruptHandle
    let handle: OpaquePointer
    let cache: StatementCache
    let limits: Limits
    var tracing = Tracing()
    let statementCount = StatementCount()
    /// Whether a query plan is being read for a tracer, which must not trace that in turn.
    var isExplaining = false
    /// The count of changed rows from before SQLite was asked for a query plan, which resets it.
    var savedChangeCount: Int?
    /// Whether it belongs to a pool of readers.
    var isReader = false
    /// The watched file, or nil if its place isn't checked.
    var databaseFile: DatabaseFile?
    /// The number of changes when the transaction for writing began, or nil without one.
    var begunChanges: Int?
    /// Run before the transaction is committed.
    var beforeCommitAction: (@Sendable (Connection) throws -> Void)?
    /// Run when the transaction has been committed.
    var afterCommitActions: [@Sendable () -> Void] = []
    let commitGate = CommitGate()
    /// The error that a function threw in the running statement.
    var thrown: (any Error)?
    /// Whether a rollback failed, and must succeed before the connection is used again.
    var mustRollBack = false

    public init(path: String, access: Access = .readWrite, options: Options = Options()) throws(SQLiteError) {
        self.path = path
        self.options = options
        limits = Limits(busyTimeout: options.busyTimeout)
        unsafe handle = try Self.open(path, access: access, options: options)
        unsafe interruptHandle = InterruptHandle(handle)
        cache = StatementCache(limit: options.statementCacheLimit)
        configure()
    }

    deinit {
        interruptHandle.close()
        cache.removeAll()
        switch databaseFile?.closing(isWriter: !isReader) {
        case .removing, nil: break
        case .keeping: unsafe csqlite_keep_log(handle)
        case .leaving: unsafe csqlite_leave_log(handle)
        }
        unsafe sqlite3_close_v2(handle)
    }

    /// The path of the file itself, with symbolic links resolved.
    var fileName: String? { unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } }

    private func configure() {
        unsafe sqlite3_extended_result_codes(handle, 1)
        // The limits live as long as the connection, and SQLite calls the handler only while a statement runs.
        unsafe sqlite3_busy_handler(
            handle,
            { unsafe Unmanaged<Limits>.fromOpaque($0!).takeUnretainedValue().waitForLock(attempt: Int($1)) ? 1 : 0 },
            Unmanaged.passUnretained(limits).toOpaque()
        )
        // "text" in double quotes is a name, never a string.
        for option in [SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML] { unsafe csqlite_switch(handle, option, 0) }
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.allowsVirtualTablesInTriggers ? 1 : 0)
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    }
}

extension Connection {
    public enum Access: Hashable, Sendable {
        case readOnly
        /// The file must exist.
        case readWrite
        /// Creates the file if it doesn't exist.
        case create
    }

    public struct Options: Hashable, Sendable {
        /// How long to wait for other connections' locks.
        public var busyTimeout: Duration = .seconds(5)
        /// How many prepared statements are cached.
        public var statementCacheLimit = 256
        /// No process writes to the file, which may be on a read-only disk: no locks and no additional files.
        public var isImmutable = false
        /// Whether triggers and views may use virtual tables such as R-trees, which SQLite otherwise allows only if
        /// it trusts the schema. They still can't call functions that aren't defined for use in schemas.
        public var allowsVirtualTablesInTriggers = false
        /// The name of an SQLite file system (VFS); nil for SQLite's default.
        public var fileSystem: String?

        public init() {}
    }
}
