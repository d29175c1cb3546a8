// SPDX-License-Identifier: Apache-2.0

// How SQLite means to run a statement.

/// One step of the plan for a statement. Steps without a parent are at the top.
public struct PlanStep: Hashable, Sendable {
    public let id: Int64
    public let parent: Int64?
    /// SQLite's words for it, as `SEARCH ZBOOK USING INTEGER PRIMARY KEY (rowid=?)`. They change with its version.
    public let detail: String
}

extension Connection {
    /// Asks how a statement would be run, without running it.
    public func queryPlan(of sql: SQL) throws(SQLiteError) -> [PlanStep] {
        try Self.steps(of: prepare("EXPLAIN QUERY PLAN " + sql))
    }

    /// The same of a text with parameters that nothing is bound to.
    func queryPlan(ofText text: String) throws(SQLiteError) -> [PlanStep] {
        try Self.steps(of: prepare("EXPLAIN QUERY PLAN " + text))
    }

    private static func steps(of statement: Statement) throws(SQLiteError) -> [PlanStep] {
        var steps: [PlanStep] = []
        while try statement.step() {
            let parent = statement.int64(1)
            steps.append(
                PlanStep(id: statement.int64(0), parent: parent == 0 ? nil : parent, detail: statement.string(3))
            )
        }
        return steps
    }
}
