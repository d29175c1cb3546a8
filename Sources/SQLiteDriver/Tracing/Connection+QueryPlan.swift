// SPDX-License-Identifier: Apache-2.0

// Query plans.

/// A step of a query plan. Steps without a parent are at the top.
public struct PlanStep: Hashable, Sendable {
    public let id: Int64
    public let parent: Int64?
    /// SQLite's description, such as `SEARCH ZBOOK USING INTEGER PRIMARY KEY (rowid=?)`. It varies between versions.
    public let detail: String
}

extension Connection {
    /// The query plan of a statement, which is not run.
    public func queryPlan(of sql: SQL) throws(SQLiteError) -> [PlanStep] {
        try Self.steps(of: prepare("EXPLAIN QUERY PLAN " + sql))
    }

    /// The query plan of a text with parameters, which remain unbound.
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
