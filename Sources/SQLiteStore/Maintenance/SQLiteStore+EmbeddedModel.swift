// SPDX-License-Identifier: Apache-2.0

// The model of a store that isn't open.

public import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    /// Whether a path has no store yet: no file, an empty file, or a database without tables, left by an interrupted
    /// creation. Opening a store creates it there.
    public static func isUncreated(path: String) throws -> Bool {
        do {
            guard try StoreFileKind(path: path) == .store else { return true }
            return try Connection.ofStore(path).first("SELECT 1 FROM sqlite_master") { _ in true } == nil
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    /// Whether Core Data has written a store's file.
    package static func isOfCoreData(path: String) throws -> Bool {
        do {
            return try MetadataRow(.ofStore(path)).metadata.isOfCoreData
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    /// The model that a store's file carries, which may be unusable.
    public static func embeddedModel(path: String) throws -> Model {
        do {
            let connection = try Connection.ofStore(path)
            if let error = try StoreError.foreignDatabase(unless: connection.tableExists) { throw error }
            guard try connection.tableExists("Z_MODELCACHE"), let carried = try EmbeddedModel(connection) else {
                throw StoreError.hasNoEmbeddedModel
            }
            return try carried.model
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension Connection {
    /// Opens a file that should be a store, for reading while others may write.
    static func ofStore(_ path: String) throws -> Connection {
        let kind = try StoreFileKind(path: path)
        guard kind == .store else { throw StoreError.missing(path, kind) }
        guard try StoreFileKind.isAtRest(path) else { return try Connection(path: path, access: .readOnly) }
        do throws(SQLiteError) {
            // A connection with write access creates the log that coordinates it with writers, and
            // removes it when closed.
            let connection = try Connection(path: path, access: .readWrite)
            try connection.set("query_only", to: 1)
            _ = try connection.schemaVersion
            return connection
        } catch {
            guard [.cantOpen, .readOnly, .corrupt].contains(error.code.primary) else { throw error }
            // If no log can be created, there are no writers; nor are there any of a file that can't be read.
            var options = Options()
            options.isImmutable = true
            return try Connection(path: path, access: .readOnly, options: options)
        }
    }
}
