// SPDX-License-Identifier: Apache-2.0

// A database as it was at one moment.

import Synchronization

/// The committed state at the moment of its creation, regardless of later writes. Until it is released, it occupies a
/// connection and prevents the log from being written back completely.
public final class ReadSnapshot: Sendable {
    private let pool: ReaderPool
    private let held: Mutex<Lent>

    init(of pool: ReaderPool, _ limit: Limit) throws {
        self.pool = pool
        let lent = try pool.take(limit)
        do {
            let connection = lent.connection
            try connection.begin(.deferred)
            // The transaction begins with the first read.
            _ = try connection.schemaVersion
        } catch {
            lent.connection.rollBack()
            pool.giveBack(lent)
            throw error
        }
        held = Mutex(lent)
    }

    deinit {
        let lent = held.withLock { $0 }
        lent.connection.rollBack()
        pool.giveBack(lent)
    }

    /// Reads on the snapshot's connection, one read at a time.
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @Sendable (Connection) throws -> R
    ) throws -> R {
        try held.withLock { lent in
            let connection = lent.connection
            guard connection.isInTransaction else { throw SQLiteError.readTransactionEnded }
            return try connection.within(deadline: deadline, cancellation: cancellation) { try body(connection) }
        }
    }

    func withConnection<R: Sendable>(_ body: (Connection) throws -> R) rethrows -> R {
        try held.withLock { try body($0.connection) }
    }
}
