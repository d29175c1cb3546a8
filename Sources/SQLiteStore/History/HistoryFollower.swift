// SPDX-License-Identifier: Apache-2.0

// Finds out from the history what other processes have written.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver
import Synchronization

/// Follows the history of a store that other processes write.
///
/// 1. The transactions of other processes are returned once, in order. Those of this process are known already.
/// 2. A write that changes no objects, such as reserving keys, leaves an empty transaction (`HistoryTables.mark`). If
///    others have written without leaving a transaction, they keep no history, and any row may have changed.
final class HistoryFollower: Sendable {
    private let tables: StoreTables
    // Weak, because the file is closed with the store.
    private weak let database: Database?
    /// The end of the history at the last call, or nil if it couldn't be read.
    private let position = Mutex<HistoryToken.Position?>(nil)

    /// The number of changes from which reading everything again is cheaper.
    private static let changeLimit = 20_000

    init(_ tables: StoreTables, _ database: Database) {
        self.tables = tables
        self.database = database
        let end = (try? reading { try HistoryReader($0).end() }) ?? nil
        position.withLock { $0 = end.map { HistoryToken.Position(transaction: $0) } }
    }

    /// What others have written since the last call; nil if they have changed no objects.
    func writesOfOthers() -> OtherWrites? {
        position.withLock { position in
            do {
                let found = try reading { [tables, position] store in
                    try Self.writes(since: position, in: tables.history, store)
                }
                guard let found else { return nil }
                position = found.end
                return found.writes
            } catch {
                position = nil
                return .unknown
            }
        }
    }

    private static func writes(
        since former: HistoryToken.Position?,
        in history: HistoryTables?,
        _ store: StoreReader
    ) throws -> (end: HistoryToken.Position, writes: OtherWrites?) {
        let reader = try HistoryReader(store)
        let end = HistoryToken.Position(transaction: try reader.end())
        guard let former, let history, history.isKept else { return (end, .unknown) }
        let request = StoreHistoryRequest(after: former, limit: changeLimit, changeLimit: changeLimit)
        guard let result = try? reader.result(of: request), !result.hasMore,
            try reader.hasTransaction(after: former, ofOtherThan: history.process)
        else { return (end, .unknown) }
        let others = result.transactions.filter { $0.processID != history.process }
        return (end, others.isEmpty ? nil : .transactions(others))
    }

    private func reading<Result: Sendable>(_ body: @Sendable (StoreReader) throws -> Result) throws -> Result? {
        try database?.read { [tables] connection in
            try connection.transaction { try body(StoreReader(connection: connection, tables: tables)) }
        }
    }
}
