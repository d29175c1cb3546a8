// SPDX-License-Identifier: Apache-2.0

// Reads transactions of the history.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Reads the history within a read transaction. Entities, names and encodings that aren't known are read as far as
/// possible: a change of an unknown entity is omitted, and the properties of other programs' updates are unknown.
struct HistoryReader {
    private let tables: StoreTables
    private let connection: Connection
    private let hasStrings: Bool
    private let tombstoneCount: Int
    private let exists: Bool

    init(_ reader: StoreReader) throws {
        tables = reader.tables
        connection = reader.connection
        exists = try connection.tableExists(HistoryTables.transactions)
        hasStrings = try exists && connection.tableExists(HistoryTables.strings)
        let columns =
            exists ? try connection.rows("SELECT name FROM pragma_table_info('ACHANGE')") { $0.string(0) } : []
        tombstoneCount = columns.count { $0.hasPrefix("ZTOMBSTONE") }
    }

    /// The last transaction's number; before the first one, the number that it follows.
    func end() throws -> Int64 {
        let last = exists ? try connection.first("SELECT max(Z_PK) FROM ATRANSACTION") { $0.value(0) } : nil
        if case .integer(let number)? = last { return number }
        return try connection.first("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") { $0.int64(0) } ?? 0
    }

    /// The number behind which the history is complete: that of the last transaction that it doesn't have any more.
    private func beginning() throws -> Int64 {
        let oldest: SQL = "SELECT ifnull(Z_OPT, Z_PK - 1) FROM ATRANSACTION ORDER BY Z_PK LIMIT 1"
        let number = exists ? try connection.first(oldest) { $0.int64(0) } : nil
        return try number ?? end()
    }

    /// How many writes without changes other processes than the named one have made.
    func marks(ofOtherThan process: String) throws -> Int64 {
        guard hasStrings else { return 0 }
        return try connection.first(
            """
            SELECT ifnull(sum(Z_OPT), 0) FROM ATRANSACTIONSTRING \
            WHERE ZNAME GLOB \(literal: .text(HistoryTables.processPrefix + "*")) AND ZNAME <> \(value: .text(process))
            """
        ) { $0.int64(0) } ?? 0
    }

    /// Whether another process than the named one has written a transaction after a position.
    func hasTransaction(after position: HistoryToken.Position, ofOtherThan process: String) throws -> Bool {
        guard exists else { return false }
        return try connection.first(
            """
            SELECT 1 FROM ATRANSACTION AS t WHERE t.Z_PK > \(value: .integer(position.transaction)) \
            AND \(string("PROCESSID")) IS NOT \(value: .text(process)) LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Throws if the history doesn't have everything after a position, or has never had the position.
    func check(_ position: HistoryToken.Position) throws {
        let beginning = try beginning()
        guard position.transaction >= beginning else { throw GraphError.historyTrimmed }
        guard position.transaction > beginning || position.change != nil else { return }
        let number = SQLValue.integer(position.transaction)
        let query: SQL =
            position.change.map { change in
                """
                SELECT 1 FROM ACHANGE WHERE Z_PK = \(value: .integer(change)) AND ZTRANSACTIONID - 1 = \(value: number)
                """
            } ?? "SELECT 1 FROM ATRANSACTION WHERE Z_PK = \(value: number)"
        guard exists, try connection.first(query, { _ in true }) != nil else { throw GraphError.historyReplaced }
    }

    func result(of request: StoreHistoryRequest) throws -> StoreHistoryResult {
        if let position = request.position { try check(position) }
        let end = HistoryToken.Position(transaction: try end())
        guard exists, request.limit > 0 else {
            let position = request.position ?? end
            return StoreHistoryResult(transactions: [], position: position, hasMore: position < end)
        }
        var collected = CollectedTransactions(request)
        let statement = try connection.prepare(query(request))
        while try statement.step() {
            let number = statement.int64(Column.transaction)
            if collected.begins(number) {
                guard collected.hasRoomForTransaction else {
                    try statement.finish()
                    return collected.part(isLastComplete: true)
                }
                collected.append(transaction(number, statement))
            }
            guard collected.hasRoomForChange else {
                try statement.finish()
                return collected.part(isLastComplete: false)
            }
            collected.append(change(statement), number: statement.int64(Column.change))
        }
        return collected.whole(end: end)
    }
}

extension HistoryReader {
    /// The latest changes of an object. Finds them from the newest on.
    func latestChanges(of objectID: ManagedObjectID, limit: Int) throws -> [HistoryChange] {
        guard exists else { return [] }
        var request = StoreHistoryRequest(after: nil)
        request.filter.object = objectID
        let newest: SQL =
            "\(query(request, order: "c.ZTRANSACTIONID DESC, c.Z_PK DESC")) LIMIT \(value: .integer(Int64(limit)))"
        return try connection.rows(newest) { change($0) }.compactMap(\.self)
    }
}

// MARK: Statements

extension HistoryReader {
    private enum Column {
        static let transaction: Int32 = 0
        static let timestamp: Int32 = 1
        static let author: Int32 = 2
        static let program: Int32 = 3
        static let context: Int32 = 4
        static let process: Int32 = 5
        static let change: Int32 = 6
        static let kind: Int32 = 7
        static let entity: Int32 = 8
        static let key: Int32 = 9
        static let columns: Int32 = 10
        static let tombstones: Int32 = 11
    }

    /// A row for each change, in order. The index of changes by transaction also has their order.
    private func query(_ request: StoreHistoryRequest, order: SQL = "c.ZTRANSACTIONID, c.Z_PK") -> SQL {
        let tombstones = (0..<tombstoneCount).map { ", c.\(identifier: "ZTOMBSTONE\($0)")" as SQL }.joined()
        let filter = condition(request).joined(separator: " AND ")
        return """
            SELECT t.Z_PK, t.ZTIMESTAMP, \(string("AUTHOR")), \(string("BUNDLEID")), \(string("CONTEXTNAME")), \
            \(string("PROCESSID")), c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS\(tombstones) \
            FROM ACHANGE AS c CROSS JOIN ATRANSACTION AS t ON t.Z_PK = c.ZTRANSACTIONID WHERE \(filter) \
            ORDER BY \(order)
            """
    }

    /// A name, which is in the transaction's own column or among the strings.
    private func string(_ name: String) -> SQL {
        let own: SQL = "t.\(identifier: "Z" + name)"
        guard hasStrings else { return own }
        return
            "ifnull(\(own), (SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(identifier: "Z\(name)TS")))"
    }

    private func condition(_ request: StoreHistoryRequest) -> [SQL] {
        let filter = request.filter
        let position = request.position ?? .start
        var conditions: [SQL] = ["c.ZTRANSACTIONID > \(value: .integer(position.transaction))"]
        if let change = position.change { conditions.append("c.Z_PK > \(value: .integer(change))") }
        if let entities = filter.entities {
            let kinds = entities.flatMap { tables.model.kinds(of: $0) }.map { tables.schema.numbers[$0] }
            conditions.append("c.ZENTITY IN \(SQL.numbers(kinds))")
        }
        if let object = filter.object {
            let kinds = tables.model.entities[object.entity.rootIndex].kinds.map { tables.model.entities[$0] }
            conditions.append("c.ZENTITY IN \(SQL.numbers(kinds.map { tables.schema.numbers[$0] }))")
            conditions.append("c.ZENTITYPK = \(value: tables.key(of: object).map(SQLValue.integer) ?? .null)")
        }
        if let kinds = filter.kinds {
            conditions.append("c.ZCHANGETYPE IN \(SQL.numbers(kinds.map { Int64($0.rawValue) }.sorted()))")
        }
        if let author = filter.author { conditions.append("\(string("AUTHOR")) = \(value: .text(author))") }
        for (date, comparison) in [(filter.since, ">=" as SQL), (filter.before, "<")] {
            guard let date else { continue }
            conditions.append("t.ZTIMESTAMP \(comparison) \(value: .real(date.timeIntervalSinceReferenceDate))")
        }
        return conditions
    }

    private func transaction(_ number: Int64, _ row: Statement) -> HistoryTransaction {
        func text(_ column: Int32) -> String? { row.isNull(column) ? nil : row.string(column) }
        return HistoryTransaction(
            store: tables.identifier,
            number: number,
            timestamp: Date(timeIntervalSinceReferenceDate: row.double(Column.timestamp)),
            author: text(Column.author),
            contextName: text(Column.context),
            processID: text(Column.process),
            bundleID: text(Column.program)
        )
    }

    /// Nil for an object of an unknown entity.
    private func change(_ row: Statement) -> HistoryChange? {
        guard let kind = HistoryChange.Kind(rawValue: Int(row.int64(Column.kind))),
            let entity = tables.schema.numbers.entity(row.int64(Column.entity))
        else { return nil }
        let described = tables.history?[entity]
        var properties: [String]? = []
        if kind == .update {
            let isOwn = row.string(Column.program) == HistoryTables.program && !row.isNull(Column.columns)
            properties = isOwn ? described?.names(of: HistoryColumns(bytes: row.bytes(Column.columns))) : nil
        }
        var tombstone: [String: Value] = [:]
        if kind == .delete {
            for (place, preserved) in (described?.tombstones ?? []).prefix(tombstoneCount).enumerated() {
                let value = preserved.encoding.value(row, Column.tombstones + Int32(place))
                if value != .null { tombstone[preserved.attribute.name] = value }
            }
        }
        return HistoryChange(
            number: row.int64(Column.change),
            objectID: ManagedObjectID(
                entity: entity,
                store: tables.identifier,
                reference: .integer(row.int64(Column.key))
            ),
            kind: kind,
            properties: properties,
            tombstone: tombstone
        )
    }
}

/// The transactions of a result as they are read.
private struct CollectedTransactions {
    private let limit: Int
    private let changeLimit: Int
    private var transactions: [HistoryTransaction] = []
    private var changeCount = 0
    /// The last change that was read.
    private var last: HistoryToken.Position

    init(_ request: StoreHistoryRequest) {
        limit = request.limit
        changeLimit = max(request.changeLimit, 1)
        last = request.position ?? .start
    }

    var hasRoomForTransaction: Bool { transactions.count < limit }
    var hasRoomForChange: Bool { changeCount < changeLimit }

    func begins(_ number: Int64) -> Bool { transactions.last?.number != number }

    mutating func append(_ transaction: HistoryTransaction) { transactions.append(transaction) }

    mutating func append(_ change: HistoryChange?, number: Int64) {
        guard let transaction = transactions.last else { return }
        last = HistoryToken.Position(transaction: transaction.number - 1, change: number)
        guard let change else { return }
        changeCount += 1
        transactions[transactions.count - 1].changes.append(change)
    }

    /// The result if everything was read.
    func whole(end: HistoryToken.Position) -> StoreHistoryResult {
        StoreHistoryResult(transactions: transactions.filter { !$0.changes.isEmpty }, position: end, hasMore: false)
    }

    /// The result if a limit was reached.
    ///
    /// - Parameter isLastComplete: Whether all changes of the last transaction were read.
    func part(isLastComplete: Bool) -> StoreHistoryResult {
        var transactions = transactions
        var end = last
        if let number = transactions.last?.number {
            if isLastComplete {
                end = HistoryToken.Position(transaction: number)
            } else if last.transaction < number - 1 {
                // Nothing of the last transaction was read.
                end = HistoryToken.Position(transaction: last.transaction + (last.change == nil ? 0 : 1))
            } else {
                transactions[transactions.count - 1].isPartial = true
            }
        }
        transactions.removeAll(where: \.changes.isEmpty)
        return StoreHistoryResult(transactions: transactions, position: end, hasMore: true)
    }
}
