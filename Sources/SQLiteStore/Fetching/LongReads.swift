// SPDX-License-Identifier: Apache-2.0

// Which fetches look at many rows, by SQLite's plans for them and the sizes of tables.

import Files
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// Judges fetches before they are run.
///
/// 1. A fetch is long if it may look at all rows of a large table, or at all in a range of an index. A page isn't where its rows come in
///    their order and no condition passes any of them over, since it ends with the last of them.
/// 2. Each statement is explained once in a while and each table counted, up to what is large. A file that is read quickly as a whole
///    needs neither, nor does a page in the order of its keys.
final class LongReads: Sendable {
    private let path: String
    private let known = Mutex(Known())

    /// What was found out lately.
    private struct Known {
        let since = ContinuousClock.now
        var isFileSmall: Bool?
        /// By the text of a statement, the tables of which it may look at all rows.
        var tables: [String: [String]] = [:]
        var isLarge: [String: Bool] = [:]

        var isOld: Bool { .now - since > LongReads.lifetime || tables.count > LongReads.statementLimit }
    }

    private static let lifetime = Duration.seconds(60)
    private static let statementLimit = 1_000
    /// A file of so many bytes, with its log, is read in a few milliseconds.
    private static let smallFile = 1 << 20

    init(path: String) { self.path = path }

    func contains(
        _ plan: FetchPlan,
        of request: StoreFetchRequest,
        in table: EntityTable,
        _ connection: Connection
    ) throws -> Bool {
        guard request.search == nil else { return try containsSearch(in: table, connection) }
        guard !request.isFirstPage, !isFileSmall else { return false }
        return try request.offset > WorkLimits.manyRows
            || tables(of: plan, request, connection).contains { try isLarge($0, connection) }
    }

    /// A search puts all that it finds in order.
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

    private func tables(
        of plan: FetchPlan,
        _ request: StoreFetchRequest,
        _ connection: Connection
    ) throws -> [String] {
        let text = plan.statement.text
        if let tables = known.withLock({ $0.tables[text] }) { return tables }
        let steps = try connection.queryPlan(of: plan.statement).map(\.detail)
        // Where only rows that are equal in the first terms are sorted by others, a page ends early.
        let endsEarly = plan.remainder == nil && request.isPage && !steps.contains("USE TEMP B-TREE FOR ORDER BY")
        let scans = steps.compactMap(Scan.init)
        let tables =
            scans
            .filter { !(endsEarly && $0.alias == "t0" && request.conditionCount <= $0.conditionCount) }
            .compactMap { $0.table(in: text) }
        known.withLock { $0.tables[text] = tables }
        return tables
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

/// A step of a plan that may look at all rows of a table.
private struct Scan {
    let alias: String
    /// How many conditions an index serves.
    let conditionCount: Int

    /// Nil for another step: one that looks up what is equal to something, or looks at no table of the file.
    init?(_ step: String) {
        let words = step.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count > 1, words[0] == "SCAN" || words[0] == "SEARCH", !words[1].hasPrefix("("),
            !step.contains("VIRTUAL TABLE")
        else { return nil }
        // All rows may be of one entity.
        let conditions = Self.conditions(words.count > 2 ? words[2] : "").filter { !$0.hasPrefix("Z_ENT=") }
        guard !conditions.contains(where: { $0.hasSuffix("=?") }) || step.contains(" AUTOMATIC ") else { return nil }
        alias = words[1]
        conditionCount = conditions.count
    }

    /// Those that a step has in parentheses, as in `USING INDEX Z_Post_byDate (ZCREATEDAT>? AND ZCREATEDAT<?)`.
    private static func conditions(_ details: String) -> [String] {
        guard let start = details.firstIndex(of: "("), let end = details[start...].firstIndex(of: ")") else {
            return []
        }
        return details[start..<end].dropFirst().split(separator: " ").filter { $0 != "AND" }.map(String.init)
    }

    /// The table of an entity or a relationship that has the alias in a statement, or nil.
    func table(in statement: String) -> String? {
        let words = statement.split { " (),".contains($0) }
        let place = words.indices.dropFirst().dropLast().first { words[$0] == "AS" && words[$0 + 1] == alias }
        let table = place.map { String(words[$0 - 1]) } ?? alias
        return table.hasPrefix("Z") || table.hasPrefix("\"Z") ? table : nil
    }
}

extension StoreFetchRequest {
    /// Whether it asks for some rows and nothing about them all.
    fileprivate var isPage: Bool {
        guard let limit, limit <= WorkLimits.manyRows else { return false }
        return switch kind {
        case .snapshots, .objectIDs: true
        case .count: false
        case .table(let table): !table.isGrouped && !table.isDistinct
        }
    }

    /// Whether it is a page of all objects in the order of their keys.
    fileprivate var isFirstPage: Bool {
        isPage && offset <= WorkLimits.manyRows && predicate == nil
            && sortDescriptors.allSatisfy { $0.keyPath == .keyPath("objectID") }
    }

    /// How many conditions a row must meet.
    fileprivate var conditionCount: Int { predicate?.termCount ?? 0 }
}

extension ObjectPredicate {
    fileprivate var termCount: Int {
        if case .and(let parts) = self { parts.reduce(0) { $0 + $1.termCount } } else { 1 }
    }
}
