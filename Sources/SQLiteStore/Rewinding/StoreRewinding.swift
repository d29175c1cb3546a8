// SPDX-License-Identifier: Apache-2.0

// Takes a store's file back to an earlier time.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// The steps from a newer state of a store, which has the history since an older one, to the state at a moment between
/// them.
///
///     changes of the history ──▶ rows ──▶ pairs ──▶ orders ──▶ history and notes up to the moment
///
/// 1. Everything happens in one transaction of the newer state's file. The older one is only read.
/// 2. What the history doesn't tell is reported, never guessed silently.
struct StoreRewinding {
    let tables: StoreTables
    let older: Connection
    let newer: Connection

    var schema: StoreSchema { tables.schema }

    /// - Parameter date: The moment: transactions of this time and later are undone.
    func run(to date: Date) throws -> RewindReport {
        let start = try end(of: older)
        try checkHistory(since: start)
        let moment = try lastTransaction(before: date, after: start)
        var report = RewindReport()
        var unknown = UnknownProperties()
        report.undoneTransactions =
            try newer.first(
                "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > \(value: .integer(moment))"
            ) { Int($0.int64(0)) } ?? 0
        let changes = try ChangesOverTime(after: start, around: moment, tables, newer)
        for table in schema.tables {
            try RewoundRows(table, changes, from: older, in: newer).run(&report, &unknown)
        }
        try rewindRelationships(changes, &unknown)
        try forget(after: moment)
        report.unknown = unknown.list
        return report
    }

    private func rewindRelationships(_ changes: ChangesOverTime, _ unknown: inout UnknownProperties) throws {
        for entity in schema.model.entities where schema.table(of: entity) != nil {
            for relationship in entity.ownRelationships {
                if let view = schema.pairs(of: relationship) {
                    guard view.isOwner else { continue }
                    guard !view.table.isColumn else { throw StoreError.cannotRewind(relationship) }
                    let pairs = RewoundPairs(
                        relationship,
                        of: entity,
                        view,
                        schema.model,
                        changes,
                        from: older,
                        in: newer
                    )
                    try pairs.run(&unknown)
                } else {
                    let orders = RewoundOrders(relationship, of: entity, schema, changes, from: older, in: newer)
                    try orders?.run(&unknown)
                }
            }
        }
    }

    /// Throws if the newer state doesn't have the whole history since the older one.
    private func checkHistory(since start: Int64) throws {
        do {
            let reader = try HistoryReader(StoreReader(connection: newer, tables: tables))
            try reader.check(HistoryToken.Position(transaction: start))
        } catch let error as GraphError where error.code == .historyTrimmed {
            throw StoreError.isDiscontinued
        }
    }

    /// The number of the last transaction of a state.
    private func end(of connection: Connection) throws -> Int64 {
        try HistoryReader(StoreReader(connection: connection, tables: tables)).end()
    }

    private func lastTransaction(before date: Date, after start: Int64) throws -> Int64 {
        let time = SQLValue.real(date.timeIntervalSinceReferenceDate)
        let tooNew = try older.first("SELECT 1 FROM ATRANSACTION WHERE ZTIMESTAMP >= \(value: time) LIMIT 1") { _ in
            true
        }
        guard tooNew == nil else { throw StoreError.isTooNew }
        let first = try newer.first(
            """
            SELECT min(Z_PK) FROM ATRANSACTION WHERE Z_PK > \(value: .integer(start)) AND ZTIMESTAMP >= \(value: time)
            """
        ) { $0.value(0) }
        guard case .integer(let number)? = first else { return try end(of: newer) }
        let last = try newer.first("SELECT max(Z_PK) FROM ATRANSACTION WHERE Z_PK < \(value: .integer(number))") {
            $0.value(0)
        }
        guard case .integer(let last)? = last else { return start }
        return max(last, start)
    }

    /// Removes what was recorded since the moment: transactions, positions of consumers, and kept answers of saves that are
    /// undone.
    private func forget(after moment: Int64) throws {
        let number = SQLValue.integer(moment)
        let date = try newer.first(
            "SELECT min(ZTIMESTAMP) FROM ATRANSACTION WHERE Z_PK > \(value: number)"
        ) { $0.value(0) }
        // Numbers of removed transactions are never assigned again.
        for table in [HistoryTables.transactions, HistoryTables.changes] {
            let entity = table == HistoryTables.changes ? HistoryTables.changeEntity : HistoryTables.transactionEntity
            try newer.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, (SELECT ifnull(max(Z_PK), 0) FROM \(identifier: table))) \
                WHERE Z_ENT = \(value: .integer(entity))
                """
            )
        }
        try newer.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID > \(value: number)")
        try newer.execute("DELETE FROM ATRANSACTION WHERE Z_PK > \(value: number)")
        if try newer.tableExists(HistoryTables.consumers) {
            try newer.execute(
                "UPDATE OUTCROPCONSUMER SET NUMBER = \(value: number), CHANGE = NULL WHERE NUMBER >= \(value: number)"
            )
        }
        if case .real? = date, try newer.tableExists("OUTCROPNOTE") {
            try newer.execute("DELETE FROM OUTCROPNOTE WHERE MADE >= \(value: date ?? .null)")
        }
    }
}

extension StoreError {
    fileprivate static let isTooNew = StoreError(
        .noHistory,
        "The backup has changes that were made at that time or later.",
        hint: "Use an older backup."
    )

    fileprivate static let isDiscontinued = StoreError(
        .noHistory,
        "The history doesn't continue from the backup: it was trimmed since, or another backup has replaced the store.",
        hint: "Use a newer backup, or restore this one without a time."
    )

    fileprivate static func cannotRewind(_ relationship: RelationshipDescription) -> StoreError {
        StoreError(
            .noHistory,
            "The members of “\(relationship.name)” are in a form of which the history doesn't record the changes."
        )
    }
}
