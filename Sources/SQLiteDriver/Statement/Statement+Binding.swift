// SPDX-License-Identifier: Apache-2.0

// Binds values to a statement's parameters, numbered from 1.

import CSQLite

extension Statement {
    public func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        try check(unsafe sqlite3_bind_int64(handle, index, value))
        recordBinding(.integer(value), at: index)
    }

    public func bind(_ value: Int, at index: Int32) throws(SQLiteError) { try bind(Int64(value), at: index) }

    /// Binds a number; NaN as NULL.
    public func bind(_ value: Double, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        try check(unsafe sqlite3_bind_double(handle, index, value))
        recordBinding(value.isNaN ? .null : .real(value), at: index)
    }

    /// Binds text, including any NUL characters in it.
    public func bind(_ value: String, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        var value = value
        let result = value.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
        try check(result)
        recordBinding(.text(value), at: index)
    }

    public func bind(utf8 value: Span<UInt8>, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        let result = unsafe value.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
        try check(result)
        recordBinding(
            unsafe .text(value.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }),
            at: index
        )
    }

    public func bind(_ value: [UInt8], at index: Int32) throws(SQLiteError) {
        try bind(value.span, at: index)
    }

    public func bind(_ value: Span<UInt8>, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        let result = unsafe value.withUnsafeBufferPointer {
            unsafe csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
        }
        try check(result)
        recordBinding(unsafe .blob(value.withUnsafeBufferPointer { unsafe Array($0) }), at: index)
    }

    /// Binds a number of zero bytes, which a `BlobWriter` can overwrite afterwards.
    public func bind(zeroBlob count: Int64, at index: Int32) throws(SQLiteError) {
        try beginBinding()
        try check(unsafe sqlite3_bind_zeroblob64(handle, index, UInt64(max(0, count))))
        recordBinding(nil, at: index)
    }

    public func bindNull(at index: Int32) throws(SQLiteError) {
        try beginBinding()
        try check(unsafe sqlite3_bind_null(handle, index))
        recordBinding(.null, at: index)
    }

    public func bind(_ value: SQLValue, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    /// Binds a value to each parameter.
    public func bind(_ values: [SQLValue]) throws(SQLiteError) {
        let expected = Int(parameterCount)
        guard values.count == expected else { throw .bindingCount(values.count, of: expected, sql: sql) }
        var index: Int32 = 0
        for value in values {
            index += 1
            try bind(value, at: index)
        }
    }

    public func clearBindings() throws(SQLiteError) {
        try beginBinding()
        unsafe sqlite3_clear_bindings(handle)
        forgetBindings()
    }

    @inline(__always)
    private func check(_ result: CInt) throws(SQLiteError) {
        guard result == SQLITE_OK else {
            throw unsafe .latest(of: connection.handle, result: result, sql: sql)
        }
    }
}
