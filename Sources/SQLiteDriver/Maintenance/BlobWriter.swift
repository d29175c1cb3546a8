// SPDX-License-Identifier: Apache-2.0

// A blob that is written piece by piece.

/// Writes into a blob that need not fit into memory. Its size stays what it was when the row was written, as with
/// `bind(zeroBlob:at:)`.
public final class BlobWriter {
    private let handle: BlobHandle

    init(_ handle: BlobHandle) {
        self.handle = handle
    }

    public var count: Int { handle.count }

    public func write(_ bytes: [UInt8], at offset: Int) throws(SQLiteError) {
        try handle.write(bytes.span, at: offset)
    }

    public func write(_ bytes: Span<UInt8>, at offset: Int) throws(SQLiteError) {
        try handle.write(bytes, at: offset)
    }

    public func read(at offset: Int, count: Int) throws(SQLiteError) -> [UInt8] {
        try handle.read(at: offset, count: count)
    }

    /// Goes on with the same column of another row, which is faster than opening it.
    public func move(to row: Int64) throws(SQLiteError) { try handle.move(to: row) }
}

extension Connection {
    /// Opens what a row has in a column for writing.
    public func writeBlob(table: String, column: String, row: Int64) throws(SQLiteError) -> BlobWriter {
        BlobWriter(try BlobHandle(self, table: table, column: column, row: row, isWritable: true))
    }
}
