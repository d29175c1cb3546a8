// SPDX-License-Identifier: Apache-2.0

// The model of a store that isn't opened.

public import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    /// Whether there is nothing of a store at a path: no file, an empty one, or a database without tables, as is left where making a store
    /// was interrupted. A store is made there when one is opened.
    public static func isUnmade(path: String) throws -> Bool {
        do {
            guard try StoreFileKind(path: path) == .store else { return true }
            return try Connection.ofStore(path).first("SELECT 1 FROM sqlite_master") { _ in true } == nil
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    /// The model that a store's file carries, which needn't be one that can be used.
    public static func carriedModel(path: String) throws -> Model {
        do {
            let connection = try Connection.ofStore(path)
            guard try connection.tableExists("Z_METADATA") else { throw StoreError.foreignDatabase }
            guard try connection.tableExists("Z_MODELCACHE"), let carried = try CarriedModel(connection) else {
                throw StoreError.carriesNoModel
            }
            return try carried.model
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension Connection {
    /// Opens a file that should be a store, to be read while others may write.
    static func ofStore(_ path: String) throws -> Connection {
        let kind = try StoreFileKind(path: path)
        guard kind == .store else { throw StoreError.missing(path, kind) }
        guard try StoreFileKind.isAtRest(path) else { return try Connection(path: path, access: .readOnly) }
        do throws(SQLiteError) {
            // One who may write makes the log that others are seen by, and takes it away again.
            let connection = try Connection(path: path, access: .readWrite)
            try connection.set("query_only", to: 1)
            _ = try connection.schemaVersion
            return connection
        } catch {
            guard [.cantOpen, .readOnly].contains(error.code.primary) else { throw error }
            // Where no log can be made nobody writes.
            var options = Options()
            options.isImmutable = true
            return try Connection(path: path, access: .readOnly, options: options)
        }
    }
}
