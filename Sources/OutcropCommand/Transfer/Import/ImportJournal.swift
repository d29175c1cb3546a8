// SPDX-License-Identifier: Apache-2.0

// The state of an import, on disk rather than in memory: the object of each name, the relationships to be set later,
// and the rows that are needed early.

import Files
import FoundationEssentials
import JSON
import SQLiteDriver

/// The journal of one import.
///
/// 1. The entries of a chunk are written before the chunk is saved, with the position that the import then has.
/// 2. After a crash, entries beyond the store's position are removed, and their chunk is imported again.
final class ImportJournal {
    /// An object that is in the store.
    struct Known {
        let reference: String
        /// The number of its row.
        let row: Int64
    }

    /// A relationship to later rows.
    struct DeferredReference {
        let number: Int64
        let reference: String
        let property: String
        let entity: String
        let value: JSONValue
        let row: Int64
        let file: String
        let line: Int
    }

    private let connection: Connection
    private(set) var hasAhead = false
    /// Whether objects are found by their references.
    private var isIndexed = false

    /// Opens or creates a journal.
    init(_ path: String, fingerprint: String) throws {
        connection = try Connection(path: path, access: .create)
        try connection.set("journal_mode", to: "WAL")
        try connection.set("synchronous", to: "NORMAL")
        let statements: [SQL] = [
            "CREATE TABLE IF NOT EXISTS import (fingerprint TEXT PRIMARY KEY, position INTEGER, key TEXT)",
            """
            CREATE TABLE IF NOT EXISTS known (name TEXT PRIMARY KEY, reference TEXT, line INTEGER, position INTEGER) \
            WITHOUT ROWID
            """,
            """
            CREATE TABLE IF NOT EXISTS later (number INTEGER PRIMARY KEY AUTOINCREMENT, reference TEXT, property TEXT, \
            entity TEXT, value TEXT, line INTEGER, file TEXT, place INTEGER, position INTEGER)
            """,
            "CREATE TABLE IF NOT EXISTS target (wasEmpty INTEGER)",
            "CREATE TABLE IF NOT EXISTS sent (position INTEGER PRIMARY KEY)",
            "CREATE TABLE IF NOT EXISTS asked (target TEXT PRIMARY KEY, reference TEXT, position INTEGER) WITHOUT ROWID",
            "CREATE TABLE IF NOT EXISTS ahead (number INTEGER PRIMARY KEY, file TEXT, line INTEGER, text BLOB)",
            "CREATE TABLE IF NOT EXISTS aheadname (name TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID",
        ]
        for statement in statements { try connection.execute(statement) }
        let own = SQLValue.text(fingerprint)
        try connection.execute(
            """
            INSERT OR IGNORE INTO import (fingerprint, position, key) \
            VALUES (\(value: own), 0, \(value: .text(UUID().uuidString)))
            """
        )
    }

    static func exists(_ path: String) -> Bool { FileSystem.exists(path) }

    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileSystem.remove(path + suffix) }
    }

    /// The position of the import according to the journal.
    var position: Int64 {
        get throws { try connection.first("SELECT position FROM import") { $0.int64(0) } ?? 0 }
    }

    /// A unique key of this import, which differs from that of another import of the same content.
    var key: String {
        get throws { try connection.first("SELECT key FROM import") { $0.string(0) } ?? "" }
    }

    /// Whether the target had no objects when the import began; nil if unknown.
    var wasEmpty: Bool? {
        get throws { try connection.first("SELECT wasEmpty FROM target") { $0.int64(0) != 0 } }
    }

    func setWasEmpty(_ wasEmpty: Bool) throws {
        try connection.execute("INSERT INTO target VALUES (\(value: .integer(wasEmpty ? 1 : 0)))")
    }

    func setPosition(_ position: Int64) throws {
        try connection.execute("UPDATE import SET position = \(value: .integer(position))")
    }

    /// Removes the entries of chunks that the store doesn't have.
    func forget(behind position: Int64) throws {
        try connection.transaction {
            try connection.execute("DELETE FROM known WHERE position > \(value: .integer(position))")
            try connection.execute("DELETE FROM later WHERE position > \(value: .integer(position))")
            // The index of later rows is rebuilt when needed.
            try connection.execute("DELETE FROM ahead")
            try connection.execute("DELETE FROM aheadname")
        }
    }

    // MARK: Objects

    func known(_ name: String) throws -> Known? {
        try connection.first("SELECT reference, line FROM known WHERE name = \(value: .text(name))") {
            Known(reference: $0.string(0), row: $0.int64(1))
        }
    }

    /// Whether this import has created an object with one of the references.
    func hasCreated(_ references: [String]) throws -> Bool {
        if !isIndexed { try connection.execute("CREATE INDEX IF NOT EXISTS knownreference ON known (reference)") }
        isIndexed = true
        return try references.contains { reference in
            try connection.first("SELECT 1 FROM known WHERE reference = \(value: .text(reference))") { _ in true }
                ?? false
        }
    }

    /// Records the objects and the relationships of a chunk.
    func note(
        _ known: [(name: String, reference: String, row: Int64)],
        _ later: [DeferredReference],
        position: Int64
    ) throws {
        try connection.transaction {
            let at = SQLValue.integer(position)
            // A repeated chunk replaces its former entries.
            try connection.execute("DELETE FROM later WHERE position = \(value: at)")
            for (name, reference, row) in known {
                try connection.execute(
                    """
                    INSERT OR REPLACE INTO known VALUES \
                    (\(value: .text(name)), \(value: .text(reference)), \(value: .integer(row)), \(value: at))
                    """
                )
            }
            for item in later {
                let value = SQLValue.text(item.value.serialized())
                try connection.execute(
                    """
                    INSERT INTO later (reference, property, entity, value, line, file, place, position) VALUES \
                    (\(value: .text(item.reference)), \(value: .text(item.property)), \(value: .text(item.entity)), \
                    \(value: value), \(value: .integer(item.row)), \(value: .text(item.file)), \
                    \(value: .integer(Int64(item.line))), \(value: at))
                    """
                )
            }
        }
    }

    /// The next relationships to be set.
    func later(behind number: Int64, limit: Int) throws -> [DeferredReference] {
        try connection.rows(
            """
            SELECT number, reference, property, entity, value, line, file, place FROM later \
            WHERE number > \(value: .integer(number)) ORDER BY number LIMIT \(value: .integer(Int64(limit)))
            """
        ) { row in
            DeferredReference(
                number: row.int64(0),
                reference: row.string(1),
                property: row.string(2),
                entity: row.string(3),
                value: try JSONValue(parsing: row.string(4)),
                row: row.int64(5),
                file: row.string(6),
                line: Int(row.int64(7))
            )
        }
    }

    // MARK: Sent chunks

    /// Records that a chunk is being sent to the server, which may have it from now on.
    func recordSent(_ position: Int64) throws {
        try connection.transaction {
            try connection.execute("DELETE FROM sent")
            try connection.execute("INSERT INTO sent VALUES (\(value: .integer(position)))")
        }
    }

    /// The end of a chunk that the server may have without having confirmed it.
    func sent(behind position: Int64) throws -> Int64? {
        try connection.first("SELECT position FROM sent WHERE position > \(value: .integer(position))") { $0.int64(0) }
    }

    /// Removes a chunk that the server doesn't have, and its lookups.
    func forgetSent() throws {
        try connection.execute("DELETE FROM sent")
        try connection.execute("DELETE FROM asked")
    }

    // MARK: Lookups

    /// Records the lookups for a chunk and their results, replacing those for others.
    func recordAsked(_ asked: [String: String], position: Int64) throws {
        try connection.transaction {
            try connection.execute("DELETE FROM asked")
            for (target, reference) in asked {
                try connection.execute(
                    """
                    INSERT INTO asked VALUES \
                    (\(value: .text(target)), \(value: .text(reference)), \(value: .integer(position)))
                    """
                )
            }
        }
    }

    /// The lookups for the chunk after a position.
    func asked(behind position: Int64) throws -> [String: String] {
        let query: SQL = "SELECT target, reference FROM asked WHERE position > \(value: .integer(position))"
        let rows = try connection.rows(query) { (target: $0.string(0), reference: $0.string(1)) }
        return Dictionary(rows.map { ($0.target, $0.reference) }) { first, _ in first }
    }

    // MARK: Later rows

    /// Records the positions and names of all rows, so that later ones can be read early.
    func recordAhead(_ rows: () throws -> (row: ImportRow, names: [String])?) throws {
        try connection.transaction {
            while let (row, names) = try rows() {
                guard !names.isEmpty else { continue }
                try connection.execute(
                    """
                    INSERT OR REPLACE INTO ahead VALUES (\(value: .integer(row.number)), \(value: .text(row.file)), \
                    \(value: .integer(Int64(row.line))), \(value: .blob(row.bytes)))
                    """
                )
                for name in names {
                    try connection.execute(
                        """
                        INSERT OR IGNORE INTO aheadname VALUES (\(value: .text(name)), \(value: .integer(row.number)))
                        """
                    )
                }
            }
        }
        hasAhead = true
    }

    /// The first row with a name.
    func ahead(_ name: String) throws -> ImportRow? {
        try connection.first(
            """
            SELECT ahead.number, file, line, text FROM aheadname JOIN ahead ON ahead.number = aheadname.number \
            WHERE name = \(value: .text(name))
            """
        ) { ImportRow(number: $0.int64(0), file: $0.string(1), line: Int($0.int64(2)), bytes: $0.bytes(3)) }
    }
}
