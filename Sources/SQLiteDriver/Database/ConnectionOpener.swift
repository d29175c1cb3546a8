// SPDX-License-Identifier: Apache-2.0

// Opens the connections of a database and sets their pragmas.

struct ConnectionOpener: Sendable {
    let path: String
    let configuration: DatabaseConfiguration
    let tracing: Tracing
    let statementCounts: StatementCounts
    let onOpen: @Sendable (Connection) throws -> Void

    func writer() throws -> Connection {
        let connection = try open(configuration.isImmutable ? .readOnly : configuration.access)
        // For a new file only: it must precede the first write.
        if try connection.integer("PRAGMA schema_version") == 0 {
            try connection.set("auto_vacuum", to: .integer(configuration.autoVacuum.rawValue))
        }
        try connection.setJournalMode(configuration.journalMode)
        try connection.set("synchronous", to: .text(configuration.synchronous.rawValue))
        try connection.set("wal_autocheckpoint", to: .integer(Int64(configuration.checkpointPages)))
        try connection.set("journal_size_limit", to: .integer(Int64(configuration.journalBytes)))
        try connection.set("foreign_keys", to: .integer(configuration.checksForeignKeys ? 1 : 0))
        try onOpen(connection)
        return connection
    }

    func reader() throws -> Connection {
        // Reading a log requires write access to its index, so readers open the file for writing and set
        // `query_only`.
        let isForReading = configuration.access == .readOnly && !configuration.readersMakeLog
        let connection = try open(isForReading || configuration.isImmutable ? .readOnly : .readWrite, isReader: true)
        try onOpen(connection)
        try connection.set("query_only", to: 1)
        return connection
    }

    private func open(_ access: Connection.Access, isReader: Bool = false) throws -> Connection {
        var options = Connection.Options()
        options.busyTimeout = configuration.busyTimeout
        options.statementCacheLimit = configuration.statementCacheLimit
        options.isImmutable = configuration.isImmutable
        options.fileSystem = configuration.fileSystem
        // Only the writer runs triggers, such as those that maintain R-trees and full-text indexes.
        options.allowsVirtualTablesInTriggers = !isReader
        let connection = try Connection(path: path, access: access, options: options)
        connection.tracing = tracing
        connection.isReader = isReader
        statementCounts.add(connection.statementCount)
        try connection.set("cache_size", to: .integer(-Int64(configuration.cacheKibibytes)))
        return connection
    }
}

extension Connection {
    /// Sets the journal mode. SQLite doesn't wait for a program that is changing it, as when both create the file.
    fileprivate func setJournalMode(_ mode: DatabaseConfiguration.JournalMode) throws(SQLiteError) {
        var attempt = 0
        while true {
            do throws(SQLiteError) {
                return try set("journal_mode", to: .text(mode.rawValue))
            } catch {
                guard error.code.primary == .busy, limits.waitForLock(attempt: attempt) else { throw error }
                attempt += 1
            }
        }
    }

    /// Sets a pragma.
    public func set(_ pragma: String, to value: SQLValue) throws(SQLiteError) {
        try execute("PRAGMA \(identifier: pragma) = \(literal: value)")
    }
}
