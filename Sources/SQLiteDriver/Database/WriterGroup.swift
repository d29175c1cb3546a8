// SPDX-License-Identifier: Apache-2.0

// Group commit: what several threads want written is written in one transaction.

/// Jobs that are done together, each in a savepoint of its own, with one commit for all.
//
// Invariants:
// 1. A job succeeds only after the transaction in which it ran last has been committed, and all that it did is in it.
// 2. A job fails only with nothing left of what it did. Its error is its own, or that of the transaction's begin or commit.
// 3. A job runs again only after what it did before has been rolled back, and then in a transaction of its own, so that it runs
//    twice at most. That happens where SQLite has ended the transaction because of another job's failure (disk full,
//    interruption, out of memory), or where the commit fails for a constraint that some job has left unmet.
// 4. No job can commit, which would acknowledge the others' work before it is done.
// 5. What jobs do after the commit is done in their order, before any of them is finished and before the next transaction.
struct WriterGroup {
    let jobs: [WriterJob]
    /// It is in the first job's transaction, if that needs one: whoever leads has begun it.
    let connection: Connection

    /// Finishes all jobs. Returns how many transactions were committed for them.
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
            try connection.settle()
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
            try connection.commit()
        } catch {
            connection.rollBack()
            job.finish(error)
            return 0
        }
        succeed([job])
        return 1
    }

    /// Returns what is to be done again, each job alone, because it was undone or not begun.
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
        do throws(SQLiteError) {
            try connection.commit()
        } catch {
            connection.rollBack()
            if error.code.primary == .constraint { return (0, done) }
            for job in done { job.finish(error) }
            return (0, [])
        }
        succeed(done)
        return (1, [])
    }

    private func succeed(_ jobs: [WriterJob]) {
        for action in connection.takeAfterCommitActions() { action() }
        for job in jobs { job.finish() }
    }
}
