// SPDX-License-Identifier: Apache-2.0

// The tables of the history, which are Core Data's.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver
import Synchronization

/// Whether a store's history is kept, and whether its file has the tables.
struct StoreHistoryStatus {
    let isKept: Bool
    let hasTables: Bool

    /// - Parameter isForeign: Whether Core Data has made the file.
    init(_ mode: HistoryMode, hasTables: Bool, isForeign: Bool) {
        self.hasTables = hasTables
        isKept =
            switch mode {
            case .automatic: hasTables || !isForeign
            case .on: true
            case .off: false
            }
    }
}

/// The history of a store: how its tables are made and written.
///
/// 1. The tables are created with the first transaction. A store whose history isn't kept has none: they are removed
///    with its first write, since a history with gaps would mislead its readers.
/// 2. Transactions are numbered in commit order, by the greatest number in the table. The newest transaction is never
///    removed, so no number is assigned twice. `Z_MAX` in `Z_PRIMARYKEY` is always at least as great, so that Core Data
///    continues behind it.
/// 3. The first transaction of a process skips a random number of numbers. If a backup has replaced the file, a token
///    of the lost transactions therefore names none of those that are written then, and is refused.
/// 4. Only transactions with changes are inserted. A write that changes no objects is counted in `Z_OPT` of its process's
///    name, which Core Data leaves empty.
/// 5. `Z_OPT` of the oldest transaction is the number that it follows, where that isn't the one before its own: behind
///    that number nothing is missing. Core Data leaves it empty.
/// 6. Names of authors, contexts, programs and processes are stored once.
/// 7. What is kept in memory is changed only after the commit. After writes of other processes, the tables are made again
///    if they are missing: their history begins anew.
final class HistoryTables: Sendable {
    static let changes = "ACHANGE"
    static let transactions = "ATRANSACTION"
    static let strings = "ATRANSACTIONSTRING"
    static let consumers = "OUTCROPCONSUMER"

    static let changeEntity: Int64 = 16001
    static let transactionEntity: Int64 = 16002
    static let stringEntity: Int64 = 16003

    /// The program that writes `ZCOLUMNS` as `HistoryEntity` describes. That of other programs isn't known.
    static let program = "Outcrop"

    static let processPrefix = "outcrop-"

    let isKept: Bool
    /// Identifies the store's transactions among those of other processes.
    let process =
        "\(HistoryTables.processPrefix)\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))"
    /// By the index of the entity.
    private let entities: [HistoryEntity?]
    private let state: Mutex<State>

    private struct State {
        /// Whether the tables are as `isKept` requires.
        var isPrepared = false
        /// Whether another process may have removed the tables.
        var isInDoubt = false
        /// Whether a transaction was written since the file was opened.
        var hasBegun = false
        var hasTables: Bool
        var strings: [String: Int64] = [:]
        /// Up to which numbers `Z_MAX` is written.
        var reservedTransactions: Int64 = 0
        var reservedChanges: Int64 = 0
    }

    init(_ schema: StoreSchema, _ derivations: Derivations, _ status: StoreHistoryStatus) {
        isKept = status.isKept && schema.numbers.all.allSatisfy { $0 < StoredEntities.firstHistoryNumber }
        entities = schema.model.entities.map { HistoryEntity($0, in: schema, derivations) }
        state = Mutex(State(hasTables: status.hasTables))
    }

    subscript(entity: EntityDescription) -> HistoryEntity? { entities[entity.index] }

    /// The number of columns for preserved values.
    var tombstoneCount: Int { entities.lazy.compactMap { $0?.tombstones.count }.max() ?? 0 }

    /// Makes the next write check that the tables still exist, since a process that keeps no history removes them.
    func noteOtherWriters() { state.withLock { $0.isInDoubt = true } }

    /// Forgets what is known of a file that was replaced.
    func forgetFile() { state.withLock { $0 = State(hasTables: true) } }

    /// The numbers of strings that aren't kept in memory are looked up.
    private static let stringLimit = 1_000
    private static let greatestSkip: Int64 = 1 << 32
    private static let transactionRange: Int64 = 256
    private static let changeRange: Int64 = 4_096
}

// MARK: Creating

extension HistoryTables {
    /// Creates the tables if they are missing, or removes them if no history is kept.
    func prepare(_ connection: Connection) throws {
        if isKept, state.withLock({ $0.isInDoubt }) {
            let exists = try connection.tableExists(Self.transactions)
            state.withLock { state in
                if exists { state.isInDoubt = false } else { state = State(hasTables: false) }
            }
        }
        guard !state.withLock(\.isPrepared) else { return }
        if isKept {
            try create(connection)
        } else if state.withLock(\.hasTables) {
            try remove(connection)
        }
        connection.afterCommit { [self] in state.withLock { $0.isPrepared = true } }
    }

    private func create(_ connection: Connection) throws {
        if try !connection.tableExists(Self.transactions) {
            let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
            for statement in [
                """
                CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
                ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )
                """,
                """
                CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
                ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
                ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
                """,
                """
                CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )
                """,
                "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
                """
                CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)
                """,
            ] {
                try connection.execute(SQL(text: statement, bindings: []))
            }
        }
        // Core Data before iOS 12 wrote the names into the transactions.
        if try !connection.tableExists(Self.strings) {
            try connection.execute(
                "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )"
            )
            for name in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
                try add(name, "INTEGER", to: Self.transactions, connection)
            }
        }
        for place in 0..<tombstoneCount { try add("ZTOMBSTONE\(place)", "BLOB", to: Self.changes, connection) }
        for (number, name) in [
            (Self.changeEntity, "CHANGE"), (Self.transactionEntity, "TRANSACTION"),
            (Self.stringEntity, "TRANSACTIONSTRING"),
        ] {
            try connection.execute(
                """
                INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
                SELECT \(value: .integer(number)), \(value: .text(name)), 0, 0 \
                WHERE NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: .integer(number)))
                """
            )
        }
    }

    private func add(_ column: String, _ type: SQL, to table: String, _ connection: Connection) throws {
        let columns = try connection.rows("SELECT name FROM pragma_table_info(\(value: .text(table)))") { $0.string(0) }
        guard !columns.contains(column) else { return }
        try connection.execute("ALTER TABLE \(identifier: table) ADD COLUMN \(identifier: column) \(type)")
    }

    /// Removes the tables. Later transactions get greater numbers, so that no token is valid any more.
    private func remove(_ connection: Connection) throws {
        guard try connection.tableExists(Self.transactions) else { return }
        for (table, number) in [(Self.transactions, Self.transactionEntity), (Self.changes, Self.changeEntity)] {
            try connection.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = 1 + max(Z_MAX, (SELECT ifnull(max(Z_PK), 0) FROM \(identifier: table))) \
                WHERE Z_ENT = \(value: .integer(number))
                """
            )
        }
        for table in [Self.changes, Self.transactions, Self.strings, Self.consumers] {
            try connection.execute("DROP TABLE IF EXISTS \(identifier: table)")
        }
    }
}

// MARK: Transactions

extension HistoryTables {
    /// Counts a write that changes no objects, so that other processes know that it is one.
    func mark(_ connection: Connection) throws {
        guard isKept else { return }
        try prepare(connection)
        let process = try number(of: process, connection)
        try connection.execute(
            "UPDATE ATRANSACTIONSTRING SET Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = \(value: .integer(process))"
        )
    }

    /// Inserts a transaction, and returns its number.
    func insertTransaction(of origin: SaveOrigin, at date: Date, _ connection: Connection) throws -> Int64 {
        try prepare(connection)
        let author = try origin.author.map { try number(of: $0, connection) }
        let context = try origin.contextName.map { try number(of: $0, connection) }
        let program = try number(of: Self.program, connection)
        let process = try number(of: process, connection)
        let hasBegun = state.withLock(\.hasBegun)
        let skipped = hasBegun ? 0 : Int64.random(in: 1...Self.greatestSkip)
        let optional = { (number: Int64?) in number.map(SQLValue.integer) ?? .null }
        let values: [SQLValue] = [
            .integer(skipped), optional(author), .integer(program), optional(context), .integer(process),
            .real(date.timeIntervalSinceReferenceDate),
        ]
        try connection.execute(SQL(text: Self.insertion, bindings: values))
        if !hasBegun { connection.afterCommit { [self] in state.withLock { $0.hasBegun = true } } }
        return connection.lastInsertedRowID
    }

    private static let insertion = """
        INSERT INTO ATRANSACTION \
        (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (\
        1 + ? + ifnull((SELECT max(Z_PK) FROM ATRANSACTION), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002)), \
        16002, (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002 AND NOT EXISTS (SELECT 1 FROM ATRANSACTION)), \
        ?, ?, ?, ?, ?)
        """

    /// The number of a string, which is inserted if it is new.
    private func number(of string: String, _ connection: Connection) throws -> Int64 {
        if let known = state.withLock({ $0.strings[string] }) { return known }
        let query: SQL = "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(value: .text(string))"
        let number = try connection.first(query) { $0.int64(0) } ?? insert(string, connection)
        connection.afterCommit { [self] in
            state.withLock { state in
                if state.strings.count >= Self.stringLimit { state.strings = [:] }
                state.strings[string] = number
            }
        }
        return number
    }

    private func insert(_ string: String, _ connection: Connection) throws -> Int64 {
        try connection.execute("INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, \(value: .text(string)))")
        let number = connection.lastInsertedRowID
        try reserve(through: number, of: Self.stringEntity, connection)
        return number
    }

    /// Makes `Z_MAX` at least as great as the numbers of a transaction and its last change.
    func reserve(transaction: Int64, change: Int64, _ connection: Connection) throws {
        let (transactions, changes) = state.withLock { ($0.reservedTransactions, $0.reservedChanges) }
        if transaction > transactions {
            let end = transaction + Self.transactionRange
            try reserve(through: end, of: Self.transactionEntity, connection)
            connection.afterCommit { [self] in state.withLock { $0.reservedTransactions = end } }
        }
        if change > changes {
            let end = change + Self.changeRange
            try reserve(through: end, of: Self.changeEntity, connection)
            connection.afterCommit { [self] in state.withLock { $0.reservedChanges = end } }
        }
    }

    private func reserve(through number: Int64, of entity: Int64, _ connection: Connection) throws {
        try connection.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, \(value: .integer(number))) WHERE Z_ENT = \(value: .integer(entity))
            """
        )
    }
}
