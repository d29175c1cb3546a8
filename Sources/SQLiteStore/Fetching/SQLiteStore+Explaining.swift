// SPDX-License-Identifier: Apache-2.0

// Explains how a fetch is executed.

import FoundationEssentials
public import ObjectGraph
import Predicates
import SQLiteDriver

extension SQLiteStore {
    public func explain(_ read: StoreRead) throws -> FetchExplanation {
        switch read {
        case .fetch(let request): try explain(request)
        case .related(let relationship, let owner, let request): try explain(relationship, of: owner, matching: request)
        }
    }

    private func explain(_ request: StoreFetchRequest) throws -> FetchExplanation {
        let usesIndex = try request.search != nil && reading(nil) { try $0.usesSearchIndex(of: request.entity) }
        guard var planner = FetchPlanner(request, tables, now: .now, usesSearchIndex: usesIndex) else {
            throw StoreError.keptElsewhere(request.entity)
        }
        let plan = planner.plan()
        let limits = WorkLimits.current
        let steps = try naming {
            try database.read(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                try $0.queryPlan(of: plan.statement).map(\.detail)
            }
        }
        return FetchExplanation(identifier, plan.statement, steps, startingAt: "t0", plan.untranslated)
    }

    private func explain(
        _ relationship: RelationshipDescription,
        of owner: ManagedObjectID,
        matching request: RelatedRequest
    ) throws -> FetchExplanation {
        try reading(nil) { [identifier, limit = options.evaluationLimit] reader in
            let fetch = RelatedFetch(request, reader, evaluationLimit: limit)
            guard let (statement, evaluated) = try fetch.explained(along: relationship, owner: owner) else {
                throw StoreError.keptElsewhere(reader.schema.model.destination(of: relationship))
            }
            let steps = try reader.connection.queryPlan(of: statement).map(\.detail)
            return FetchExplanation(identifier, statement, steps, startingAt: "o", evaluated)
        }
    }

    public var statementCount: Int { database.statementCount }
}

extension FetchExplanation {
    /// - Parameter alias: The table at which the search for rows starts.
    fileprivate init(
        _ store: UUID,
        _ statement: SQL,
        _ steps: [String],
        startingAt alias: String,
        _ untranslated: [SQLFetchPlan.Part]
    ) {
        // A sort reads all rows, even through an index.
        let isSorted = steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR ORDER BY") }
        let first = steps.first { $0.contains(" \(alias)") }
        self.init(
            store: store,
            statement: statement.text,
            bindings: statement.bindings.map(\.explained),
            queryPlan: steps,
            usesIndex: first.map { $0.hasPrefix("SEARCH") || $0.contains("USING") && !isSorted } ?? false,
            evaluated: untranslated.map(\.description)
        )
    }
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
