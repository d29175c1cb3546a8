// SPDX-License-Identifier: Apache-2.0

// Transactions and savepoints.

import CSQLite

extension Connection {
    public enum TransactionKind: Hashable, Sendable {
        /// Acquires the lock for reading with the first read, and the lock for writing with the first write.
        case deferred
        /// Acquires the lock for writing at once.
        case immediate
    }

    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs a closure in a transaction, which is rolled back if the closure throws.
    public func transaction<R>(_ kind: TransactionKind = .deferred, _ body: () throws -> R) throws -> R {
        try begin(kind)
        let result: R
        do {
            result = try body()
            guard !mustRollBack else { throw SQLiteError.rolledBack }
            try runBeforeCommitAction()
            try commitAndPublish()
        } catch {
            rollBack()
            throw error
        }
        return result
    }

    /// Runs a closure in a savepoint, with or without an open transaction. If it throws, its changes are rolled back.
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        let isOutermost = !isInTransaction
        let actions = afterCommitActions.count
        try execute("SAVEPOINT s")
        let result: R
        do {
            result = try body()
            guard isTransactionSound else { throw SQLiteError.rolledBack }
            if isOutermost {
                try runBeforeCommitAction()
                try checkPlace()
            }
            try execute("RELEASE s")
        } catch {
            if isOutermost { rollBack() } else { rollBackToSavepoint() }
            afterCommitActions.removeSubrange(min(actions, afterCommitActions.count)...)
            throw error
        }
        if isOutermost {
            for action in drainAfterCommitActions() { action() }
        }
        return result
    }

    /// Runs an action after the commit; never if the transaction, or the savepoint in it, is rolled back.
    public func afterCommit(_ action: @escaping @Sendable () -> Void) {
        if isInTransaction { afterCommitActions.append(action) } else { action() }
    }
}

extension Connection {
    /// Whether a transaction is open and all rollbacks in it succeeded.
    var isTransactionSound: Bool { isInTransaction && !mustRollBack }

    /// Retries a rollback that failed.
    func retryFailedRollback() throws(SQLiteError) {
        if mustRollBack { rollBack() }
        guard !mustRollBack else { throw .notRolledBack }
    }

    func begin(_ kind: TransactionKind) throws(SQLiteError) {
        try retryFailedRollback()
        // What is read decides what is written, and a file that was overwritten may contain anything.
        if kind == .immediate { try checkPlace() }
        try execute(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN")
        guard kind == .immediate, !isReader else { return }
        begunChanges = totalChanges
        databaseFile?.beginCommit()
    }

    /// Commits, and runs the actions after the commit.
    func commitAndPublish() throws(SQLiteError) {
        guard let databaseFile, !isReader else { return try commitAndRunActions() }
        try databaseFile.publishing { () throws(SQLiteError) in try commitAndRunActions() }
    }

    private func commitAndRunActions() throws(SQLiteError) {
        try commit()
        for action in drainAfterCommitActions() { action() }
    }

    /// A commit isn't interrupted by the limits.
    func commit() throws(SQLiteError) {
        try checkPlace()
        if begunChanges == totalChanges { abandonCommit() }
        try withoutLimits { () throws(SQLiteError) in try execute("COMMIT") }
        begunChanges = nil
        if !isReader { databaseFile?.recordCommit() }
    }

    /// Begins a transaction for writing, waiting for the lock no longer than a timeout.
    func begin(waiting busyTimeout: Duration) throws(SQLiteError) {
        try waiting(busyTimeout) { () throws(SQLiteError) in try begin(.immediate) }
    }

    /// Throws if the file isn't in its place. Readers may still read a file that was removed.
    func checkPlace() throws(SQLiteError) {
        if !isReader { try databaseFile?.check() }
    }

    /// Runs a closure with another timeout for locks.
    func waiting<Result>(
        _ busyTimeout: Duration,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let outer = limits.busyTimeout
        limits.busyTimeout = busyTimeout
        defer { limits.busyTimeout = outer }
        return try body()
    }

    func drainAfterCommitActions() -> [@Sendable () -> Void] {
        defer { afterCommitActions = [] }
        return afterCommitActions
    }

    /// Rolls the transaction back, regardless of the limits. If this fails for lack of memory, the next use retries it.
    func rollBack() {
        beforeCommitAction = nil
        afterCommitActions = []
        abandonCommit()
        if isInTransaction { withoutLimits { try? execute("ROLLBACK") } }
        mustRollBack = isInTransaction
    }

    private func abandonCommit() {
        guard begunChanges != nil else { return }
        begunChanges = nil
        databaseFile?.abandonCommit()
    }

    /// Rolls back to the savepoint, or the whole transaction if that fails.
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
