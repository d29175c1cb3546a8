// SPDX-License-Identifier: Apache-2.0

// The keys of a batch's rows in a compact form.

import ObjectGraph
import SQLiteDriver

/// Keys of one table's rows with the numbers of their entities. Each key is added once.
struct KeyRanges {
    private struct Range {
        var keys: ClosedRange<Int64>
        let number: Int64
    }

    private var ranges: [Range] = []
    private var isAscending = true
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func add(_ key: Int64, _ number: Int64) {
        count += 1
        append(Range(keys: key...key, number: number))
    }

    private init(_ keys: ClosedRange<Int64>, _ number: Int64) {
        ranges = [Range(keys: keys, number: number)]
        count = keys.count
    }

    init() {}

    private mutating func append(_ range: Range) {
        let place = ranges.count - 1
        if place >= 0 {
            let last = ranges[place]
            if last.keys.upperBound == range.keys.lowerBound - 1, last.number == range.number {
                ranges[place].keys = last.keys.lowerBound...range.keys.upperBound
                return
            }
            if last.keys.upperBound > range.keys.lowerBound { isAscending = false }
        }
        ranges.append(range)
    }

    var keys: [Int64] { ranges.flatMap { Array($0.keys) } }

    /// The keys as ranges of IDs, ascending, for the hierarchy of a root entity.
    func objectIDs(_ root: EntityDescription, _ tables: StoreTables) -> [ObjectIDRange] {
        guard isAscending else { return sorted.objectIDs(root, tables) }
        return ranges.map { range in
            let entity = tables.schema.numbers.entity(range.number).flatMap { $0.isKind(of: root) ? $0 : nil }
            return ObjectIDRange(entity: entity ?? root, store: tables.identifier, references: range.keys)
        }
    }

    /// All rows of a table as one range; nil if their keys have gaps, or they may be of several entities. SQLite answers
    /// this without reading rows.
    static func dense(_ table: EntityTable, _ schema: StoreSchema, _ connection: Connection) throws -> KeyRanges? {
        guard !table.hasSubentities else { return nil }
        let name: SQL = "\(identifier: table.name)"
        let query: SQL = """
            SELECT (SELECT count(*) FROM \(name)), (SELECT min(Z_PK) FROM \(name)), (SELECT max(Z_PK) FROM \(name))
            """
        return try connection.first(query) { row in
            let (count, first, last) = (row.int64(0), row.int64(1), row.int64(2))
            guard count > 0, last - first == count - 1 else { return nil }
            return KeyRanges(first...last, schema.numbers[table.root])
        } ?? nil
    }

    private var sorted: KeyRanges {
        var sorted = KeyRanges()
        for range in ranges.sorted(by: { $0.keys.lowerBound < $1.keys.lowerBound }) { sorted.append(range) }
        return sorted
    }
}
