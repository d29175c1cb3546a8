// SPDX-License-Identifier: Apache-2.0

// Allocates keys for new rows in memory, from ranges that are reserved in the file.

import SQLiteDriver
import Synchronization

/// Allocates primary keys.
///
/// 1. `Z_MAX` of a root entity is the greatest key that was ever reserved: no key is allocated twice, even if a save
///    fails or the process ends.
/// 2. Ranges are reserved by separate writes, and grow with demand. The rest of a range is lost
///    when the store is closed.
/// 3. Waiting for a reservation doesn't block the allocation of keys that are available, not even for the transaction
///    that the reservation waits for: several threads may reserve at once, and the largest rest is kept.
final class KeyAllocator: Sendable {
    private let database: Database
    private let history: HistoryTables?
    private let roots = Mutex<[Int64: Root]>([:])

    private final class Root: Sendable {
        let reserved = Mutex(Reserved(left: 0..<0, size: 0))
    }

    /// The rest of a range, and the size of the range.
    private struct Reserved {
        var left: Range<Int64>
        var size: Int64
    }

    private static let smallestRange: Int64 = 64
    private static let largestRange: Int64 = 65536

    init(_ database: Database, _ history: HistoryTables?) {
        self.database = database
        self.history = history
    }

    /// Allocates consecutive keys.
    ///
    /// - Parameter root: The number of the root entity.
    func keys(_ count: Int, root: Int64) throws -> Range<Int64> {
        let known = roots.withLock { roots in
            let known = roots[root] ?? Root()
            roots[root] = known
            return known
        }
        func allocate(_ reserved: inout Reserved) -> Range<Int64>? {
            guard reserved.left.count >= count else { return nil }
            defer { reserved.left = reserved.left.dropFirst(count) }
            return reserved.left.prefix(count)
        }
        let (taken, former) = known.reserved.withLock { (allocate(&$0), $0.size) }
        if let taken { return taken }
        let size = max(Int64(count), min(2 * former, Self.largestRange), Self.smallestRange)
        let end = try database.writeWithinLimits { [history] connection in
            try history?.mark(connection)
            return try Self.reserve(size, root, connection)
        }
        var own = Reserved(left: (end - size + 1)..<(end + 1), size: size)
        let keys = allocate(&own) ?? own.left
        known.reserved.withLock { if $0.left.count < own.left.count { $0 = own } }
        return keys
    }

    /// Gives up the rest of a range and returns it.
    func releaseUnused(root: Int64) -> ClosedRange<Int64>? {
        guard let known = roots.withLock({ $0[root] }) else { return nil }
        return known.reserved.withLock { reserved in
            guard !reserved.left.isEmpty else { return nil }
            defer { reserved.left = reserved.left.suffix(0) }
            return ClosedRange(reserved.left)
        }
    }

    /// The greatest key reserved here for each root.
    func end() -> [Int64: Int64] {
        roots.withLock { $0.mapValues { $0.reserved.withLock { $0.left.upperBound - 1 } } }
    }

    /// Raises the greatest keys in a file that has replaced another, so that keys of the former file aren't reused.
    func begin(after end: [Int64: Int64]) throws {
        try database.write { connection in
            for (root, key) in end {
                try connection.execute(
                    """
                    UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(Z_MAX, \(value: .integer(key))) \
                    WHERE Z_ENT = \(value: .integer(root))
                    """
                )
            }
        }
        roots.withLock { $0 = [:] }
    }

    private static func reserve(_ size: Int64, _ root: Int64, _ connection: Connection) throws -> Int64 {
        let end = try connection.first(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(value: .integer(size)) WHERE Z_ENT = \(value: .integer(root)) \
            AND typeof(Z_MAX) = 'integer' RETURNING Z_MAX
            """
        ) { $0.int64(0) }
        guard let end, end >= size, end < .max else { throw StoreError.noKeys(root) }
        return end
    }
}
