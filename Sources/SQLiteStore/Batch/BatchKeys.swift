// SPDX-License-Identifier: Apache-2.0

// Keys for the new rows of a batch, which nobody else asks for meanwhile.

import SQLiteDriver

/// Gives out primary keys within a transaction, above all those that were ever reserved.
final class BatchKeys {
    private let connection: Connection
    /// The greatest key of each root entity, and whether the file has it.
    private var last: [Int64: (key: Int64, isWritten: Bool)] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    func next(root: Int64) throws -> Int64 {
        let (key, isBeyond) = try (last[root]?.key ?? stored(root)).addingReportingOverflow(1)
        guard !isBeyond, key > 0, key < .max else { throw StoreError.noKeys(root) }
        last[root] = (key, false)
        return key
    }

    /// Notes in the file what was given out.
    func write() throws {
        for (root, entry) in last.sorted(by: { $0.key < $1.key }) where !entry.isWritten {
            try connection.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = \(value: .integer(entry.key)) WHERE Z_ENT = \(value: .integer(root))
                """
            )
            last[root]?.isWritten = true
        }
    }

    private func stored(_ root: Int64) throws -> Int64 {
        let query: SQL = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: .integer(root))"
        let stored = try connection.first(query) { $0.value(0) }
        guard case .integer(let key)? = stored else { throw StoreError.noKeys(root) }
        return key
    }
}
