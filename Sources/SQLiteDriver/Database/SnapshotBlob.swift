// SPDX-License-Identifier: Apache-2.0

// A blob of a snapshot, read piece by piece.

/// Reads a blob, or a text, as it was at the moment of a snapshot. It holds the snapshot.
// Sendable though a `BlobReader` is not: it is opened, used and closed by those alone who hold the snapshot's connection.
public final class SnapshotBlob: @unchecked Sendable {
    public let count: Int
    private let snapshot: ReadSnapshot
    private var reader: BlobReader?

    fileprivate init(_ reader: BlobReader, _ snapshot: ReadSnapshot) {
        (self.reader, self.snapshot, count) = (reader, snapshot, reader.count)
    }

    deinit { snapshot.withConnection { _ in reader = nil } }

    /// Reads as many bytes, or fewer where the blob ends before.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        try snapshot.withConnection { _ in try reader?.read(at: offset, count: count) ?? [] }
    }
}

extension ReadSnapshot {
    /// Opens what a row has in a column.
    public func blob(table: String, column: String, row: Int64) throws -> SnapshotBlob {
        try withConnection { connection in
            SnapshotBlob(try connection.readBlob(table: table, column: column, row: row), self)
        }
    }
}
