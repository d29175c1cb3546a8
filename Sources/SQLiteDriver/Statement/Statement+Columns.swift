// SPDX-License-Identifier: Apache-2.0

// The columns of the row that a statement stands on, of which the first is number 0.

import CSQLite

// What SQLite hands out is read before the statement or the column is asked for anything else, by whoever holds the statement
// alone. A column that there is none of is NULL.
extension Statement {
    @inline(__always)
    public func columnType(_ index: Int32) -> SQLType { unsafe SQLType(code: sqlite3_column_type(handle, index)) }

    @inline(__always)
    public func isNull(_ index: Int32) -> Bool { unsafe sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// An integer; 0 for NULL.
    public func int64(_ index: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, index) }

    /// A number; 0 for NULL.
    public func double(_ index: Int32) -> Double { unsafe sqlite3_column_double(handle, index) }

    /// Text, repaired where it isn't UTF-8; empty for NULL.
    public func string(_ index: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(handle, index) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, index))
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// The bytes of a blob or a text; none for NULL.
    public func bytes(_ index: Int32) -> [UInt8] {
        withBytes(index) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Hands over the bytes of a blob or a text where they are.
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

    /// Hands over the UTF-8 bytes of a text where they are. They are as they were stored, well-formed or not.
    public func withUTF8<R, Failure: Error>(
        _ index: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let start = unsafe sqlite3_column_text(handle, index)
        let count = unsafe Int(sqlite3_column_bytes(handle, index))
        let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
        return unsafe try body(text.span)
    }

    /// How many bytes a blob or a text has.
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

    /// All columns.
    public var values: [SQLValue] { (0..<columnCount).map(value) }
}
