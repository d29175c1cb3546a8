// SPDX-License-Identifier: Apache-2.0

// The row of `Z_METADATA`, which identifies a file as a store.

import FoundationEssentials
import SQLiteDriver
import SourceText

/// A store's identifier and metadata.
struct MetadataRow {
    let identifier: UUID
    /// The text in the file, which is written back unchanged.
    private let storedIdentifier: String
    /// The key of the row: 1 unless another program has chosen otherwise.
    private let version: Int64
    var metadata: StoredMetadata

    /// The head of a new store.
    init(identifier: UUID, metadata: StoredMetadata) {
        self.identifier = identifier
        self.metadata = metadata
        storedIdentifier = identifier.uuidString
        version = 1
    }

    init(_ connection: Connection) throws {
        let query: SQL = "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1"
        let row = try connection.first(query) { ($0.int64(0), $0.string(1), $0.bytes(2)) }
        guard let (version, text, bytes) = row else { throw StoreError.damagedMetadata("the table has no row") }
        guard let identifier = UUID(uuidString: text) else {
            throw StoreError.damagedMetadata("“\(text)” isn't a store's identifier")
        }
        self.identifier = identifier
        storedIdentifier = text
        self.version = version
        let metadata: StoredMetadata?
        do {
            metadata = try StoredMetadata(parsing: bytes)
        } catch {
            throw StoreError.damagedMetadata("their property list can't be read: \(error)")
        }
        guard let metadata else { throw StoreError.damagedMetadata("their property list isn't a dictionary") }
        self.metadata = metadata
    }

    func write(_ connection: Connection) throws {
        try connection.execute(
            """
            INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) \
            VALUES (\(value: .integer(version)), \(value: .text(storedIdentifier)), \(value: .blob(metadata.bytes))) \
            ON CONFLICT (Z_VERSION) DO UPDATE SET Z_PLIST = excluded.Z_PLIST
            """
        )
    }
}

extension StoreError {
    static func damagedMetadata(_ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "The metadata in Z_METADATA are damaged: \(reason)".asSentenceEnd,
            hint: "Open a backup of the store."
        )
    }
}
