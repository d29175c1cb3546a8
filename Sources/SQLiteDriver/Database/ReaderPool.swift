// SPDX-License-Identifier: Apache-2.0

// The connections for reading.

import Dispatch
import Synchronization

/// A bounded number of connections, opened on demand. Waiting threads are served in order.
final class ReaderPool: Sendable {
    private let limit: Int
    private let open: @Sendable () throws -> Connection
    private let state = Mutex(State())

    private struct State {
        var idle: [ConnectionLease] = []
        /// Connections that are idle, in use, or being opened.
        var count = 0
        var waiters = WaitQueue<Waiter>()
    }

    /// A thread waiting for a connection, or for permission to open one.
    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let turn = LockedValue<Turn?>(nil)
    }

    private enum Turn: Sendable {
        case use(ConnectionLease)
        case open
    }

    private enum Reservation {
        case turn(Turn)
        case waits(Waiter)
    }

    init(limit: Int, open: @escaping @Sendable () throws -> Connection) {
        self.limit = max(1, limit)
        self.open = open
    }

    /// Runs a closure with a connection of the pool.
    func use<R>(_ limit: OperationLimit, _ body: (Connection) throws -> R) throws -> R {
        let lease = try acquire(limit)
        defer { release(lease) }
        let connection = lease.connection
        try connection.retryFailedRollback()
        return try connection.within(deadline: limit.deadline, cancellation: limit.cancellation) {
            defer { connection.rollBack() }
            return try body(connection)
        }
    }

    /// Acquires a connection, waiting while all are in use.
    func acquire(_ limit: OperationLimit) throws -> ConnectionLease {
        let reservation = state.withLock { state -> Reservation in
            if let lease = state.idle.popLast() { return .turn(.use(lease)) }
            if state.count < self.limit {
                state.count += 1
                return .turn(.open)
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            return .waits(waiter)
        }
        switch reservation {
        case .turn(let turn): return try connection(for: turn)
        case .waits(let waiter): return try connection(for: wait(waiter, limit))
        }
    }

    func release(_ lease: ConnectionLease) { passOn(.use(lease)) }

    private func connection(for turn: Turn) throws -> ConnectionLease {
        switch turn {
        case .use(let lease): return lease
        case .open:
            do {
                return ConnectionLease(connection: try open())
            } catch {
                passOn(.open)
                throw error
            }
        }
    }

    private func wait(_ waiter: Waiter, _ limit: OperationLimit) throws -> Turn {
        if !limit.wait(for: waiter.semaphore) {
            let isGivenUp = state.withLock { $0.waiters.remove { $0 === waiter } }
            if isGivenUp { throw limit.reason(.noReaderInTime) }
            // It was served between the timeout and the removal.
            waiter.semaphore.wait()
        }
        guard let turn = waiter.turn.value else { preconditionFailure("A waiter is woken with its turn.") }
        return turn
    }

    private func passOn(_ turn: Turn) {
        let next = state.withLock { state -> Waiter? in
            if let waiter = state.waiters.popFirst() { return waiter }
            switch turn {
            case .use(let lease): state.idle.append(lease)
            case .open: state.count -= 1
            }
            return nil
        }
        guard let next else { return }
        next.turn.value = turn
        next.semaphore.signal()
    }
}
