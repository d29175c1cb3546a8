// SPDX-License-Identifier: Apache-2.0

// When the search indexes are updated in a transaction.

import SQLiteDriver

extension StoreTables {
    /// The largest number of rows that are indexed when a transaction commits. No job's limits apply to that.
    private static let deferredRows: Int64 = 64

    /// Indexes what a job has written. A few rows are left to the end of the transaction, so that jobs that share it
    /// write into the index once.
    func deferSearch(_ connection: Connection) throws {
        guard search.anyIsMade else { return }
        let query: SQL = """
            SELECT count(*) FROM (SELECT 1 FROM OUTCROPSEARCH_DIRTY LIMIT \(literal: .integer(Self.deferredRows + 1)))
            """
        // Another process may have removed the table, which `updateSearch` then notices.
        guard let count = try? connection.first(query, { $0.int64(0) }), count <= Self.deferredRows else {
            return try updateSearch(connection)
        }
        if count > 0 { connection.beforeCommit { try updateSearch($0) } }
    }

    /// Indexes what a transaction has written, before it commits.
    func updateSearch(_ connection: Connection) throws {
        guard search.anyIsMade else { return }
        let numbers: [Int64]
        do {
            numbers = try connection.rows("SELECT DISTINCT Z_ENT FROM OUTCROPSEARCH_DIRTY") { $0.int64(0) }
        } catch let error as SQLiteError where error.code.primary == .error {
            // Another process has removed the index and its triggers.
            guard try !connection.tableExists(SearchIndex.dirty) else { throw error }
            return search.recordCurrent([])
        }
        for index in search.all where numbers.contains(index.number) {
            var indexing = SearchIndexing(index, connection, unmergedPages: search.unmergedPages(of: index))
            try indexing.indexDirty()
            search.recordUnmerged(indexing.unmergedPages, of: index)
        }
    }
}
