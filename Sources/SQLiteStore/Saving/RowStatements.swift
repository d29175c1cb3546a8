// SPDX-License-Identifier: Apache-2.0

// Caches the text of statements that write rows: building it takes longer than SQLite takes to run the statement.

import SQLiteDriver
import Synchronization

/// Builds each text once.
final class RowStatements: Sendable {
    private struct Shape: Hashable {
        let table: String
        let columns: [String]
        /// The number of inserted rows; zero for an update.
        let newRows: Int
    }

    private let texts = Mutex<[Shape: String]>([:])

    /// Limits the cache, since rows may be updated in many combinations of columns.
    private static let limit = 1_000

    /// `INSERT INTO ZBOOK (Z_PK, ZTITLE) VALUES (?, ?), (?, ?)`
    func insertion(into table: String, _ columns: [String], rows: Int) -> String {
        text(Shape(table: table, columns: columns, newRows: rows)) {
            let names = columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
            let values = columns.map { _ in "?" as SQL }.joined(separator: ", ")
            let all = Array(repeating: "(\(values))" as SQL, count: rows).joined(separator: ", ")
            return "INSERT INTO \(identifier: table) (\(names)) VALUES \(all)"
        }
    }

    /// `UPDATE ZBOOK SET ZTITLE = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?`
    func update(of table: String, _ columns: [String]) -> String {
        text(Shape(table: table, columns: columns, newRows: 0)) {
            let changes = columns.map { "\(identifier: $0) = ?" as SQL }.joined(separator: ", ")
            return "UPDATE \(identifier: table) SET \(changes) WHERE Z_PK = ? AND Z_OPT = ?"
        }
    }

    private func text(_ shape: Shape, _ make: () -> SQL) -> String {
        if let known = texts.withLock({ $0[shape] }) { return known }
        let text = make().text
        texts.withLock { texts in
            if texts.count >= Self.limit { texts = [:] }
            texts[shape] = text
        }
        return text
    }
}
