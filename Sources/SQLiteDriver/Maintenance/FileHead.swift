// SPDX-License-Identifier: Apache-2.0

// Reads the first bytes of a file that may be an open database.

import CSQLite

extension Connection {
    /// The first bytes of a file of any kind, or all if there are fewer.
    ///
    /// SQLite reads them. When a process closes any descriptor of a file, the system drops all locks of the process
    /// on that file, including those of its other connections; only SQLite knows of them and defers closing its
    /// descriptors.
    public static func head(ofFile path: String, count: Int) throws(SQLiteError) -> [UInt8] {
        let connection = try Connection(path: path, access: .readOnly)
        var result = SQLITE_OK
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            var available: CInt = 0
            result = unsafe csqlite_read_head(
                connection.handle,
                buffer.baseAddress,
                CInt(clamping: buffer.count),
                &available
            )
            filled = result == SQLITE_OK ? Int(available) : 0
        }
        guard result == SQLITE_OK else { throw .of(result) }
        return bytes
    }
}
