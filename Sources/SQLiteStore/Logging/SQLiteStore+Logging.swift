// SPDX-License-Identifier: Apache-2.0

// The log and the counters of a store.

import SQLiteDriver

extension SQLiteStore {
    /// The log of the store's SQL. It can be set at any time, on any thread.
    public var sqlLog: SQLLog {
        get { activity.log }
        set { activity.setLog(newValue, of: database) }
    }

    /// The log of slow statements, or nil. It can be set at any time, on any thread.
    public var slowStatementLog: SlowStatementLog? {
        get { activity.slowStatementLog }
        set { activity.setSlowStatementLog(newValue, of: database) }
    }

    /// Counts of the store's work since it was opened.
    public var statistics: StoreStatistics {
        var statistics = activity.statistics
        statistics.statements = database.statementCount
        statistics.commits = database.commitCount
        return statistics
    }
}
