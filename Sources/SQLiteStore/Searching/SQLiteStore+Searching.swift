// SPDX-License-Identifier: Apache-2.0

// The statistics that scores are computed from, read from the index or from the rows.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public func searchStatistics(
        _ request: StoreFetchRequest,
        at generation: (any StoreGeneration)?
    ) throws -> SearchStatistics {
        guard let search = request.search else { return SearchStatistics(matches: []) }
        indexChangesOfOthers(request.entity)
        return try reading(generation) { [longReads] reader in
            if WorkLimits.announcesLongReads, let table = reader.schema.table(of: request.entity),
                try longReads.containsSearch(in: table, reader.connection)
            {
                try WorkLimits.announceLongRead()
            }
            return try reader.searchStatistics(search.query, of: request.entity)
        }
    }

    /// Indexes what other processes have written. If that isn't possible now, searches read the rows.
    func indexChangesOfOthers(_ entity: EntityDescription) {
        guard !isReadOnly, let index = tables.search[entity], tables.search.isMade(index) else { return }
        let isDirty = try? reading(nil) { try $0.isDirty(index) }
        // Each write also indexes the dirty rows. A search waits only briefly for the lock, which another process may
        // hold for long.
        if isDirty == true { try? writing(turnDeadline: .now + Self.searchIndexingTimeout) { _ in } }
    }

    private static let searchIndexingTimeout = Duration.milliseconds(100)
}

extension StoreReader {
    /// Whether an entity's index exists and is up to date in the state that is read.
    func usesSearchIndex(of entity: EntityDescription) throws -> Bool {
        guard let index = tables.search[entity], tables.search.isMade(index) else { return false }
        return try !isDirty(index)
    }

    func isDirty(_ index: SearchIndex) throws -> Bool {
        do {
            let isCurrent = try connection.first(
                """
                SELECT NOT EXISTS (SELECT 1 FROM OUTCROPSEARCH_DIRTY WHERE Z_ENT = \(value: .integer(index.number))) \
                FROM OUTCROPSEARCH \
                WHERE Z_ENT = \(value: .integer(index.number)) AND FINGERPRINT = \(value: .text(index.fingerprint))
                """
            ) { $0.int64(0) == 1 }
            return isCurrent != true
        } catch let error as SQLiteError where error.code.primary == .error {
            // Another process has removed the index.
            guard try !connection.tableExists(SearchIndex.dirty) else { throw error }
            return true
        }
    }

    func searchStatistics(_ query: SearchQuery, of entity: EntityDescription) throws -> SearchStatistics {
        var statistics = SearchStatistics(query)
        guard let index = tables.search[entity] else { return statistics }
        guard try usesSearchIndex(of: entity) else {
            let statement: SQL = "SELECT \(index.columns(of: "t0")) FROM \(identifier: index.table) AS t0"
            try connection.run(statement) { row in
                var tally = SearchTally(query)
                for column in index.columns.indices where !row.isNull(Int32(column)) {
                    tally.add(SearchWords.folded(row.string(Int32(column))).span, for: query)
                }
                statistics.add(tally, for: query)
            }
            return statistics
        }
        let name: SQL = "\(identifier: index.name)"
        let counts = query.fullTextTerms.map { term -> SQL in
            ", (SELECT COUNT(*) FROM \(name) WHERE \(name) MATCH \(value: .text(term)))"
        }
        let found = try connection.first(
            "SELECT OBJECTS, WORDS\(counts.joined()) FROM OUTCROPSEARCH WHERE Z_ENT = \(value: .integer(index.number))"
        ) { row in
            SearchStatistics(
                objects: Int(row.int64(0)),
                words: Int(row.int64(1)),
                matches: counts.indices.map { Int(row.int64(Int32($0 + 2))) }
            )
        }
        return found ?? statistics
    }
}
