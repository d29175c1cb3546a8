// SPDX-License-Identifier: Apache-2.0

// Counts and logs the calls to a store.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// The counters and logs of a store.
final class StoreActivity: Sendable {
    private struct Logs {
        var sql = SQLLog.off
        var slow: SlowStatementLog?
    }

    private let counts = Mutex(StoreStatistics())
    private let logs = Mutex(Logs())
    private let isLogging = Atomic(false)

    var statistics: StoreStatistics { counts.withLock { $0 } }

    var log: SQLLog { logs.withLock { $0.sql } }

    var slowStatementLog: SlowStatementLog? { logs.withLock { $0.slow } }

    func setLog(_ log: SQLLog, of database: Database) {
        logs.withLock { logs in
            logs.sql = log
            isLogging.store(log.level > 0, ordering: .relaxed)
            Self.trace(database, for: logs)
        }
    }

    func setSlowStatementLog(_ log: SlowStatementLog?, of database: Database) {
        logs.withLock { logs in
            logs.slow = log
            Self.trace(database, for: logs)
        }
    }

    private static func trace(_ database: Database, for logs: Logs) {
        let sql = logs.sql.level > 0 ? logs.sql : nil
        let slow = logs.slow
        guard sql != nil || slow != nil else {
            database.tracer = nil
            return
        }
        let threshold = sql == nil ? slow?.threshold ?? .zero : .zero
        database.trace((sql?.details ?? []).union(slow?.details ?? []), from: threshold) { event in
            sql?.log(event)
            slow?.log(event)
        }
    }

    func fetch(_ body: () throws -> StoreFetchResult) throws -> StoreFetchResult {
        let (result, time) = try timed(body)
        counts.withLock { $0.fetches.add(objects: result.rowCount, in: time) }
        logged { $0.logFetch(result, in: time) }
        return result
    }

    func page(_ body: () throws -> RowPage) throws -> RowPage {
        let (page, time) = try timed(body)
        counts.withLock { $0.fetches.add(objects: page.count, in: time) }
        logged { $0.logFetch(rowCount: page.count, in: time) }
        return page
    }

    func faults(_ objects: [ManagedObjectID], _ body: () throws -> [Snapshot?]) throws -> [Snapshot?] {
        let (snapshots, time) = try timed(body)
        counts.withLock { $0.faults.add(objects: objects.count, in: time) }
        logged { $0.logFaults(objects, snapshots) }
        return snapshots
    }

    func members(
        of relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        _ body: () throws -> [[ManagedObjectID]]
    ) throws -> [[ManagedObjectID]] {
        let (members, time) = try timed(body)
        counts.withLock { $0.relationshipFaults.add(objects: owners.count, in: time) }
        logged { $0.logMembers(of: relationship, owners, count: members.reduce(0) { $0 + $1.count }) }
        return members
    }

    func related(
        along relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        _ body: () throws -> RelatedRows
    ) throws -> RelatedRows {
        let (related, time) = try timed(body)
        counts.withLock { $0.relationshipFaults.add(objects: owners.count, in: time) }
        logged { $0.logPrefetch(of: relationship, ownerCount: owners.count, rowCount: related.rows.count) }
        return related
    }

    func relatedPage(
        along relationship: RelationshipDescription,
        ownerCount: Int,
        _ body: () throws -> RelatedPage?
    ) throws -> RelatedPage? {
        let (related, time) = try timed(body)
        guard let related else { return nil }
        counts.withLock { $0.relationshipFaults.add(objects: ownerCount, in: time) }
        logged { $0.logPrefetch(of: relationship, ownerCount: ownerCount, rowCount: related.rows.count) }
        return related
    }

    func save(_ request: StoreSaveRequest, _ body: () throws -> StoreSaveResult) throws -> StoreSaveResult {
        let (result, time) = try timed(body)
        counts.withLock { $0.add(request, result, in: time) }
        logged { $0.logSave(request, result, in: time) }
        return result
    }

    func batch(_ body: () throws -> StoreBatchResult) throws -> StoreBatchResult {
        let (result, time) = try timed(body)
        counts.withLock { $0.batches.add(objects: result.count, in: time) }
        logged { $0.logBatch(result, in: time) }
        return result
    }

    private func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Duration) {
        let start = ContinuousClock.now
        let result = try body()
        return (result, ContinuousClock.now - start)
    }

    private func logged(_ body: (SQLLog) -> Void) {
        if isLogging.load(ordering: .relaxed) { body(log) }
    }
}

extension StoreStatistics {
    fileprivate mutating func add(_ request: StoreSaveRequest, _ result: StoreSaveResult, in time: Duration) {
        guard case .saved = result else {
            conflicts += 1
            return
        }
        insertedObjects += request.insertions.count
        updatedObjects += request.updates.count
        deletedObjects += request.deletions.count
        saves.add(
            objects: request.insertions.count + request.updates.count + request.deletions.count,
            in: time
        )
    }
}
