// SPDX-License-Identifier: Apache-2.0

// Writes rows into a full-text index in small batches.

import ObjectGraph
import SQLiteDriver

/// Writes the rows of an index and updates its counters.
struct SearchIndexing {
    private let index: SearchIndex
    private let connection: Connection
    private var objects: Int64 = 0
    private var words: Int64 = 0
    /// How many pages are to be merged for what has been written.
    private(set) var unmergedPages: Int64

    /// A row's current and indexed texts, empty if it doesn't exist or isn't indexed.
    private struct Entry {
        let key: Int64
        let texts: [[UInt8]]
        let indexed: [[UInt8]]

        var size: Int { (texts + indexed).reduce(0) { $0 + $1.count } }
    }

    init(_ index: SearchIndex, _ connection: Connection, unmergedPages: Int64 = 0) {
        self.index = index
        self.connection = connection
        self.unmergedPages = unmergedPages
    }

    private static let batchSize: Int64 = 500
    /// The maximum size of the texts in memory, not counting the last row.
    private static let batchBytes = 4 << 20
    /// A row's share of the merges: each level of segments writes it again. Rows that are written singly have a page
    /// each at first.
    private static let mergedPagesPerRow: Int64 = 3
    private static let bytesPerMergedPage: Int64 = 1024
    /// How many pages are merged at a time, and after the first write of a process, which may be its last. Fewer would
    /// leave pages incomplete; more would delay a save.
    static let mergeStep: Int64 = 24

    /// Indexes all rows of a table, for an empty index.
    mutating func indexAll() throws {
        var last = Int64.min
        while true {
            let entries = try entries(
                """
                SELECT t.Z_PK, \(index.columns(of: "t")) FROM \(identifier: index.table) AS t \
                WHERE t.Z_PK > \(value: .integer(last)) ORDER BY t.Z_PK LIMIT \(literal: .integer(Self.batchSize))
                """
            ) { _ in [] }
            guard let end = entries.last?.key else { break }
            for entry in entries { try write(entry) }
            try merge()
            last = end
        }
        try count()
    }

    /// Indexes the dirty rows again.
    mutating func indexDirty() throws {
        while true {
            let entries = try entries(
                """
                SELECT d.Z_PK, \(index.columns(of: "t")), \(index.columns(of: "s")) FROM OUTCROPSEARCH_DIRTY AS d \
                LEFT JOIN \(identifier: index.table) AS t ON t.Z_PK = d.Z_PK \
                LEFT JOIN \(identifier: index.name) AS s ON s.rowid = d.Z_PK \
                WHERE d.Z_ENT = \(value: .integer(index.number)) ORDER BY d.Z_PK \
                LIMIT \(literal: .integer(Self.batchSize))
                """
            ) { indexed($0) }
            guard let end = entries.last?.key else { break }
            for entry in entries { try write(entry) }
            try merge()
            try connection.execute(
                """
                DELETE FROM OUTCROPSEARCH_DIRTY \
                WHERE Z_ENT = \(value: .integer(index.number)) AND Z_PK <= \(value: .integer(end))
                """
            )
        }
        try count()
    }

    /// The next rows of a query, up to `batchBytes`.
    private func entries(_ query: SQL, indexed: (Statement) -> [[UInt8]]) throws -> [Entry] {
        var entries: [Entry] = []
        var size = 0
        let statement = try connection.prepare(query)
        while size < Self.batchBytes, try statement.step() {
            let entry = Entry(key: statement.int64(0), texts: folded(statement), indexed: indexed(statement))
            size += entry.size
            entries.append(entry)
        }
        statement.reset()
        return entries
    }

    private mutating func write(_ entry: Entry) throws {
        let old = entry.indexed.wordCount
        let new = entry.texts.wordCount
        if old == 0 && new == 0 || old > 0 && entry.indexed == entry.texts { return }
        if old > 0 {
            try connection.execute(
                "DELETE FROM \(identifier: index.name) WHERE rowid = \(value: .integer(entry.key))"
            )
        }
        if new > 0 {
            let texts = entry.texts.map { "\(value: .text(String(decoding: $0, as: UTF8.self)))" as SQL }
            let columns = index.columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
            try connection.execute(
                """
                INSERT INTO \(identifier: index.name) (rowid, \(columns)) \
                VALUES (\(value: .integer(entry.key)), \(texts.joined(separator: ", ")))
                """
            )
        }
        objects += (new > 0 ? 1 : 0) - (old > 0 ? 1 : 0)
        words += new - old
        unmergedPages += Self.mergedPagesPerRow + Int64(entry.size) / Self.bytesPerMergedPage
    }

    private mutating func merge() throws {
        guard unmergedPages >= Self.mergeStep else { return }
        try connection.execute(index.merging(pages: unmergedPages))
        unmergedPages = 0
    }

    private mutating func count() throws {
        guard objects != 0 || words != 0 else { return }
        try connection.execute(
            """
            UPDATE OUTCROPSEARCH SET OBJECTS = OBJECTS + \(value: .integer(objects)), \
            WORDS = WORDS + \(value: .integer(words)) WHERE Z_ENT = \(value: .integer(index.number))
            """
        )
        objects = 0
        words = 0
    }

    private func folded(_ row: Statement) -> [[UInt8]] {
        index.columns.indices.map { place in
            let column = Int32(place + 1)
            return row.isNull(column) ? [] : SearchWords.folded(row.string(column))
        }
    }

    private func indexed(_ row: Statement) -> [[UInt8]] {
        index.columns.indices.map { place in
            let column = Int32(index.columns.count + place + 1)
            return row.isNull(column) ? [] : Array(row.string(column).utf8)
        }
    }
}

extension [[UInt8]] {
    /// The number of words in folded texts.
    var wordCount: Int64 {
        reduce(0) { sum, text in text.isEmpty ? sum : sum + 1 + Int64(text.count { $0 == SearchWords.space }) }
    }
}
