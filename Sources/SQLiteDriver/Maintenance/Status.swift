// SPDX-License-Identifier: Apache-2.0

// Figures of SQLite itself.

import CSQLite

/// The library that is linked, and what memory it uses in the whole process.
public enum SQLiteLibrary {
    public static var version: String { unsafe String(cString: sqlite3_libversion()) }

    public static var memoryUsed: Int64 { sqlite3_memory_used() }

    public static var highestMemoryUsed: Int64 { sqlite3_memory_highwater(0) }
}

/// What a connection uses, in bytes, and how often its page cache had what was asked for.
public struct ConnectionStatus: Hashable, Sendable {
    public let cacheUsed: Int
    public let schemaUsed: Int
    public let statementsUsed: Int
    public let cacheHits: Int
    public let cacheMisses: Int
    public let cacheWrites: Int
}

extension Connection {
    public var status: ConnectionStatus {
        ConnectionStatus(
            cacheUsed: figure(SQLITE_DBSTATUS_CACHE_USED),
            schemaUsed: figure(SQLITE_DBSTATUS_SCHEMA_USED),
            statementsUsed: figure(SQLITE_DBSTATUS_STMT_USED),
            cacheHits: figure(SQLITE_DBSTATUS_CACHE_HIT),
            cacheMisses: figure(SQLITE_DBSTATUS_CACHE_MISS),
            cacheWrites: figure(SQLITE_DBSTATUS_CACHE_WRITE)
        )
    }

    private func figure(_ option: CInt) -> Int {
        var current: CInt = 0
        var highest: CInt = 0
        unsafe sqlite3_db_status(handle, option, &current, &highest, 0)
        return Int(current)
    }
}
