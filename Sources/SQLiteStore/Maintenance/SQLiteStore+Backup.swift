// SPDX-License-Identifier: Apache-2.0

// A copy of a store that is in use.

import FoundationEssentials
import SQLiteDriver

extension SQLiteStore {
    /// Copies the store into a new file, with the files of its large values, while others go on writing. Nothing is left where
    /// this fails.
    public func backUp(to copy: String) throws {
        try Self.backUp(path, to: copy) { try database.backup(to: $0) }
    }

    /// Copies a store that isn't open here, and whose model needn't be known.
    public static func backUp(_ path: String, to copy: String) throws {
        let connection: Connection
        do {
            connection = try .ofStore(path)
        } catch {
            throw StoreError.wrapping(error, path)
        }
        try backUp(path, to: copy) { try connection.backUp(to: $0) }
    }

    private static func backUp(_ path: String, to copy: String, rows: (String) throws -> Void) throws {
        let (files, copies) = (ExternalDataFolder(store: path), ExternalDataFolder(store: copy))
        try checkPlace(ofNewStoreAt: copy)
        guard copies.names.isEmpty else { throw StoreError.hasFiles(copy, copies.path) }
        do {
            try rows(copy)
            do {
                // After the rows: files that these name are there, while those of later rows do no harm.
                try files.copy(to: copies)
            } catch {
                for path in [copy, copies.path] { try? FileManager.default.removeItem(atPath: path) }
                throw error
            }
        } catch {
            throw StoreError.wrapping(error, copy)
        }
    }
}

extension StoreError {
    fileprivate static func hasFiles(_ path: String, _ folder: String) -> StoreError {
        var error = StoreError(
            .exists,
            "The values of another store are in “\(folder)”.",
            hint: "Copy to another path."
        )
        error.path = path
        return error
    }
}
