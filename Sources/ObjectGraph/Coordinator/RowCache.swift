// SPDX-License-Identifier: Apache-2.0

// The rows that all contexts of a coordinator share, for stores that don't keep theirs in memory.

import Synchronization

/// Caches the rows last read from stores or written to them.
///
/// 1. An entry is the row as the latest save wrote it, or as it was read while no save changed it.
/// 2. What a save writes is cached before the save is acknowledged, and before any other context is notified of it.
/// 3. A row that a save changed during its read isn't cached.
/// 4. Rows are stored and returned as whole immutable snapshots: none is ever torn.
/// 5. Entries use about `limit` bytes at most. The least recently used ones are evicted first, half of all at a time.
/// 6. Changes recorded during reads use limited memory: beyond it, running reads cache nothing.
/// 7. A row of which only the ID is known to have changed is evicted and read again.
final class RowCache: Sendable {
    fileprivate struct Entry {
        var snapshot: Snapshot
        var readAt: ContinuousClock.Instant
        let cost: Int
    }

    fileprivate struct State {
        /// Recently used entries; the others are in `older` until they are evicted or used again.
        var recent: [ManagedObjectID: Entry] = [:]
        var older: [ManagedObjectID: Entry] = [:]
        var recentCost = 0
        var olderCost = 0
        var hits = 0
        var misses = 0
        /// Incremented by each recorded change.
        var time: UInt64 = 0
        /// The number of running reads, and the changes of saves during them.
        var readers = 0
        var changed: [ManagedObjectID: UInt64] = [:]
        /// The time of the last mass change: reads that began before it cache nothing.
        var dropped: UInt64 = 0
    }

    fileprivate static let changeLimit = 10_000

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The number of bytes for rows; zero caches none.
    init(limit: Int) {
        self.limit = limit
    }

    /// The rows of some objects; rows that aren't cached are read by the closure and cached.
    ///
    /// - Parameter staleness: How old cached rows may be; nil for any age.
    func rows<Failure: Error>(
        of objects: [ManagedObjectID],
        staleness: Duration?,
        reading read: ([ManagedObjectID]) throws(Failure) -> [Snapshot?]
    ) throws(Failure) -> [Snapshot?] {
        var rows = known(objects, staleness)
        let missing = rows.indices.filter { rows[$0] == nil }
        guard !missing.isEmpty else { return rows }
        let found = try reading { () throws(Failure) in
            let found = try read(missing.map { objects[$0] })
            return (found, found.compactMap(\.self))
        }
        for (place, row) in zip(missing, found) { rows[place] = row }
        return rows
    }

    /// The row of an object if it is cached, or nil.
    func row(of objectID: ManagedObjectID) -> Snapshot? {
        state.withLock { state in
            let entry = state.use(objectID, limit)
            if entry != nil { state.hits += 1 }
            return entry?.snapshot
        }
    }

    /// Runs a closure that reads rows, and caches those that no save has changed meanwhile.
    func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> (result: Result, rows: [Snapshot])
    ) throws(Failure) -> Result {
        let start = state.withLock { state in
            state.readers += 1
            return state.time
        }
        do {
            var (result, rows) = try body()
            endReading(&rows, since: start)
            return result
        } catch {
            state.withLock { $0.endReading() }
            throw error
        }
    }

    /// Caches the rows that a save has written, and evicts other changed rows.
    func record(_ changes: SavedChanges) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.time += 1
            var ranges: [ObjectIDRange] = []
            for change in changes.list {
                switch change {
                case .inserted(let row), .updated(_, let row), .recomputed(let row):
                    state.mark(row.objectID)
                    state.insert(entry(row, now), limit)
                case .deleted(let row): state.drop(row.objectID)
                case .row(let objectID, _): state.drop(objectID)
                case .rows(_, .inserted), .members, .unknownStore: break
                case .rows(let range, _): ranges.append(range)
                }
            }
            state.remove(ranges)
        }
    }

    /// Evicts rows that turned out to be outdated.
    func forget(_ objects: some Sequence<ManagedObjectID>) {
        var changes = SavedChanges()
        changes.add(objects, as: .updated)
        record(changes)
    }

    /// Evicts everything, if it is unknown what has changed.
    func removeAll() {
        state.withLock { state in
            state.time += 1
            state.dropped = state.time
            state.recent = [:]
            state.older = [:]
            state.changed = [:]
            state.recentCost = 0
            state.olderCost = 0
        }
    }

    var statistics: RowCacheStatistics {
        state.withLock { state in
            var statistics = RowCacheStatistics()
            statistics.hits = state.hits
            statistics.misses = state.misses
            statistics.rows = state.recent.count + state.older.count
            statistics.bytes = state.recentCost + state.olderCost
            return statistics
        }
    }

    private func known(_ objects: [ManagedObjectID], _ staleness: Duration?) -> [Snapshot?] {
        let oldest = staleness.map { ContinuousClock.now - $0 }
        return state.withLock { state in
            let rows = objects.map { objectID -> Snapshot? in
                guard let entry = state.use(objectID, limit) else { return nil }
                if let oldest, entry.readAt <= oldest { return nil }
                return entry.snapshot
            }
            let hits = rows.count { $0 != nil }
            state.hits += hits
            state.misses += rows.count - hits
            return rows
        }
    }

    /// Caches the rows read. Replaced rows are moved into `rows`, so that they are freed outside of the lock.
    private func endReading(_ rows: inout [Snapshot], since start: UInt64) {
        let now = ContinuousClock.now
        state.withLock { state in
            defer { state.endReading() }
            guard state.dropped <= start else { return }
            for place in rows.indices {
                if !state.changed.isEmpty, state.changed[rows[place].objectID, default: 0] > start { continue }
                if state.renew(&rows[place], now) { continue }
                state.insert(entry(rows[place], now), limit)
            }
        }
    }

    private func entry(_ snapshot: Snapshot, _ now: ContinuousClock.Instant) -> Entry {
        Entry(snapshot: snapshot, readAt: now, cost: snapshot.approximateSize)
    }
}

extension RowCache.State {
    /// Evicts the rows of ranges, one by one if these are fewer than the cached rows.
    fileprivate mutating func remove(_ ranges: [ObjectIDRange]) {
        guard !ranges.isEmpty else { return }
        guard ranges.reduce(0, { $0 + $1.references.count }) > recent.count + older.count else {
            for objectID in ranges.joined() { drop(objectID) }
            return
        }
        dropped = time
        let index = ObjectIDRangeIndex(ranges)
        for objectID in recent.keys.filter(index.contains) + older.keys.filter(index.contains) { remove(objectID) }
    }

    /// Evicts a changed row. Batches name many, most of which aren't cached.
    fileprivate mutating func drop(_ objectID: ManagedObjectID) {
        guard readers > 0 || !recent.isEmpty || !older.isEmpty else { return }
        mark(objectID)
        remove(objectID)
    }

    /// Records that a row was changed, if a running read may have read it before.
    fileprivate mutating func mark(_ objectID: ManagedObjectID) {
        guard readers > 0 else { return }
        changed[objectID] = time
        guard changed.count > RowCache.changeLimit else { return }
        changed = [:]
        dropped = time
    }

    fileprivate mutating func endReading() {
        readers -= 1
        if readers == 0 { changed = [:] }
    }

    fileprivate mutating func use(_ objectID: ManagedObjectID, _ limit: Int) -> RowCache.Entry? {
        if let entry = recent[objectID] { return entry }
        guard let entry = older[objectID] else { return nil }
        insert(entry, limit)
        return entry
    }

    /// Replaces a cached row by a newly read one of the same version, which has the same size. This is the common case
    /// when paging.
    fileprivate mutating func renew(_ snapshot: inout Snapshot, _ now: ContinuousClock.Instant) -> Bool {
        guard let place = recent.index(forKey: snapshot.objectID),
            recent.values[place].snapshot.version == snapshot.version
        else { return false }
        swap(&recent.values[place].snapshot, &snapshot)
        recent.values[place].readAt = now
        return true
    }

    fileprivate mutating func insert(_ entry: RowCache.Entry, _ limit: Int) {
        let objectID = entry.snapshot.objectID
        guard entry.cost <= limit / 2 else { return remove(objectID) }
        if !older.isEmpty, let former = older.removeValue(forKey: objectID) { olderCost -= former.cost }
        if recentCost + entry.cost > limit / 2 { remove(objectID) }
        if recentCost + entry.cost > limit / 2 {
            older = recent
            olderCost = recentCost
            recent = [:]
            recentCost = 0
        }
        if let former = recent.updateValue(entry, forKey: objectID) { recentCost -= former.cost }
        recentCost += entry.cost
    }

    fileprivate mutating func remove(_ objectID: ManagedObjectID) {
        if let entry = recent.removeValue(forKey: objectID) { recentCost -= entry.cost }
        if let entry = older.removeValue(forKey: objectID) { olderCost -= entry.cost }
    }
}
