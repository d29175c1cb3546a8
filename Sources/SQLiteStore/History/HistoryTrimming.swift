// SPDX-License-Identifier: Apache-2.0

// Removes old transactions from the history, and keeps the positions of consumers.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// Trims the history within a write transaction.
///
/// 1. The newest transaction with changes is never removed.
/// 2. What a consumer hasn't read is kept, unless the consumer is older than the trim permits.
/// 3. One call removes whole transactions, up to a number of changes, so that other writes needn't wait for long.
struct HistoryTrimming {
    let connection: Connection

    /// Returns the number of removed transactions with changes, and whether there are more to remove.
    func run(_ trim: HistoryTrim) throws -> (count: Int, hasMore: Bool) {
        guard try connection.tableExists(HistoryTables.transactions),
            let newest = try number("SELECT max(ZTRANSACTIONID) FROM ACHANGE"),
            let end = try [trim.through, expired(by: trim), surplus(over: trim.changeLimit)].compactMap(\.self).max()
        else { return (0, false) }
        let lost = try surplus(over: trim.consumerChangeLimit) ?? .min
        let held = try consumers().filter { consumer in
            consumer.date >= trim.consumersBefore ?? .distantPast && consumer.position.transaction >= lost
        }
        let unread = held.map(\.position.transaction).min() ?? .max
        return try remove(through: min(end, newest - 1, unread), atMost: trim.batchSize)
    }

    private func number(_ query: SQL) throws -> Int64? {
        guard case .integer(let number)? = try connection.first(query, { $0.value(0) }) else { return nil }
        return number
    }

    /// The last of the oldest transactions that are older than the trim permits.
    private func expired(by trim: HistoryTrim) throws -> Int64? {
        guard let date = trim.before else { return nil }
        let time = SQLValue.real(date.timeIntervalSinceReferenceDate)
        let first = try number(
            "SELECT Z_PK FROM ATRANSACTION WHERE ZTIMESTAMP >= \(value: time) ORDER BY Z_PK LIMIT 1"
        )
        return first.map { $0 - 1 } ?? .max
    }

    /// The transaction of the last change beyond a number of changes.
    private func surplus(over limit: Int?) throws -> Int64? {
        guard let limit else { return nil }
        return try number(
            "SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1 OFFSET \(value: .integer(Int64(max(limit, 0))))"
        )
    }

    private func remove(through end: Int64, atMost limit: Int) throws -> (count: Int, hasMore: Bool) {
        let boundary = try number(
            """
            SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID <= \(value: .integer(end)) \
            ORDER BY ZTRANSACTIONID LIMIT 1 OFFSET \(value: .integer(Int64(limit)))
            """
        )
        let end = min(end, boundary ?? end)
        let count = try number(
            "SELECT count(DISTINCT ZTRANSACTIONID) FROM ACHANGE WHERE ZTRANSACTIONID <= \(value: .integer(end))"
        )
        try connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= \(value: .integer(end))")
        // The last one stays as an empty transaction: its number is a position behind which nothing is missing.
        if let last = try number("SELECT max(Z_PK) FROM ATRANSACTION WHERE Z_PK <= \(value: .integer(end))") {
            try connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK < \(value: .integer(last))")
            try connection.execute(
                """
                UPDATE ATRANSACTION SET ZBUNDLEID = \(value: .text(HistoryTables.trimmed)) \
                WHERE Z_PK = \(value: .integer(last))
                """
            )
        }
        return (Int(count ?? 0), boundary != nil)
    }
}

// MARK: Consumers

extension HistoryTrimming {
    func consumers() throws -> [HistoryConsumer] {
        guard try connection.tableExists(HistoryTables.consumers) else { return [] }
        return try connection.rows("SELECT NAME, NUMBER, CHANGE, MADE FROM OUTCROPCONSUMER ORDER BY NAME") { row in
            HistoryConsumer(
                name: row.string(0),
                position: HistoryToken.Position(
                    transaction: row.int64(1),
                    change: row.isNull(2) ? nil : row.int64(2)
                ),
                date: Date(timeIntervalSinceReferenceDate: row.double(3))
            )
        }
    }

    func set(_ name: String, to position: HistoryToken.Position, at date: Date = .now) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS OUTCROPCONSUMER \
            (NAME TEXT PRIMARY KEY, NUMBER INTEGER NOT NULL, CHANGE INTEGER, MADE REAL NOT NULL)
            """
        )
        let time = SQLValue.real(date.timeIntervalSinceReferenceDate)
        try connection.execute(
            """
            INSERT OR REPLACE INTO OUTCROPCONSUMER (NAME, NUMBER, CHANGE, MADE) VALUES (\(value: .text(name)), \
            \(value: .integer(position.transaction)), \(value: position.change.map(SQLValue.integer) ?? .null), \
            \(value: time))
            """
        )
    }

    func remove(_ name: String) throws {
        guard try connection.tableExists(HistoryTables.consumers) else { return }
        try connection.execute("DELETE FROM OUTCROPCONSUMER WHERE NAME = \(value: .text(name))")
    }
}
