// SPDX-License-Identifier: Apache-2.0

// Reads the columns of a statement's current row, numbered from 0.

import CSQLite

// SQLite's pointers are read before the statement or the column is used again, and the statement is confined to one
// thread. A column that doesn't exist is NULL.
extension Statement {
    @inline(__always)
    public func columnType(_ index: Int32) -> SQLType { unsafe SQLType(code: sqlite3_column_type(handle, index)) }

    @inline(__always)
    public func isNull(_ index: Int32) -> Bool { unsafe sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// An integer; 0 for NULL.
    public func int64(_ index: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, index) }

    /// A number; 0 for NULL.
    public func double(_ index: Int32) -> Double { unsafe sqlite3_column_double(handle, index) }

    /// Text, with invalid UTF-8 repaired; empty for NULL.
    public func string(_ index: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(handle, index) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, index))
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// The bytes of a blob or text; empty for NULL.
    public func bytes(_ index: Int32) -> [UInt8] {
        withBytes(index) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Calls a closure with the bytes of a blob or text, without copying them.
    public func withBytes<R, Failure: Error>(
        _ index: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let start = unsafe sqlite3_column_blob(handle, index)
        let count = unsafe Int(sqlite3_column_bytes(handle, index))
        let bytes = unsafe UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self),
            count: start == nil ? 0 : count
        )
        return unsafe try body(bytes.span)
    }

    /// Calls a closure with the UTF-8 bytes of a text, without copying them. They are as stored, valid or not.
    public func withUTF8<R, Failure: Error>(
        _ index: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let start = unsafe sqlite3_column_text(handle, index)
        let count = unsafe Int(sqlite3_column_bytes(handle, index))
        let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
        return unsafe try body(text.span)
    }

    /// The size of a blob or text in bytes.
    public func byteCount(_ index: Int32) -> Int { unsafe Int(sqlite3_column_bytes(handle, index)) }

    public func value(_ index: Int32) -> SQLValue {
        switch columnType(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .real: .real(double(index))
        case .text: .text(string(index))
        case .blob: .blob(bytes(index))
        }
    }

    /// The values of all columns.
    public var values: [SQLValue] { (0..<columnCount).map(value) }
}
