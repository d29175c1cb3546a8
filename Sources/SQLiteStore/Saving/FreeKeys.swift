// SPDX-License-Identifier: Apache-2.0

// Keys that were skipped because objects have kept greater ones, in a table with a name that Core Data never uses.

import SQLiteDriver

/// The keys up to `Z_MAX` that no object has had.
///
/// 1. A key up to `Z_MAX` that isn't free was allocated or is reserved, and is never allocated again.
/// 2. Only an object that keeps its key uses a free key. The transaction that writes its row removes the key.
struct FreeKeys {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    private static let table = "OUTCROPFREEKEYS"

    /// Adds keys that aren't in the table yet.
    func add(_ keys: ClosedRange<Int64>, root: Int64) throws {
        if try !connection.tableExists(Self.table) {
            try connection.execute(
                """
                CREATE TABLE OUTCROPFREEKEYS (Z_ENT INTEGER NOT NULL, FIRST INTEGER NOT NULL, LAST INTEGER NOT NULL, \
                PRIMARY KEY (Z_ENT, FIRST)) WITHOUT ROWID
                """
            )
        }
        let root = SQLValue.integer(root)
        let last = SQLValue.integer(keys.upperBound)
        try connection.execute(
            """
            UPDATE OUTCROPFREEKEYS SET LAST = \(value: last) WHERE Z_ENT = \(value: root) \
            AND FIRST = (SELECT max(FIRST) FROM OUTCROPFREEKEYS WHERE Z_ENT = \(value: root)) \
            AND LAST = \(value: .integer(keys.lowerBound - 1))
            """
        )
        guard connection.changes == 0 else { return }
        try connection.execute(
            """
            INSERT INTO OUTCROPFREEKEYS (Z_ENT, FIRST, LAST) \
            VALUES (\(value: root), \(value: .integer(keys.lowerBound)), \(value: last))
            """
        )
    }

    func contains(_ key: Int64, root: Int64) throws -> Bool {
        try connection.tableExists(Self.table) && range(with: key, root) != nil
    }

    /// Removes keys, and returns false if one of them isn't free. The caller then rolls back what was done until then.
    func remove(_ keys: ClosedRange<Int64>, root: Int64) throws -> Bool {
        guard try connection.tableExists(Self.table) else { return false }
        var next = keys.lowerBound
        while next <= keys.upperBound {
            guard let range = try range(with: next, root) else { return false }
            let last = min(range.upperBound, keys.upperBound)
            try connection.execute(
                """
                DELETE FROM OUTCROPFREEKEYS WHERE Z_ENT = \(value: .integer(root)) \
                AND FIRST = \(value: .integer(range.lowerBound))
                """
            )
            if range.lowerBound < next { try insert(range.lowerBound...next - 1, root) }
            if last < range.upperBound { try insert(last + 1...range.upperBound, root) }
            next = last + 1
        }
        return true
    }

    private func range(with key: Int64, _ root: Int64) throws -> ClosedRange<Int64>? {
        let range = try connection.first(
            """
            SELECT FIRST, LAST FROM OUTCROPFREEKEYS \
            WHERE Z_ENT = \(value: .integer(root)) AND FIRST <= \(value: .integer(key)) ORDER BY FIRST DESC LIMIT 1
            """
        ) { $0.int64(0)...max($0.int64(0), $0.int64(1)) }
        return range.flatMap { $0.contains(key) ? $0 : nil }
    }

    private func insert(_ keys: ClosedRange<Int64>, _ root: Int64) throws {
        try connection.execute(
            """
            INSERT INTO OUTCROPFREEKEYS (Z_ENT, FIRST, LAST) VALUES (\(value: .integer(root)), \
            \(value: .integer(keys.lowerBound)), \(value: .integer(keys.upperBound)))
            """
        )
    }
}
