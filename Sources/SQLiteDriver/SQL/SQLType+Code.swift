// SPDX-License-Identifier: Apache-2.0

// SQLite's codes of storage classes.

import CSQLite

extension SQLType {
    @inline(__always)
    init(code: CInt) {
        switch code {
        case SQLITE_INTEGER: self = .integer
        case SQLITE_FLOAT: self = .real
        case SQLITE_TEXT: self = .text
        case SQLITE_BLOB: self = .blob
        default: self = .null
        }
    }
}
