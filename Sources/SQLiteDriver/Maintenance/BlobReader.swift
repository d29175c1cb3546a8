// SPDX-License-Identifier: Apache-2.0

// A blob that is read piece by piece.

/// Reads a blob, or a text, that need not fit into memory. It can't be read any further once its row is changed.
public final class BlobReader {
    private let handle: BlobHandle

    init(_ handle: BlobHandle) {
        self.handle = handle
    }

    public var count: Int { handle.count }

    /// Reads as many bytes, or fewer where the blob ends before.
    public func read(at offset: Int, count: Int) throws(SQLiteError) -> [UInt8] {
        try handle.read(at: offset, count: count)
    }

    /// Goes on with the same column of another row, which is faster than opening it.
    public func move(to row: Int64) throws(SQLiteError) { try handle.move(to: row) }
}

extension Connection {
    /// Opens what a row has in a column for reading.
    public func readBlob(table: String, column: String, row: Int64) throws(SQLiteError) -> BlobReader {
        BlobReader(try BlobHandle(self, table: table, column: column, row: row, isWritable: false))
    }
}
