// SPDX-License-Identifier: Apache-2.0

// A database as it was at one moment.

import Synchronization

/// The committed state at the moment of its creation, regardless of later writes. Until it is released, it occupies a
/// connection and prevents the log from being written back completely.
public final class ReadSnapshot: Sendable {
    private let pool: ReaderPool
    private let held: Mutex<ConnectionLease>

    init(of pool: ReaderPool, limit: OperationLimit) throws {
        self.pool = pool
        let lease = try pool.acquire(limit)
        do {
            let connection = lease.connection
            try connection.begin(.deferred)
            // The transaction begins with the first read.
            _ = try connection.schemaVersion
        } catch {
            lease.connection.rollBack()
            pool.release(lease)
            throw error
        }
        held = Mutex(lease)
    }

    deinit {
        let lease = held.withLock { $0 }
        lease.connection.rollBack()
        pool.release(lease)
    }

    /// Reads on the snapshot's connection, one read at a time.
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation? = nil,
        _ body: @Sendable (Connection) throws -> R
    ) throws -> R {
        try held.withLock { lease in
            let connection = lease.connection
            guard connection.isInTransaction else { throw SQLiteError.readTransactionEnded }
            return try connection.within(deadline: deadline, cancellation: cancellation) { try body(connection) }
        }
    }

    func withConnection<R: Sendable>(_ body: (Connection) throws -> R) rethrows -> R {
        try held.withLock { try body($0.connection) }
    }
}
