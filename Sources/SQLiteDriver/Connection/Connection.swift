// SPDX-License-Identifier: Apache-2.0

// One connection to a database.

import CSQLite

/// A connection to a database, of whoever holds it: it can't be shared between threads. It is closed when nobody holds it,
/// nor any statement of it.
///
///     let connection = try Connection(path: "books.sqlite", access: .create)
///     try connection.execute("INSERT INTO book (title) VALUES (\(value: "Emma"))")
// Safe: the pointer is valid for as long as the object, and nobody outside this target gets hold of it. SQLite does not lock
// such a connection (SQLITE_OPEN_NOMUTEX); that it isn't Sendable does.
@safe
public final class Connection {
    public let path: String
    public let options: Options
    /// Interrupts what the connection is doing, from any thread.
    public let interruptHandle: InterruptHandle
    let handle: OpaquePointer
    let cache: StatementCache
    let limits: Limits
    var tracing = Tracing()
    let statementCount = StatementCount()
    /// Whether a statement is asked about for a tracer, which isn't to be told of that.
    var isExplaining = false
    /// How many rows the last change touched, where SQLite has been asked about a statement since and doesn't know any more.
    var keptChanges: Int?
    /// Whether it is one of those that a database is read by.
    var isReader = false
    /// The file that is open, where that is looked after.
    var placedFile: PlacedFile?
    /// What is done when the transaction has been committed.
    var afterCommitActions: [@Sendable () -> Void] = []
    let commitGate = CommitGate()
    /// What a function threw in the statement that is being run.
    var thrown: (any Error)?
    /// Whether something could not be undone that must be before anything else is done.
    var mustRollBack = false

    public init(path: String, access: Access = .readWrite, options: Options = Options()) throws(SQLiteError) {
        self.path = path
        self.options = options
        limits = Limits(busyTimeout: options.busyTimeout)
        unsafe handle = try Self.open(path, access, options)
        unsafe interruptHandle = InterruptHandle(handle)
        cache = StatementCache(limit: options.statementCacheLimit)
        configure()
    }

    deinit {
        interruptHandle.close()
        cache.removeAll()
        switch placedFile?.closing(isWriter: !isReader) {
        case .removing, nil: break
        case .keeping: unsafe csqlite_keep_log(handle)
        case .leaving: unsafe csqlite_leave_log(handle)
        }
        unsafe sqlite3_close_v2(handle)
    }

    /// The path of the file itself, where links lead to it.
    var fileName: String? { unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } }

    private func configure() {
        unsafe sqlite3_extended_result_codes(handle, 1)
        // The limits live as long as the connection, which SQLite calls back only while it runs a statement.
        unsafe sqlite3_busy_handler(
            handle,
            { unsafe Unmanaged<Limits>.fromOpaque($0!).takeUnretainedValue().waitForLock(look: Int($1)) ? 1 : 0 },
            Unmanaged.passUnretained(limits).toOpaque()
        )
        // "text" is a name and never a string.
        for option in [SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML] { unsafe csqlite_switch(handle, option, 0) }
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.allowsVirtualTablesInTriggers ? 1 : 0)
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    }
}

extension Connection {
    public enum Access: Hashable, Sendable {
        case readOnly
        /// The file must be there.
        case readWrite
        /// The file is made where there is none.
        case create
    }

    public struct Options: Hashable, Sendable {
        /// How long to wait for other connections' locks.
        public var busyTimeout: Duration = .seconds(5)
        /// How many statements are kept prepared.
        public var statementCacheLimit = 256
        /// Nobody writes to the file, which may be on a read-only disk: no locks, no further files.
        public var isImmutable = false
        /// Whether triggers and views may use virtual tables such as R-trees, which SQLite lets them only where it trusts the whole
        /// schema. Functions that aren't meant for schemas can't be called by them even then.
        public var allowsVirtualTablesInTriggers = false
        /// The file system, of those that SQLite knows by name; nil for its own choice.
        public var fileSystem: String?

        public init() {}
    }
}
