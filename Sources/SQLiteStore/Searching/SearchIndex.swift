// SPDX-License-Identifier: Apache-2.0

// The full-text index of a table: its names and definition.

import ObjectGraph
import SQLiteDriver

/// The index over the searchable attributes of an entity hierarchy.
///
/// 1. `OUTCROPSEARCH_ZPOST_TEXTS` is an FTS5 table with a row for each row of `ZPOST` that has searchable words. It has
///    the same key, and for each searchable column the words as `SearchWords` folds them, separated by spaces. Its
///    tokenizer splits at spaces only, so it can't differ from the evaluation in memory.
/// 2. Triggers on `ZPOST` record in `OUTCROPSEARCH_DIRTY` the keys of rows that are inserted, deleted or changed in
///    their texts, for all writers. They call no functions that other programs lack.
/// 3. Dirty rows are indexed in the transaction that writes them if the writer is this store, or else before the next
///    search that may write. While rows are dirty, searches don't use the index.
/// 4. FTS5 never merges the segments of an index by itself, which would delay a save for long, except if there are very
///    many. `SearchIndexing` merges them in small steps, in proportion to what it writes.
/// 5. `OUTCROPSEARCH` has a row for each index: its fingerprint, and the numbers of its rows and their words.
struct SearchIndex: Hashable, Sendable {
    /// The number of the root entity.
    let number: Int64
    /// The indexed table and its searchable columns.
    let table: String
    let columns: [String]

    /// The suffix keeps the name distinct from those of FTS5's shadow tables, whatever the entities' names.
    var name: String { "OUTCROPSEARCH_\(table)_TEXTS" }

    /// Identifies the definition of the index; an index with another fingerprint isn't used.
    var fingerprint: String { (["3", table] + columns).joined(separator: " ") }

    /// The index's columns, qualified with an alias.
    func columns(of alias: SQL) -> SQL {
        columns.map { "\(alias).\(identifier: $0)" as SQL }.joined(separator: ", ")
    }

    static let registry = "OUTCROPSEARCH"
    static let dirty = "OUTCROPSEARCH_DIRTY"

    static let bookkeeping: [SQL] = [
        """
        CREATE TABLE IF NOT EXISTS OUTCROPSEARCH (Z_ENT INTEGER PRIMARY KEY, NAME VARCHAR, FINGERPRINT VARCHAR, \
        OBJECTS INTEGER, WORDS INTEGER)
        """,
        """
        CREATE TABLE IF NOT EXISTS OUTCROPSEARCH_DIRTY (Z_ENT INTEGER, Z_PK INTEGER, PRIMARY KEY (Z_ENT, Z_PK)) \
        WITHOUT ROWID
        """,
    ]

    /// The triggers and their names. They use no conflict clauses, since the outer statement's would override them.
    var triggers: [(name: String, definition: SQL)] {
        func note(_ row: SQL) -> SQL {
            """
            INSERT INTO OUTCROPSEARCH_DIRTY SELECT \(literal: .integer(number)), \(row).Z_PK WHERE NOT EXISTS \
            (SELECT 1 FROM OUTCROPSEARCH_DIRTY WHERE Z_ENT = \(literal: .integer(number)) AND Z_PK = \(row).Z_PK);
            """
        }
        func trigger(_ event: String, _ condition: SQL, _ body: SQL) -> (String, SQL) {
            let name = "OUTCROPSEARCH_\(table)_\(event)"
            return (
                name,
                "CREATE TRIGGER \(identifier: name) AFTER \(condition) ON \(identifier: table) BEGIN \(body) END"
            )
        }
        let marked = (columns + ["Z_PK"]).map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
        return [
            trigger("INSERT", "INSERT", note("NEW")),
            trigger("UPDATE", "UPDATE OF \(marked)", note("OLD") + " " + note("NEW")),
            trigger("DELETE", "DELETE", note("OLD")),
        ]
    }

    var definition: SQL {
        """
        CREATE VIRTUAL TABLE \(identifier: name) USING fts5(\
        \(columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")), tokenize='ascii', columnsize=0)
        """
    }

    /// Sets the options that FTS5 stores with the index: see 4.
    var settings: [SQL] {
        let settings: KeyValuePairs<String, Int64> = ["automerge": 0, "usermerge": 8, "crisismerge": 512]
        return settings.map { command($0.key, $0.value) }
    }

    /// Merges segments until so many pages are written.
    func merging(pages: Int64) -> SQL { command("merge", pages) }

    private func command(_ command: String, _ argument: Int64) -> SQL {
        """
        INSERT INTO \(identifier: name) (\(identifier: name), rank) \
        VALUES (\(value: .text(command)), \(value: .integer(argument)))
        """
    }
}

extension StoreSchema {
    /// The indexes that the model requests.
    var searchIndexes: [SearchIndex] {
        tables.compactMap { table in
            var places: Set<Int> = []
            for layout in table.layouts {
                for text in layout.entity.searchedTexts {
                    if let place = layout.place(of: text) { places.insert(place) }
                }
            }
            guard !places.isEmpty else { return nil }
            return SearchIndex(
                number: rootNumber(of: table.root),
                table: table.name,
                columns: places.sorted().map(table.name(ofColumn:))
            )
        }
    }
}

extension EntityTable.Layout {
    /// The column of a searchable text.
    fileprivate func place(of text: SearchedText) -> Int? {
        var columns = attributes[text.attribute.slot]
        for element in text.elements {
            guard case .composite(_, let elements) = columns,
                let own = elements.first(where: { $0.element == element })
            else { return nil }
            columns = own.columns
        }
        guard case .value(let place, _) = columns else { return nil }
        return place
    }
}
