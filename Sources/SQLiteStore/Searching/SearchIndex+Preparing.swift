// SPDX-License-Identifier: Apache-2.0

// Creates the search indexes that the model requests and removes others, when a store is opened.

import Basics
import SQLiteDriver

extension SQLiteStore {
    /// Creates and removes indexes in one transaction; if it is interrupted, the next opening does it. A read-only
    /// store uses the indexes that exist.
    func prepareSearch() throws {
        try naming {
            let state = try database.read { [tables] in try SearchIndexState($0, tables.search.all) }
            tables.search.recordCurrent(state.current)
            guard !isReadOnly, !state.hasWantedIndexes else { return }
            try database.write { [tables] connection in
                // Another process may have done it meanwhile.
                let state = try SearchIndexState(connection, tables.search.all)
                if !state.hasWantedIndexes { try state.update(connection) }
            }
            tables.search.recordCurrent(tables.search.all)
        }
    }
}

/// The indexes in a file, compared with the wanted ones.
struct SearchIndexState {
    private let wanted: [SearchIndex]
    /// The wanted indexes that exist and are usable.
    let current: [SearchIndex]
    /// The tables with an outdated or unwanted index.
    private let obsolete: [String]
    private let hasRegistry: Bool

    init(_ connection: Connection, _ wanted: [SearchIndex]) throws {
        self.wanted = wanted
        hasRegistry = try connection.tableExists(SearchIndex.registry)
        guard hasRegistry, try connection.tableExists(SearchIndex.dirty) else {
            current = []
            obsolete = []
            return
        }
        let stored = try connection.rows("SELECT Z_ENT, NAME, FINGERPRINT FROM OUTCROPSEARCH") {
            (number: $0.int64(0), table: $0.string(1), fingerprint: $0.string(2))
        }
        let schema = try connection.rows(
            "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'OUTCROPSEARCH%' AND sql NOT NULL"
        ) { ($0.string(0), $0.string(1)) }
        let definitions = Dictionary(keepingFirst: schema)
        current = wanted.filter { index in
            stored.contains { $0 == (index.number, index.table, index.fingerprint) }
                && definitions[index.name] == index.definition.text
                && index.triggers.allSatisfy { definitions[$0.name] == $0.definition.text }
        }
        let kept = Set(current.map(\.number))
        obsolete = stored.filter { !kept.contains($0.number) }.map(\.table)
    }

    var hasWantedIndexes: Bool { current == wanted && obsolete.isEmpty && (hasRegistry || wanted.isEmpty) }

    /// Removes obsolete indexes and creates missing ones.
    func update(_ connection: Connection) throws {
        for table in obsolete { try SearchIndex.remove(table, connection) }
        if wanted.isEmpty {
            try connection.execute("DROP TABLE IF EXISTS OUTCROPSEARCH_DIRTY")
            try connection.execute("DROP TABLE IF EXISTS OUTCROPSEARCH")
            return
        }
        for statement in SearchIndex.bookkeeping { try connection.execute(statement) }
        for index in wanted where !current.contains(index) { try index.make(connection) }
    }
}

extension SearchIndex {
    /// Recreates the index with all rows.
    func make(_ connection: Connection) throws {
        try Self.remove(table, connection)
        try connection.execute("DELETE FROM OUTCROPSEARCH WHERE Z_ENT = \(value: .integer(number))")
        try connection.execute("DELETE FROM OUTCROPSEARCH_DIRTY WHERE Z_ENT = \(value: .integer(number))")
        try connection.execute(definition)
        for setting in settings { try connection.execute(setting) }
        for trigger in triggers { try connection.execute(trigger.definition) }
        try connection.execute(
            """
            INSERT INTO OUTCROPSEARCH (Z_ENT, NAME, FINGERPRINT, OBJECTS, WORDS) \
            VALUES (\(value: .integer(number)), \(value: .text(table)), \(value: .text(fingerprint)), 0, 0)
            """
        )
        var filling = SearchIndexing(self, connection)
        try filling.indexAll()
    }

    fileprivate static func remove(_ table: String, _ connection: Connection) throws {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            try connection.execute("DROP TRIGGER IF EXISTS \(identifier: "OUTCROPSEARCH_\(table)_\(event)")")
        }
        try connection.execute("DROP TABLE IF EXISTS \(identifier: "OUTCROPSEARCH_\(table)_TEXTS")")
        try connection.execute("DELETE FROM OUTCROPSEARCH WHERE NAME = \(value: .text(table))")
    }
}
