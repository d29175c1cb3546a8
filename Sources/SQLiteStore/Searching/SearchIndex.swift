// SPDX-License-Identifier: Apache-2.0

// The full-text index of a table: what it is called, and how it is made.

import ObjectGraph
import SQLiteDriver

/// The index over the marked attributes of a hierarchy of entities.
///
/// 1. `OUTCROPSEARCH_ZPOST_TEXTS` is an FTS5 table with a row for each row of `ZPOST` that has words to be found: under its key the
///    words of each marked column as `SearchWords` folds them, with spaces between. Its tokenizer knows nothing but spaces to split
///    these at, so that it can't disagree with what evaluates in memory.
/// 2. Triggers on `ZPOST` note the keys of rows whose texts or existence change in `OUTCROPSEARCH_DIRTY`, whoever writes. They call
///    nothing that another program lacks.
/// 3. The rows noted are indexed anew in the transaction that writes them, where that is one of ours; else by whoever searches next
///    and may write. As long as rows are noted, no search asks the index.
/// 4. `OUTCROPSEARCH` has a row for each index: how it was made, and the numbers of its rows and their words.
struct SearchIndex: Hashable, Sendable {
    /// The number of the entity at the top of the hierarchy.
    let number: Int64
    /// The table that it is about, and its marked columns.
    let table: String
    let columns: [String]

    /// No name of a table that FTS5 makes beside ends so, whatever entities are called.
    var name: String { "OUTCROPSEARCH_\(table)_TEXTS" }

    /// What an index must have been made by to be of use.
    var fingerprint: String { (["2", table] + columns).joined(separator: " ") }

    /// The folded words of the columns, by an alias.
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

    /// The triggers by their names. A conflict clause of the statement that has them run would go before one of theirs.
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
}

extension StoreSchema {
    /// The indexes that the model's marks ask for.
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
    /// The column of a text that is searched.
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
