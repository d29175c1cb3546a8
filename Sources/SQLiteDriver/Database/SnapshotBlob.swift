// SPDX-License-Identifier: Apache-2.0

// Incremental reading of a blob in a snapshot.

/// Reads a blob or text as it was at the moment of a snapshot, which it retains.
// Sendable though a `BlobReader` is not: it is used and closed only under the lock of the snapshot's connection.
public final class SnapshotBlob: @unchecked Sendable {
    public let count: Int
    private let snapshot: ReadSnapshot
    private var reader: BlobReader?

    fileprivate init(_ reader: BlobReader, _ snapshot: ReadSnapshot) {
        self.reader = reader
        self.snapshot = snapshot
        count = reader.count
    }

    deinit { snapshot.withConnection { _ in reader = nil } }

    /// Reads up to a number of bytes; fewer at the end of the blob.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        try snapshot.withConnection { _ in try reader?.read(at: offset, count: count) ?? [] }
    }
}

extension ReadSnapshot {
    /// Opens a row's value in a column.
    public func blob(table: String, column: String, row: Int64) throws -> SnapshotBlob {
        try withConnection { connection in
            SnapshotBlob(try connection.readBlob(table: table, column: column, row: row), self)
        }
    }
}
