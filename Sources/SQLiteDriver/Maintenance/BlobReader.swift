// SPDX-License-Identifier: Apache-2.0

// Incremental reading of a blob.

/// Reads a blob or text in parts. Fails once its row is changed.
public final class BlobReader {
    private let handle: BlobHandle

    init(_ handle: BlobHandle) {
        self.handle = handle
    }

    public var count: Int { handle.count }

    /// Reads up to a number of bytes; fewer at the end of the blob.
    public func read(at offset: Int, count: Int) throws(SQLiteError) -> [UInt8] {
        try handle.read(at: offset, count: count)
    }

    /// Moves to the same column of another row, which is faster than opening it.
    public func move(to row: Int64) throws(SQLiteError) { try handle.move(to: row) }
}

extension Connection {
    /// Opens a row's value in a column for reading.
    public func readBlob(table: String, column: String, row: Int64) throws(SQLiteError) -> BlobReader {
        BlobReader(try BlobHandle(self, table: table, column: column, row: row, isWritable: false))
    }
}
