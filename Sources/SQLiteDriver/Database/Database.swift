// SPDX-License-Identifier: Apache-2.0

// A database file with one writer and a pool of readers.

import Synchronization

/// A database that can be shared between threads. Its connections close when it and its snapshots are released.
///
///     let database = try Database(path: "books.sqlite")
///     try database.write { try $0.execute("UPDATE book SET pages = pages + 1") }
///     let count = try database.read { try $0.first("SELECT count(*) FROM book") { $0.int64(0) } }
public final class Database: Sendable {
    public let path: String
    public let configuration: DatabaseConfiguration
    private let opener: ConnectionOpener
    /// Nil after `close()`.
    private let current: Mutex<Connections?>
    private let tracing = Tracing()
    private let statementCounts = StatementCounts()

    /// Opens a database.
    ///
    /// - Parameter onOpen: sets up each new connection, for example by defining functions.
    public init(
        path: String,
        configuration: DatabaseConfiguration = DatabaseConfiguration(),
        onOpen: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        guard !path.isEmpty, !path.hasPrefix(":memory:") else { throw SQLiteError.severalConnections }
        self.path = path
        self.configuration = configuration
        opener = ConnectionOpener(
            path: path,
            configuration: configuration,
            tracing: tracing,
            statementCounts: statementCounts,
            onOpen: onOpen
        )
        current = Mutex(try Connections(opener))
    }

    private var connections: Connections {
        get throws(SQLiteError) {
            guard let connections = current.withLock(\.self) else { throw .closed }
            return connections
        }
    }

    /// Whether the opened file is still at its path.
    public var fileStatus: FileStatus {
        let connections = current.withLock(\.self)
        return withExtendedLifetime(connections) { connections?.file?.status(readsIndex: true) ?? .unchanged }
    }

    /// The opened file, while its writer is open.
    func withFile<Result>(_ body: (DatabaseFile) -> Result) -> Result? {
        let connections = current.withLock(\.self)
        return withExtendedLifetime(connections) { connections?.file.map(body) }
    }

    /// Ends all further reads and writes. Running ones end as usual, and snapshots stay readable.
    public func close() { current.withLock { $0 = nil } }

    public var isClosed: Bool { current.withLock { $0 == nil } }

    /// Opens the file that has replaced the opened one, for all later reads and writes, unless the check throws.
    /// Running reads and writes, and snapshots, continue on the former file. Its log is removed at once, because the
    /// new file doesn't include it.
    public func reopen(after check: () throws -> Void) throws {
        try connections.file?.removeLog()
        try check()
        let opened = try Connections(opener)
        current.withLock { $0 = opened }
    }

    /// Reads on a reader, waiting until one is free. Reads that must be consistent with each other need a transaction.
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @Sendable (Connection) throws -> R
    ) throws -> R {
        try connections.readers.use(OperationLimit(deadline: deadline, cancellation: cancellation), body)
    }

    /// Writes in a transaction that may be shared with other writes, and returns after the commit.
    ///
    /// If the closure throws, its changes are rolled back. It may run a second time, after its changes were rolled
    /// back because another write failed, so side effects outside the database belong into `afterCommit`. Neither may
    /// submit another write.
    ///
    /// - Parameter turnDeadline: Until when to wait for the turn and the lock, if that is earlier than the deadline.
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        turnDeadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = try connections.writer else { throw SQLiteError.readOnlyDatabase }
        let limit = OperationLimit(deadline: deadline, cancellation: cancellation, turnDeadline: turnDeadline)
        return try writer.submit(.write, limit: limit, body)
    }

    /// Writes in a transaction of its own. The closure runs once.
    public func writeAlone<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = try connections.writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.submit(
            .writeAlone,
            limit: OperationLimit(deadline: deadline, cancellation: cancellation),
            body
        )
    }

    /// Uses the writer exclusively and outside a transaction, as some pragmas require.
    public func exclusively<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = try connections.writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.submit(.alone, limit: OperationLimit(deadline: deadline, cancellation: cancellation), body)
    }

    /// Opens an additional connection for a long read, which doesn't block other reads and snapshots.
    func withSpareReader<R>(_ body: (Connection) throws -> R) throws -> R {
        let connection = try connections.spareReader()
        return try body(connection)
    }

    func watching<R>(_ body: (Connection) throws -> R) throws -> R {
        try connections.watcher.use(OperationLimit(), body)
    }

    /// A snapshot of the current state, until it is released. Without WAL mode it blocks writes.
    public func snapshot(deadline: ContinuousClock.Instant = .now + .seconds(5)) throws -> ReadSnapshot {
        try ReadSnapshot(of: connections.snapshotReaders, limit: OperationLimit(deadline: deadline))
    }

    /// Called after each execution of a statement on any of the connections.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.set(newValue, details: []) }
    }

    /// Sets a tracer with optional details; nil removes it. Statements prepared before don't record bindings.
    ///
    /// - Parameter threshold: The time in SQLite from which an execution is traced.
    public func trace(_ details: TraceDetails, from threshold: Duration = .zero, by tracer: Tracer?) {
        tracing.set(tracer, details: details, threshold: threshold)
    }

    /// How many writes are queued.
    public var waitingWriteCount: Int { writer?.waitingCount ?? 0 }

    /// Whether another process held the write lock at the last attempt to acquire it.
    public var isLockedByOthers: Bool { writer?.isLockedByOthers ?? false }

    /// How many transactions have been committed.
    public var commitCount: Int { writer?.commitCount ?? 0 }

    /// How many statements have been executed on all connections.
    public var statementCount: Int { statementCounts.total }

    private var writer: Writer? { current.withLock(\.self)?.writer }
}
