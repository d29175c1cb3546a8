// SPDX-License-Identifier: Apache-2.0

// The first bytes of a file that may be an open database.

import CSQLite

extension Connection {
    /// The first bytes of a file, fewer where it ends before, whatever the file is.
    ///
    /// SQLite reads them. When a process closes any descriptor of a file, the system drops all locks that the process has on
    /// it, those of its other connections among them; SQLite alone knows of these, and closes its descriptors after them.
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
