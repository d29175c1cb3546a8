// SPDX-License-Identifier: Apache-2.0

// Incremental writing of a blob.

/// Writes a blob in parts. Its size can't change; reserve it with `bind(zeroBlob:at:)`.
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

    /// Moves to the same column of another row, which is faster than opening it.
    public func move(to row: Int64) throws(SQLiteError) { try handle.move(to: row) }
}

extension Connection {
    /// Opens a row's value in a column for writing.
    public func writeBlob(table: String, column: String, row: Int64) throws(SQLiteError) -> BlobWriter {
        BlobWriter(try BlobHandle(self, table: table, column: column, row: row, isWritable: true))
    }
}
