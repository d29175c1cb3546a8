// SPDX-License-Identifier: Apache-2.0

// Transactions and savepoints.

import CSQLite

extension Connection {
    public enum TransactionKind: Hashable, Sendable {
        /// Locks for reading with the first read, and for writing with the first write.
        case deferred
        /// Locks for writing at once.
        case immediate
    }

    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Does something in a transaction, which is rolled back where it throws.
    public func transaction<R>(_ kind: TransactionKind = .deferred, _ body: () throws -> R) throws -> R {
        try begin(kind)
        let result: R
        do {
            result = try body()
            guard !mustRollBack else { throw SQLiteError.rolledBack }
            try commit()
        } catch {
            rollBack()
            throw error
        }
        for action in takeAfterCommitActions() { action() }
        return result
    }

    /// Does something of which nothing is left where it throws, within a transaction or alone.
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        let isOutermost = !isInTransaction
        let actions = afterCommitActions.count
        try execute("SAVEPOINT s")
        let result: R
        do {
            result = try body()
            guard isTransactionSound else { throw SQLiteError.rolledBack }
            if isOutermost { try checkPlace() }
            try execute("RELEASE s")
        } catch {
            if isOutermost { rollBack() } else { rollBackToSavepoint() }
            afterCommitActions.removeSubrange(min(actions, afterCommitActions.count)...)
            throw error
        }
        if isOutermost {
            for action in takeAfterCommitActions() { action() }
        }
        return result
    }

    /// Does something once the transaction has been committed; not at all where it, or the savepoint in it, is rolled back.
    public func afterCommit(_ action: @escaping @Sendable () -> Void) {
        if isInTransaction { afterCommitActions.append(action) } else { action() }
    }
}

extension Connection {
    /// Whether there is a transaction of which nothing is left that should have been undone.
    var isTransactionSound: Bool { isInTransaction && !mustRollBack }

    /// Undoes what could not be undone before.
    func settle() throws(SQLiteError) {
        if mustRollBack { rollBack() }
        guard !mustRollBack else { throw .notRolledBack }
    }

    func begin(_ kind: TransactionKind) throws(SQLiteError) {
        try settle()
        // What is written is based on what is read, which may be anything in a file that was overwritten.
        if kind == .immediate { try checkPlace() }
        try execute(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN")
    }

    /// What may be committed isn't given up any more.
    func commit() throws(SQLiteError) {
        try checkPlace()
        try withoutLimits { () throws(SQLiteError) in try execute("COMMIT") }
        if !isReader { placedFile?.noteCommit() }
    }

    /// Locks for writing, for which it waits no longer than given here.
    func begin(waiting busyTimeout: Duration) throws(SQLiteError) {
        try waiting(busyTimeout) { () throws(SQLiteError) in try begin(.immediate) }
    }

    /// What is only read may be read from a file that is gone as well.
    func checkPlace() throws(SQLiteError) {
        if !isReader { try placedFile?.check() }
    }

    /// Does something that waits for locks no longer than given here.
    func waiting<Result>(
        _ busyTimeout: Duration,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let outer = limits.busyTimeout
        limits.busyTimeout = busyTimeout
        defer { limits.busyTimeout = outer }
        return try body()
    }

    func takeAfterCommitActions() -> [@Sendable () -> Void] {
        defer { afterCommitActions = [] }
        return afterCommitActions
    }

    /// Ends the transaction, whatever the limits are. Where there is no memory even for that, it is done before anything else.
    func rollBack() {
        afterCommitActions = []
        if isInTransaction { withoutLimits { try? execute("ROLLBACK") } }
        mustRollBack = isInTransaction
    }

    /// Undoes what was done since the savepoint; the whole transaction where that is not to be had.
    func rollBackToSavepoint() {
        guard isInTransaction else { return }
        withoutLimits {
            do throws(SQLiteError) {
                try execute("ROLLBACK TO s")
                try execute("RELEASE s")
            } catch {
                rollBack()
            }
        }
    }
}
