// SPDX-License-Identifier: Apache-2.0

// An open blob.

import CSQLite

/// Owns an open blob of one row.
// Safe: the pointer is valid for as long as the object, which retains its connection.
@safe
final class BlobHandle {
    let connection: Connection
    private let handle: OpaquePointer

    init(
        _ connection: Connection,
        table: String,
        column: String,
        row: Int64,
        isWritable: Bool
    ) throws(SQLiteError) {
        guard !table.utf8.contains(0), !column.utf8.contains(0) else {
            throw .nulInName("the name of a table or column")
        }
        var opened: OpaquePointer?
        let result = unsafe sqlite3_blob_open(
            connection.handle,
            "main",
            table,
            column,
            row,
            isWritable ? 1 : 0,
            &opened
        )
        guard result == SQLITE_OK, let handle = unsafe opened else {
            throw unsafe .latest(of: connection.handle, result: result)
        }
        self.connection = connection
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_blob_close(handle) }

    var count: Int { unsafe Int(sqlite3_blob_bytes(handle)) }

    func move(to row: Int64) throws(SQLiteError) { try check(unsafe sqlite3_blob_reopen(handle, row)) }

    func read(at offset: Int, count: Int) throws(SQLiteError) -> [UInt8] {
        let offset = max(0, min(offset, self.count))
        let count = max(0, count)
        let available = min(count, self.count - offset)
        var result = SQLITE_OK
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
            if available > 0 {
                result = unsafe sqlite3_blob_read(handle, buffer.baseAddress, CInt(available), CInt(offset))
            }
            filled = result == SQLITE_OK ? available : 0
        }
        try check(result)
        return bytes
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(SQLiteError) {
        guard offset >= 0, offset <= count, bytes.count <= count - offset else {
            throw .beyondBlob(offset, bytes.count, of: count)
        }
        guard !bytes.isEmpty else { return }
        let result = unsafe bytes.withUnsafeBufferPointer {
            unsafe sqlite3_blob_write(handle, $0.baseAddress, CInt($0.count), CInt(offset))
        }
        try check(result)
    }

    private func check(_ result: CInt) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw unsafe .latest(of: connection.handle, result: result) }
    }
}
