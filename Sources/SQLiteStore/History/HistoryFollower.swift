// SPDX-License-Identifier: Apache-2.0

// Finds out from the history what other processes have written.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver
import Synchronization

/// Follows the history of a store that other processes write.
///
/// 1. The transactions of other processes are returned once, in order. Those of this process are known already.
/// 2. A write that changes no objects, such as reserving keys, is counted (`HistoryTables.mark`). If others have written
///    and neither left a transaction nor counted, they keep no history, and any row may have changed.
final class HistoryFollower: Sendable {
    private let tables: StoreTables
    // Weak, because the file is closed with the store.
    private weak let database: Database?
    private let seen = Mutex<Seen?>(nil)

    /// What was there at the last call, or nil if it couldn't be read.
    private struct Seen {
        /// The end of the history.
        let end: HistoryToken.Position
        /// The number of others' writes without changes.
        let marks: Int64
    }

    /// The number of changes from which reading everything again is cheaper.
    private static let changeLimit = 20_000

    init(_ tables: StoreTables, _ database: Database) {
        self.tables = tables
        self.database = database
        let now = (try? reading { [tables] in try Self.seen(by: HistoryReader($0), tables.history) }) ?? nil
        seen.withLock { $0 = now }
    }

    /// What others have written since the last call; nil if they have changed no objects.
    func writesOfOthers() -> OtherWrites? {
        tables.history?.noteOtherWriters()
        return seen.withLock { seen in
            do {
                let found = try reading { [tables, seen] store in
                    try Self.writes(since: seen, in: tables.history, store)
                }
                guard let found else { return nil }
                seen = found.now
                return found.writes
            } catch {
                seen = nil
                return .unknown
            }
        }
    }

    private static func seen(by reader: HistoryReader, _ history: HistoryTables?) throws -> Seen {
        Seen(
            end: HistoryToken.Position(transaction: try reader.end()),
            marks: try history.map { try reader.marks(ofOtherThan: $0.process) } ?? 0
        )
    }

    private static func writes(
        since former: Seen?,
        in history: HistoryTables?,
        _ store: StoreReader
    ) throws -> (now: Seen, writes: OtherWrites?) {
        let reader = try HistoryReader(store)
        let now = try seen(by: reader, history)
        guard let former, let history, history.isKept else { return (now, .unknown) }
        let request = StoreHistoryRequest(after: former.end, limit: changeLimit, changeLimit: changeLimit)
        guard let result = try? reader.result(of: request), !result.hasMore,
            try now.marks != former.marks || reader.hasTransaction(after: former.end, ofOtherThan: history.process)
        else { return (now, .unknown) }
        let others = result.transactions.filter { $0.processID != history.process }
        return (now, others.isEmpty ? nil : .transactions(others))
    }

    private func reading<Result: Sendable>(_ body: @Sendable (StoreReader) throws -> Result) throws -> Result? {
        try database?.read { [tables] connection in
            try connection.transaction { try body(StoreReader(connection: connection, tables: tables)) }
        }
    }
}
