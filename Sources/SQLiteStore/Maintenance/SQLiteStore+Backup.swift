// SPDX-License-Identifier: Apache-2.0

// Copies a store that is in use.

import Files
import SQLiteDriver

extension SQLiteStore {
    /// Copies the store and the files of its large values into a new store, while others may write.
    /// Nothing is left if it fails.
    public func backUp(to copy: String) throws {
        // Defers the removal of released files until the copy is complete, without making writers of this process wait.
        let pin = tables.files?.pin()
        defer { withExtendedLifetime(pin) {} }
        try Self.backUp(path, to: copy) { try database.backup(to: $0) }
    }

    /// Copies a store that isn't open here. Its model may be unknown.
    public static func backUp(_ path: String, to copy: String) throws {
        let connection: Connection
        do {
            connection = try .ofStore(path)
        } catch {
            throw StoreError.wrapping(error, path)
        }
        try backUp(path, to: copy) { try connection.backUp(to: $0) }
    }

    /// The names of the files of large values that a store refers to and that are missing.
    public static func missingFiles(_ path: String) throws -> [String] {
        let folder = ExternalFolder(store: path)
        var missing: Set<String> = []
        do {
            try Connection.ofStore(path).allExternalNames { name in
                if folder.size(of: name) == nil { missing.insert(name.text) }
            }
        } catch {
            throw StoreError.wrapping(error, path)
        }
        return missing.sorted()
    }

    private static func backUp(_ path: String, to copy: String, rows: (String) throws -> Void) throws {
        let files = ExternalFolder(store: path)
        try checkPlace(ofNewStoreAt: copy)
        try NewStore.make(copy) { copy in
            let lock = try files.lockForCopying()
            defer { withExtendedLifetime(lock) {} }
            do {
                try rows(copy)
            } catch let error as SQLiteError where [.corrupt, .notADatabase, .busy].contains(error.code.primary) {
                // The error concerns the store, not its copy.
                throw StoreError.wrapping(error, path)
            }
            var names: Set<ExternalFileName> = []
            try Connection.ofStore(copy).allExternalNames { names.insert($0) }
            try files.copy(names, to: ExternalFolder(store: copy))
        }
    }
}
