// SPDX-License-Identifier: Apache-2.0

// Keys for new rows, given out in memory from ranges that are reserved in the file.

import SQLiteDriver
import Synchronization

/// Gives out primary keys.
///
/// 1. `Z_MAX` of a root entity is the greatest key that was ever reserved: no key is given twice, whatever becomes of the save or
///    of the process.
/// 2. Ranges are reserved by a write of their own, larger ones for those who need many; what is left of one when the store is
///    closed is a gap.
final class KeyAllocator: Sendable {
    private let database: Database
    private let ranges = Mutex<[Int64: Reserved]>([:])

    /// What is left of a range, and how large it was.
    private struct Reserved {
        var left: Range<Int64>
        let size: Int64
    }

    private static let smallestRange: Int64 = 64
    private static let largestRange: Int64 = 65536

    init(_ database: Database) {
        self.database = database
    }

    /// As many keys in a row.
    ///
    /// - Parameter root: The number of the root entity.
    func keys(_ count: Int, root: Int64) throws -> Range<Int64> {
        try ranges.withLock { ranges in
            if let known = ranges[root], known.left.count >= count {
                ranges[root]?.left = known.left.dropFirst(count)
                return known.left.prefix(count)
            }
            let doubled = min(2 * (ranges[root]?.size ?? 0), Self.largestRange)
            let size = max(Int64(count), doubled, Self.smallestRange)
            let end = try database.write { connection in try Self.reserve(size, root, connection) }
            let reserved = (end - size + 1)..<(end + 1)
            ranges[root] = Reserved(left: reserved.dropFirst(count), size: size)
            return reserved.prefix(count)
        }
    }

    private static func reserve(_ size: Int64, _ root: Int64, _ connection: Connection) throws -> Int64 {
        let end = try connection.first(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(value: .integer(size)) WHERE Z_ENT = \(value: .integer(root)) \
            RETURNING Z_MAX
            """
        ) { $0.int64(0) }
        guard let end, end >= size, end < .max else { throw StoreError.noPrimaryKey(root) }
        return end
    }
}
