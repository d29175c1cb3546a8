// SPDX-License-Identifier: Apache-2.0

// A statement compiled by SQLite.

import CSQLite

/// Owns a compiled statement.
// Safe: the pointer is valid for as long as the object.
@safe
final class CompiledStatement {
    let handle: OpaquePointer
    let text: String
    var isInUse = false
    var lastUse: UInt64 = 0

    init(_ handle: OpaquePointer, text: String) {
        unsafe self.handle = handle
        self.text = text
    }

    /// The text with the bound values inserted.
    var expandedSQL: String {
        guard let expanded = unsafe sqlite3_expanded_sql(handle) else { return text }
        defer { unsafe sqlite3_free(expanded) }
        return unsafe String(cString: expanded)
    }

    var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

    deinit { unsafe sqlite3_finalize(handle) }
}
