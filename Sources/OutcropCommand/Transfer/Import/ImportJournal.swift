// SPDX-License-Identifier: Apache-2.0

// The state of an import, on disk rather than in memory.

import Files
import FoundationEssentials
import JSON
import SQLiteDriver

/// The journal of one import. Each table has one purpose:
///
/// | table | has |
/// | --- | --- |
/// | `import` | the key of the import's requests, and what was found out about its target and its input |
/// | `chunk` | the end of the last saved chunk, and that of a chunk that was sent and not answered |
/// | `name` | the object of each `_id` |
/// | `made` | the references of new objects: `--link-existing`, perhaps of a repetition, is for older ones |
/// | `early` | the rows that were saved before their turn, since others needed them |
/// | `later` | the relationships to be set when all objects are saved |
/// | `ahead`, `aheadname` | the rows of the input, and their names |
///
/// 1. A chunk's end is written before the chunk is sent, and everything else about it when the answer is known.
/// 2. A chunk without an answer is sent again as it was: what it is made of depends on the input and the journal alone.
final class ImportJournal {
    /// An object that is in the store.
    struct Known {
        let reference: String
        /// The number of its row.
        let row: Int64
    }

    /// A relationship to later rows.
    struct DeferredReference {
        var number: Int64 = 0
        let reference: String
        let property: String
        let value: JSONValue
        let row: ImportRow
        /// The part of the reference that names the object's entity.
        var entityPath: String { String(reference.prefix { $0 != "/" }) }
    }

    /// What a saved chunk adds.
    struct Entries {
        var names: [(name: String, known: Known)] = []
        var made: [String] = []
        var early: [Int64] = []
        var later: [DeferredReference] = []
    }

    /// A unique key of this import, which differs from that of another import of the same content.
    let key: String
    private let connection: Connection
    /// Whether rows have references as names, as in an export; nil if the rows aren't indexed.
    private(set) var comesFromStore: Bool?
    var isIndexed: Bool { comesFromStore != nil }

    /// Opens or creates a journal.
    init(_ path: String) throws {
        connection = try Connection(path: path, access: .create)
        try connection.set("journal_mode", to: "WAL")
        // The store keeps the answers under the import's key, which must outlive a power failure as they do.
        try connection.set("synchronous", to: "FULL")
        let tables: [SQL] = [
            "import (key TEXT, wasEmpty INTEGER, comesFromStore INTEGER)",
            "chunk (position INTEGER PRIMARY KEY, isSaved INTEGER)",
            "name (name TEXT PRIMARY KEY, reference TEXT, line INTEGER) WITHOUT ROWID",
            "made (reference TEXT PRIMARY KEY) WITHOUT ROWID",
            "early (number INTEGER PRIMARY KEY)",
            """
            later (number INTEGER PRIMARY KEY AUTOINCREMENT, reference TEXT, property TEXT, value TEXT, line INTEGER, \
            file TEXT, place INTEGER)
            """,
            "ahead (number INTEGER PRIMARY KEY, file TEXT, line INTEGER, text BLOB)",
            "aheadname (name TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID",
        ]
        for table in tables { try connection.execute("CREATE TABLE IF NOT EXISTS \(table)") }
        let known = try connection.first("SELECT key, comesFromStore FROM import") { row in
            (key: row.string(0), comesFromStore: row.isNull(1) ? nil : row.int64(1) != 0)
        }
        key = known?.key ?? UUID().uuidString
        comesFromStore = known?.comesFromStore
        if known == nil { try connection.execute("INSERT INTO import (key) VALUES (\(value: .text(key)))") }
    }

    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileSystem.remove(path + suffix) }
    }

    // MARK: Target

    /// Whether the target had no objects when the import began; nil if unknown.
    var wasEmpty: Bool? {
        get throws {
            try connection.first("SELECT wasEmpty FROM import WHERE wasEmpty IS NOT NULL") { $0.int64(0) != 0 }
        }
    }

    func setWasEmpty(_ wasEmpty: Bool) throws {
        try connection.execute("UPDATE import SET wasEmpty = \(value: .integer(wasEmpty ? 1 : 0))")
    }

    // MARK: Chunks

    /// The end of the last saved chunk.
    var position: Int64 {
        get throws { try connection.first("SELECT position FROM chunk WHERE isSaved") { $0.int64(0) } ?? 0 }
    }

    /// The end of a chunk that may have been saved without an answer.
    var sent: Int64? {
        get throws { try connection.first("SELECT position FROM chunk WHERE NOT isSaved") { $0.int64(0) } }
    }

    /// Records that a chunk is being sent and may be saved from now on.
    func recordSent(_ position: Int64) throws {
        try connection.transaction {
            try forgetSent()
            try connection.execute("INSERT INTO chunk VALUES (\(value: .integer(position)), 0)")
        }
    }

    /// Removes a sent chunk that isn't saved.
    func forgetSent() throws { try connection.execute("DELETE FROM chunk WHERE NOT isSaved") }

    /// Records a saved chunk.
    func noteSaved(_ position: Int64, _ entries: Entries = Entries()) throws {
        try connection.transaction {
            try connection.execute("DELETE FROM chunk")
            try connection.execute("INSERT INTO chunk VALUES (\(value: .integer(position)), 1)")
            for (name, known) in entries.names {
                try connection.execute(
                    """
                    INSERT OR REPLACE INTO name VALUES (\(value: .text(name)), \(value: .text(known.reference)), \
                    \(value: .integer(known.row)))
                    """
                )
            }
            for reference in entries.made {
                try connection.execute("INSERT OR IGNORE INTO made VALUES (\(value: .text(reference)))")
            }
            for row in entries.early { try connection.execute("INSERT INTO early VALUES (\(value: .integer(row)))") }
            for item in entries.later {
                try connection.execute(
                    """
                    INSERT INTO later (reference, property, value, line, file, place) VALUES \
                    (\(value: .text(item.reference)), \(value: .text(item.property)), \
                    \(value: .text(item.value.serialized())), \(value: .integer(item.row.number)), \
                    \(value: .text(item.row.file)), \(value: .integer(Int64(item.row.line))))
                    """
                )
            }
        }
    }

    // MARK: Objects

    func known(_ name: String) throws -> Known? {
        try connection.first("SELECT reference, line FROM name WHERE name = \(value: .text(name))") {
            Known(reference: $0.string(0), row: $0.int64(1))
        }
    }

    /// Whether this import has created an object with one of the references.
    func hasCreated(_ references: [String]) throws -> Bool {
        try references.contains { reference in
            try connection.first("SELECT 1 FROM made WHERE reference = \(value: .text(reference))") { _ in true }
                ?? false
        }
    }

    /// Whether a row was saved before its turn.
    func isEarly(_ row: Int64) throws -> Bool {
        try connection.first("SELECT 1 FROM early WHERE number = \(value: .integer(row))") { _ in true } ?? false
    }

    /// The next relationships to be set.
    func later(behind number: Int64, limit: Int) throws -> [DeferredReference] {
        try connection.rows(
            """
            SELECT number, reference, property, value, line, file, place FROM later \
            WHERE number > \(value: .integer(number)) ORDER BY number LIMIT \(value: .integer(Int64(limit)))
            """
        ) { row in
            DeferredReference(
                number: row.int64(0),
                reference: row.string(1),
                property: row.string(2),
                value: try JSONValue(parsing: row.string(3)),
                row: ImportRow(number: row.int64(4), file: row.string(5), line: Int(row.int64(6)), bytes: [])
            )
        }
    }

    // MARK: Rows of the input

    /// Records the names of all rows, so that rows can be found before their turn.
    ///
    /// - Parameter next: The next row with names, and whether one of these is a reference.
    func index(_ next: () throws -> (row: ImportRow, names: [String], hasReference: Bool)?) throws {
        var isExport = false
        try connection.transaction {
            while let next = try next() {
                isExport = isExport || next.hasReference
                let number = SQLValue.integer(next.row.number)
                try connection.execute(
                    """
                    INSERT INTO ahead VALUES (\(value: number), \(value: .text(next.row.file)), \
                    \(value: .integer(Int64(next.row.line))), \(value: .blob(next.row.bytes)))
                    """
                )
                for name in next.names {
                    try connection.execute(
                        "INSERT OR IGNORE INTO aheadname VALUES (\(value: .text(name)), \(value: number))"
                    )
                }
            }
            try connection.execute("UPDATE import SET comesFromStore = \(value: .integer(isExport ? 1 : 0))")
        }
        comesFromStore = isExport
    }

    /// The first row with a name. The rows must have been indexed.
    func row(named name: String) throws -> ImportRow? {
        try connection.first(
            """
            SELECT ahead.number, file, line, text FROM aheadname JOIN ahead ON ahead.number = aheadname.number \
            WHERE name = \(value: .text(name))
            """
        ) { ImportRow(number: $0.int64(0), file: $0.string(1), line: Int($0.int64(2)), bytes: $0.bytes(3)) }
    }
}
