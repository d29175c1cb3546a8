// SPDX-License-Identifier: Apache-2.0

// How a fetch would be done, for whoever wonders why it takes its time.

import FoundationEssentials
public import ObjectGraph
import Predicates
import SQLiteDriver

extension SQLiteStore {
    /// How a fetch would be done, without doing it.
    public func explain(_ request: StoreFetchRequest) throws -> FetchExplanation {
        guard var planner = FetchPlanner(request, tables, now: .now) else {
            throw StoreError.keptElsewhere(request.entity)
        }
        let plan = planner.plan()
        let limits = WorkLimits.current
        let steps = try naming {
            try database.read(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                try $0.queryPlan(of: plan.statement).map(\.detail)
            }
        }
        // What sorts all rows has looked at all of them, whatever index it took them from.
        let isSorted = steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR ORDER BY") }
        let first = steps.first { $0.contains(" t0") }
        return FetchExplanation(
            store: identifier,
            statement: plan.statement.text,
            bindings: plan.statement.bindings.map(\.explained),
            queryPlan: steps,
            usesIndex: first.map { $0.hasPrefix("SEARCH") || $0.contains("USING") && !isSorted } ?? false,
            evaluated: plan.untranslated.map(\.description)
        )
    }

    public var statementCount: Int { database.statementCount }
}

extension SQLValue {
    fileprivate var explained: Value {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .double(number)
        case .text(let text): .string(text)
        case .blob(let bytes): .data(Data(bytes))
        }
    }
}
