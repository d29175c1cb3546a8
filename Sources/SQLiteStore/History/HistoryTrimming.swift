// SPDX-License-Identifier: Apache-2.0

// Removes old transactions from the history, and keeps the positions of consumers.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// Trims the history.
///
/// 1. The newest transaction is never removed.
/// 2. What a consumer hasn't read is kept, unless the consumer is older than the trim permits.
/// 3. What to remove is found by reading, because that may take long. One write removes whole transactions, up to a
///    number of changes, so that other writes needn't wait for long.
struct HistoryTrimming {
    let connection: Connection

    /// What a trim requests, in terms of transactions.
    struct Extent {
        /// The last transaction that may be removed.
        let end: Int64
        /// Consumers before this position don't hold trimming back.
        let lost: Int64
    }

    /// Nil if there is nothing to remove. Only reads.
    func extent(of trim: HistoryTrim) throws -> Extent? {
        guard try connection.tableExists(HistoryTables.transactions),
            let newest = try number("SELECT max(Z_PK) FROM ATRANSACTION"),
            let oldest = try number("SELECT min(Z_PK) FROM ATRANSACTION"),
            let end = try [trim.through, expired(by: trim), surplus(over: trim.changeLimit)].compactMap(\.self).max()
        else { return nil }
        let extent = Extent(
            end: min(end, newest - 1),
            lost: try surplus(over: trim.consumerChangeLimit) ?? .min
        )
        return try min(extent.end, lastRead(by: trim, extent)) < oldest ? nil : extent
    }

    /// Removes as many of the oldest transactions as one write may. Returns their number, and whether there are more to
    /// remove.
    func remove(_ extent: Extent, by trim: HistoryTrim) throws -> (count: Int, hasMore: Bool) {
        // A consumer may have been registered since.
        let end = min(extent.end, try lastRead(by: trim, extent))
        let boundary = try number(
            """
            SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID <= \(value: .integer(end)) \
            ORDER BY ZTRANSACTIONID LIMIT 1 OFFSET \(value: .integer(Int64(trim.batchSize)))
            """
        )
        let limit = SQLValue.integer(boundary ?? end)
        guard let last = try number("SELECT max(Z_PK) FROM ATRANSACTION WHERE Z_PK <= \(value: limit)") else {
            return (0, false)
        }
        let count = try number("SELECT count(*) FROM ATRANSACTION WHERE Z_PK <= \(value: limit)")
        try connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= \(value: limit)")
        try connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK <= \(value: limit)")
        try connection.execute(
            """
            UPDATE ATRANSACTION SET Z_OPT = \(value: .integer(last)) \
            WHERE Z_PK = (SELECT min(Z_PK) FROM ATRANSACTION)
            """
        )
        return (Int(count ?? 0), boundary != nil)
    }

    private func number(_ query: SQL) throws -> Int64? {
        guard case .integer(let number)? = try connection.first(query, { $0.value(0) }) else { return nil }
        return number
    }

    /// The last transaction that all consumers have read, except those that the trim ignores.
    private func lastRead(by trim: HistoryTrim, _ extent: Extent) throws -> Int64 {
        let held = try consumers().filter { consumer in
            consumer.date >= trim.consumersBefore ?? .distantPast && consumer.position.transaction >= extent.lost
        }
        return held.map(\.position.transaction).min() ?? .max
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
        guard let limit, let first = try number("SELECT min(Z_PK) FROM ACHANGE"),
            let last = try number("SELECT max(Z_PK) FROM ACHANGE"), last - first >= limit
        else { return nil }
        return try number(
            "SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1 OFFSET \(value: .integer(Int64(max(limit, 0))))"
        )
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
