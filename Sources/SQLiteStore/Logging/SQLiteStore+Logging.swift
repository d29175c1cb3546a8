// SPDX-License-Identifier: Apache-2.0

// The store's log and its counters, for whoever uses it.

import SQLiteDriver

extension SQLiteStore {
    /// What the store tells of its SQL, from now on. It can be set at any time, on any thread.
    public var sqlLog: SQLLog {
        get { activity.log }
        set { activity.setLog(newValue, of: database) }
    }

    /// Who is told of statements that take long, from now on; nil for nobody. It can be set at any time, on any thread.
    public var slowStatementLog: SlowStatementLog? {
        get { activity.slowStatementLog }
        set { activity.setSlowStatementLog(newValue, of: database) }
    }

    /// What the store has done since it was opened.
    public var statistics: StoreStatistics {
        var statistics = activity.statistics
        statistics.statements = database.statementCount
        statistics.commits = database.commitCount
        return statistics
    }
}
