// SPDX-License-Identifier: Apache-2.0

// Group commit: the writes of several threads share one transaction.

/// Jobs that run together, each in its own savepoint, with one commit for all.
//
// Invariants:
// 1. A job succeeds only after the transaction in which it ran last has been committed with all its changes.
// 2. A job fails only with all its changes rolled back. Its error is its own, or that of the transaction's begin or
//    commit.
// 3. A job runs again only after its changes have been rolled back, and then in its own transaction, so it runs twice
//    at most. That happens if SQLite has ended the transaction because another job failed (disk full, interruption,
//    out of memory), if the commit fails because a job left a constraint violated, or if the action before the commit
//    fails.
// 4. No job can commit, which would acknowledge the others' work before it is done.
// 5. Actions after the commit run in order, before any job is finished and before the next transaction. The action
//    before the commit runs once, after the last job.
struct WriterGroup {
    let jobs: [WriterJob]
    /// Already in the first job's transaction, if that needs one: the leader has begun it.
    let connection: Connection

    /// Finishes all jobs, and returns how many transactions were committed for them.
    func perform() -> Int {
        if let job = jobs.first, jobs.count == 1 {
            if job.kind.needsLock { return writeAlone(job) }
            runWithoutTransaction(job)
            return 0
        }
        let (commits, undone) = writeTogether()
        return undone.reduce(commits) { $0 + writeAlone($1) }
    }

    private func runWithoutTransaction(_ job: WriterJob) {
        do {
            try connection.retryFailedRollback()
            defer { connection.rollBack() }
            try job.perform(on: connection)
            job.finish()
        } catch {
            job.finish(error)
        }
    }

    private func writeAlone(_ job: WriterJob) -> Int {
        do {
            if !connection.isInTransaction { try connection.begin(.immediate) }
            try connection.withCommitGateClosed { try job.perform(on: connection) }
            guard connection.isTransactionSound else { throw SQLiteError.rolledBack }
            try connection.runBeforeCommitAction()
            try connection.commitAndPublish()
        } catch {
            connection.rollBack()
            job.finish(error)
            return 0
        }
        job.finish()
        return 1
    }

    /// Returns the jobs that must run again, each alone, because they were rolled back or not begun.
    private func writeTogether() -> (commits: Int, undone: [WriterJob]) {
        var done: [WriterJob] = []
        for (index, job) in jobs.enumerated() {
            do {
                try connection.withCommitGateClosed {
                    try connection.savepoint { try job.perform(on: connection) }
                }
                done.append(job)
            } catch {
                job.finish(error)
                guard connection.isTransactionSound else {
                    connection.rollBack()
                    return (0, done + jobs[(index + 1)...])
                }
            }
        }
        guard !done.isEmpty else {
            connection.rollBack()
            return (0, [])
        }
        do {
            try connection.runBeforeCommitAction()
        } catch {
            connection.rollBack()
            return (0, done)
        }
        do throws(SQLiteError) {
            try connection.commitAndPublish()
        } catch {
            connection.rollBack()
            if error.code.primary == .constraint { return (0, done) }
            for job in done { job.finish(error) }
            return (0, [])
        }
        for job in done { job.finish() }
        return (1, [])
    }
}
