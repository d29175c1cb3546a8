// SPDX-License-Identifier: Apache-2.0

// A search in SQL, by the index or over the texts of all rows.

import ObjectGraph
import Predicates
import SQLiteDriver

/// The part of a fetch's statement that executes its search.
struct PlannedSearch {
    /// `OUTCROPSEARCH_ZPOST_TEXTS AS s CROSS JOIN ZPOST AS t0 …`, or nil if all rows are searched.
    let tables: SQL?
    let condition: Condition
    /// The score, which is higher for better matches; nil unless results are sorted by relevance.
    let score: SQL?

    /// Nil for a store that keeps no searchable attributes of the entity.
    init?(_ request: StoreFetchRequest, _ tables: StoreTables, usesIndex: Bool) {
        guard let search = request.search, let index = tables.search[request.entity] else { return nil }
        let isRanked = request.isByRelevance && search.statistics != nil
        let argument: SQL = "\(value: .text(SearchScorer.argument(search, isRanked: isRanked)))"
        if usesIndex {
            self.tables = """
                \(identifier: index.name) AS s CROSS JOIN \(identifier: index.table) AS t0 ON t0.Z_PK = s.rowid
                """
            condition = Condition(
                "s.\(identifier: index.name) MATCH \(value: .text(search.query.fullTextExpression))",
                isNullable: false,
                isSelective: true
            )
            score = isRanked ? "outcrop_score(\(argument), \(index.columns(of: "s")))" : nil
        } else {
            self.tables = nil
            let call: SQL = "outcrop_search(\(argument), \(index.columns(of: "t0")))"
            condition = Condition("\(call) IS NOT NULL", isNullable: false)
            score = isRanked ? call : nil
        }
    }

    /// A condition for the rows after a position in the result.
    func condition(behind start: SearchPosition, _ isBehindID: Condition) -> Condition? {
        guard let score else { return nil }
        let value: SQL = "\(value: .real(start.score))"
        return .any([
            Condition("\(score) < \(value)", isNullable: true),
            .all([Condition("\(score) = \(value)", isNullable: true), isBehindID]),
        ])
    }
}
