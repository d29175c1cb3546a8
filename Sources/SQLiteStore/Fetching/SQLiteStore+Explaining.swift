// SPDX-License-Identifier: Apache-2.0

// How a fetch would be done, for whoever wonders why it takes its time.

import FoundationEssentials
public import ObjectGraph
import SQLiteDriver

/// The way of a fetch: its statement, how SQLite runs it, and what is left to memory.
public struct FetchExplanation: Hashable, Sendable {
    /// The SQL, with a question mark for each value.
    public let statement: String
    /// SQLite's words for the steps, those within others behind them.
    public let queryPlan: [String]
    /// The parts of the request that are evaluated in memory, each with the reason.
    public let evaluated: [String]
}

extension SQLiteStore {
    /// How a fetch would be done, without doing it.
    public func explain(_ request: StoreFetchRequest) throws -> FetchExplanation {
        guard var planner = FetchPlanner(request, tables, now: .now) else {
            throw StoreError.keptElsewhere(request.entity)
        }
        let plan = planner.plan()
        let steps = try database.read { try $0.queryPlan(of: plan.statement) }
        return FetchExplanation(
            statement: plan.statement.text,
            queryPlan: steps.map(\.detail),
            evaluated: plan.untranslated.map(\.description)
        )
    }
}
