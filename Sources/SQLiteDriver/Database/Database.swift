// SPDX-License-Identifier: Apache-2.0

// A database file with one writer and a pool of readers.

import Synchronization

/// A database, shared by as many threads as like. Its connections are closed when nobody holds it, nor a snapshot of it.
///
///     let database = try Database(path: "books.sqlite")
///     try database.write { try $0.execute("UPDATE book SET pages = pages + 1") }
///     let count = try database.read { try $0.first("SELECT count(*) FROM book") { $0.int64(0) } }
public final class Database: Sendable {
    public let path: String
    public let configuration: Configuration
    private let opening: Opening
    private let current: Mutex<Connections>
    private let tracing = Tracing()
    private let statementCounts = StatementCounts()

    /// Opens a database, and says what is done with each new connection, as defining functions.
    public init(
        path: String,
        configuration: Configuration = Configuration(),
        onOpen: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        guard !path.isEmpty, !path.hasPrefix(":memory:") else { throw SQLiteError.severalConnections }
        self.path = path
        self.configuration = configuration
        opening = Opening(
            path: path,
            configuration: configuration,
            tracing: tracing,
            statementCounts: statementCounts,
            onOpen: onOpen
        )
        current = Mutex(try Connections(opening))
    }

    private var connections: Connections { current.withLock { $0 } }

    /// Whether the file that is open is still at its path.
    public var filePlace: FilePlace {
        let connections = connections
        return withExtendedLifetime(connections) { connections.file?.place(readsIndex: true) ?? .unchanged }
    }

    /// Opens the file that has taken the place of the one that is open, for all that is read and written from now on, unless a check
    /// of it throws. What is under way, and snapshots, go on with the former file. Its log goes at once, of which nothing is in the
    /// new one.
    public func reopen(after check: () throws -> Void) throws {
        try connections.file?.removeLog()
        try check()
        let opened = try Connections(opening)
        current.withLock { $0 = opened }
    }

    /// Reads on one of the readers, for which it waits its turn. What it has to read at one moment of the database it reads in
    /// a transaction.
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @Sendable (Connection) throws -> R
    ) throws -> R {
        try connections.readers.use(Limit(deadline: deadline, cancellation: cancellation), body)
    }

    /// Writes in a transaction that it may share with others, and returns when it is committed.
    ///
    /// What it does on the connection is all undone where it throws. It may be run a second time, after the first has been undone
    /// because of another one's failure: what it does elsewhere it leaves to `afterCommit`. Neither may ask for another write.
    ///
    /// - Parameter turnDeadline: When it gives up waiting for its turn and for the lock, though it might run longer.
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        turnDeadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = connections.writer else { throw SQLiteError.readOnlyDatabase }
        let limit = Limit(deadline: deadline, cancellation: cancellation, turnDeadline: turnDeadline)
        return try writer.submit(.write, limit, body)
    }

    /// Writes in a transaction of its own, once.
    public func writeAlone<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = connections.writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.submit(.writeAlone, Limit(deadline: deadline, cancellation: cancellation), body)
    }

    /// Has the writer alone and in no transaction, as it takes to change pragmas or the like.
    public func exclusively<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        guard let writer = connections.writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.submit(.alone, Limit(deadline: deadline, cancellation: cancellation), body)
    }

    /// Opens a connection for something long, for which nobody who reads or holds a snapshot waits, nor it for them.
    func withSpareReader<R>(_ body: (Connection) throws -> R) throws -> R {
        let connection = try connections.spareReader()
        return try body(connection)
    }

    func watching<R>(_ body: (Connection) throws -> R) throws -> R { try connections.watcher.use(Limit(), body) }

    /// The database as it is now, for as long as the snapshot is held. Without a log nobody can write meanwhile.
    public func snapshot(deadline: ContinuousClock.Instant = .now + .seconds(5)) throws -> ReadSnapshot {
        try ReadSnapshot(of: connections.snapshotReaders, Limit(deadline: deadline))
    }

    /// Is told of each execution of a statement on any of the connections, from now on.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.set(newValue, []) }
    }

    /// Has a tracer told of each execution of a statement from now on, with some details; nil takes it off. Statements that
    /// are prepared already go on without their bindings.
    public func trace(_ details: TraceDetails, by tracer: Tracer?) { tracing.set(tracer, details) }

    /// How many writes wait for the writer.
    public var waitingWriteCount: Int { connections.writer?.waitingCount ?? 0 }

    /// Whether another program had the lock for writing when a write here asked for it last.
    public var isLockedByOthers: Bool { connections.writer?.isLockedByOthers ?? false }

    /// How many transactions the writer has committed.
    public var commitCount: Int { connections.writer?.commitCount ?? 0 }

    /// How many statements have been run on all connections.
    public var statementCount: Int { statementCounts.total }
}
