// SPDX-License-Identifier: Apache-2.0

// Work that the writes of a transaction defer to its end.

extension Connection {
    /// Runs an action before the open transaction commits, after all jobs that share it, and outside their limits. It
    /// replaces an action that was set before, so all of a database's jobs must set equivalent ones, and it may run
    /// although the job that set it was undone. If it throws, the transaction is rolled back.
    public func beforeCommit(_ action: @escaping @Sendable (Connection) throws -> Void) {
        precondition(isInTransaction, "There is no transaction that could commit.")
        beforeCommitAction = action
    }

    func runBeforeCommitAction() throws {
        guard let action = beforeCommitAction else { return }
        beforeCommitAction = nil
        try withCommitGateClosed { try action(self) }
        guard isTransactionSound else { throw SQLiteError.rolledBack }
    }
}
