// SPDX-License-Identifier: Apache-2.0

// Predicts which fetches read many rows, from SQLite's query plans and table sizes.

import Files
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// Predicts whether a fetch is long, before it runs.
///
/// 1. A fetch is long if it may read all rows of a large table or of a range of an index. A page is short if an index
///    yields its rows in order and no condition filters them: the read ends with the page.
/// 2. Results are cached for a while: SQLite's query plan of each statement, and one count, limited to the size of a
///    large table, for each table. Small files and pages in key order need neither.
final class LongReads: Sendable {
    private let path: String
    private let known = Mutex(Known())

    /// Recent results.
    private struct Known {
        let since = ContinuousClock.now
        var isFileSmall: Bool?
        /// By the statement's text.
        var queryPlans: [String: QueryPlan] = [:]
        var isLarge: [String: Bool] = [:]

        var isOld: Bool { .now - since > LongReads.lifetime || queryPlans.count > LongReads.statementLimit }
    }

    /// What matters of SQLite's query plan.
    private struct QueryPlan {
        /// The steps that may read all rows of a table.
        let scans: [Scan]
        /// Whether all rows are sorted before the first one is returned.
        let sortsAll: Bool
    }

    private static let lifetime = Duration.seconds(60)
    private static let statementLimit = 1_000
    /// A file up to this size, including its log, is read in a few milliseconds.
    private static let smallFile = 1 << 20

    init(path: String) { self.path = path }

    func contains(
        _ plan: SQLFetchPlan,
        of request: StoreFetchRequest,
        in table: EntityTable,
        _ connection: Connection
    ) throws -> Bool {
        guard request.search == nil else { return try containsSearch(in: table, connection) }
        guard !request.isFirstPage, !isFileSmall else { return false }
        return try request.offset > WorkLimits.manyRows
            || tables(of: plan, request, connection).contains { try isLarge($0, connection) }
    }

    /// A search sorts all of its results, so it is long if the table is large.
    func containsSearch(in table: EntityTable, _ connection: Connection) throws -> Bool {
        try !isFileSmall && isLarge(SQL.identifier(table.name).text, connection)
    }

    private var isFileSmall: Bool {
        let isSmall = known.withLock { known in
            if known.isOld { known = Known() }
            return known.isFileSmall
        }
        if let isSmall { return isSmall }
        let size = [path, path + "-wal"].reduce(0) { $0 + (FileSystem.size(of: $1) ?? 0) }
        known.withLock { $0.isFileSmall = size < Self.smallFile }
        return size < Self.smallFile
    }

    /// The tables that a statement may read completely. This depends on the request, too: its limit isn't in the
    /// statement's text.
    private func tables(
        of plan: SQLFetchPlan,
        _ request: StoreFetchRequest,
        _ connection: Connection
    ) throws -> [String] {
        let queryPlan = try queryPlan(of: plan.statement, connection)
        let endsEarly = plan.remainder == nil && request.isPage && !queryPlan.sortsAll
        return queryPlan.scans
            .filter { !(endsEarly && $0.alias == "t0" && request.conditionCount <= $0.conditionCount) }
            .map(\.table)
    }

    private func queryPlan(of statement: SQL, _ connection: Connection) throws -> QueryPlan {
        if let known = known.withLock({ $0.queryPlans[statement.text] }) { return known }
        let steps = try connection.queryPlan(of: statement).map(\.detail)
        let queryPlan = QueryPlan(
            scans: steps.compactMap { Scan($0, of: statement.text) },
            // A page ends early even if rows that are equal in the first terms are sorted by the others.
            sortsAll: steps.contains("USE TEMP B-TREE FOR ORDER BY")
        )
        known.withLock { $0.queryPlans[statement.text] = queryPlan }
        return queryPlan
    }

    private func isLarge(_ table: String, _ connection: Connection) throws -> Bool {
        if let isLarge = known.withLock({ $0.isLarge[table] }) { return isLarge }
        let limit = SQL.literal(.integer(Int64(WorkLimits.manyRows + 1)))
        let rows: SQL = "SELECT 1 FROM \(SQL(text: table)) LIMIT \(limit)"
        let count = try connection.first("SELECT COUNT(*) FROM (\(rows))") { $0.int64(0) } ?? 0
        let isLarge = count > WorkLimits.manyRows
        known.withLock { $0.isLarge[table] = isLarge }
        return isLarge
    }
}

/// A step of a query plan that may read all rows of a table.
private struct Scan {
    /// An entity table or pair table.
    let table: String
    let alias: String
    /// The number of conditions that the index serves.
    let conditionCount: Int

    /// Nil for other steps: equality lookups, and reads of virtual tables and subqueries.
    init?(_ step: String, of statement: String) {
        let words = step.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count > 1, words[0] == "SCAN" || words[0] == "SEARCH", !words[1].hasPrefix("("),
            !step.contains("VIRTUAL TABLE")
        else { return nil }
        // All rows may have the same entity.
        let conditions = Self.conditions(words.count > 2 ? words[2] : "").filter { !$0.hasPrefix("Z_ENT=") }
        guard !conditions.contains(where: { $0.hasSuffix("=?") }) || step.contains(" AUTOMATIC ") else { return nil }
        alias = words[1]
        conditionCount = conditions.count
        guard let table = Self.table(named: alias, in: statement) else { return nil }
        self.table = table
    }

    /// The conditions in parentheses, as in `USING INDEX Z_Post_byDate (ZCREATEDAT>? AND ZCREATEDAT<?)`.
    private static func conditions(_ details: String) -> [String] {
        guard let start = details.firstIndex(of: "("), let end = details[start...].firstIndex(of: ")") else {
            return []
        }
        return details[start..<end].dropFirst().split(separator: " ").filter { $0 != "AND" }.map(String.init)
    }

    /// The entity or pair table with an alias in a statement, or nil.
    private static func table(named alias: String, in statement: String) -> String? {
        let words = statement.split { " (),".contains($0) }
        let place = words.indices.dropFirst().dropLast().first { words[$0] == "AS" && words[$0 + 1] == alias }
        let table = place.map { String(words[$0 - 1]) } ?? alias
        return table.hasPrefix("Z") || table.hasPrefix("\"Z") ? table : nil
    }
}

extension StoreFetchRequest {
    /// Whether the request is for a limited number of rows, without an aggregate.
    fileprivate var isPage: Bool {
        guard let limit, limit <= WorkLimits.manyRows else { return false }
        return switch kind {
        case .snapshots, .objectIDs: true
        case .count: false
        case .table(let table): !table.isGrouped && !table.isDistinct
        }
    }

    /// Whether the request is an early page of all objects in key order.
    fileprivate var isFirstPage: Bool {
        isPage && offset <= WorkLimits.manyRows && predicate == nil
            && sortDescriptors.allSatisfy { $0.keyPath == .keyPath("objectID") }
    }

    /// The number of conditions on a row.
    fileprivate var conditionCount: Int { predicate?.termCount ?? 0 }
}

extension ObjectPredicate {
    fileprivate var termCount: Int {
        if case .and(let parts) = self { parts.reduce(0) { $0 + $1.termCount } } else { 1 }
    }
}
