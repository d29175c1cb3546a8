// SPDX-License-Identifier: Apache-2.0

// Opens the file at a path.

import CSQLite

extension Connection {
    static func open(_ path: String, access: Access, options: Options) throws(SQLiteError) -> OpaquePointer {
        guard !path.utf8.contains(0) else { throw .nulInName("the path of a database") }
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch access {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        var name = path
        if options.isImmutable {
            name = "file:" + percentEncoded(path) + "?immutable=1"
            flags |= SQLITE_OPEN_URI
        } else if path.hasPrefix("file:") {
            // SQLite may have been built to read such a path as a URI.
            name = "./" + path
        }
        var handle: OpaquePointer?
        let result = unsafe sqlite3_open_v2(name, &handle, flags, options.fileSystem)
        guard result == SQLITE_OK, let handle = unsafe handle else {
            let error = unsafe SQLiteError.latest(of: handle, result: result)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        return unsafe handle
    }

    private static func percentEncoded(_ path: String) -> String {
        var encoded: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                encoded.append(UInt8(ascii: "%"))
                encoded += Array(String(byte, radix: 16).utf8)
            default: encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
