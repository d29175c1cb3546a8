// SPDX-License-Identifier: Apache-2.0

// Checks the full-text indexes against the rows that they index.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    /// Ignores rows that are marked as dirty: they will be indexed again in any case.
    func searchFlaws() throws -> [StoreFlaw] {
        try tables.search.all.compactMap { index in
            guard tables.search.isMade(index), try connection.tableExists(index.name) else { return nil }
            let (keys, isMiscounted) = try differences(index)
            guard !keys.isEmpty || isMiscounted else { return nil }
            let finding = StoreFinding(
                severity: .warning,
                code: .searchIndex,
                entity: schema.tables.first { $0.name == index.table }?.root.name,
                property: nil,
                message: keys.isEmpty
                    ? "The search index has wrong counts of words."
                    : "\(keys.count.objects("has", "have")) words that differ from the search index.",
                count: max(keys.count, 1),
                keys: Array(keys.prefix(StoreFlaw.keyLimit)),
                repair: "rebuilds the index"
            )
            return StoreFlaw(finding: finding) { try index.make(connection) }
        }
    }

    /// The keys of rows that are indexed wrongly, and whether the index's counters are wrong.
    private func differences(_ index: SearchIndex) throws -> (keys: [Int64], isMiscounted: Bool) {
        var keys: [Int64] = []
        let width = Int32(index.columns.count)
        let noted: SQL = """
            (SELECT d.Z_PK FROM OUTCROPSEARCH_DIRTY AS d WHERE d.Z_ENT = \(literal: .integer(index.number)))
            """
        try connection.run(
            """
            SELECT t.Z_PK, \(index.columns(of: "t")), \(index.columns(of: "s")) FROM \(identifier: index.table) AS t \
            LEFT JOIN \(identifier: index.name) AS s ON s.rowid = t.Z_PK WHERE t.Z_PK NOT IN \(noted) ORDER BY t.Z_PK
            """
        ) { row in
            let isSame = (1...width).allSatisfy { column in
                let folded = row.isNull(column) ? [] : SearchWords.folded(row.string(column))
                let indexed = row.isNull(column + width) ? "" : row.string(column + width)
                return folded.elementsEqual(indexed.utf8)
            }
            if !isSame { keys.append(row.int64(0)) }
        }
        var objects: Int64 = 0
        var words: Int64 = 0
        try connection.run(
            """
            SELECT s.rowid, \(index.columns(of: "s")), t.Z_PK IS NULL AND s.rowid NOT IN \(noted) \
            FROM \(identifier: index.name) AS s LEFT JOIN \(identifier: index.table) AS t ON t.Z_PK = s.rowid
            """
        ) { row in
            if row.int64(width + 1) != 0 { keys.append(row.int64(0)) }
            objects += 1
            words += (1...width).map { Array(row.string($0).utf8) }.wordCount
        }
        let counted = try connection.first(
            "SELECT OBJECTS, WORDS FROM OUTCROPSEARCH WHERE Z_ENT = \(value: .integer(index.number))"
        ) { ($0.int64(0), $0.int64(1)) }
        return (keys, counted.map { $0 != (objects, words) } ?? true)
    }
}
