// SPDX-License-Identifier: Apache-2.0

// The result of a function written in Swift.

import CSQLite

enum FunctionResult {
    /// Sets a call's result to a value or to a thrown error.
    static func set(_ context: OpaquePointer?, _ make: () throws -> SQLValue) {
        do {
            try unsafe set(context, to: make())
        } catch {
            unsafe fail(context, error)
        }
    }

    static func fail(_ context: OpaquePointer?, _ error: any Error) {
        let known = error as? SQLiteError
        let message = known?.message ?? "\(error)"
        unsafe sqlite3_result_error(context, message, CInt(clamping: message.utf8.count))
        if let known { unsafe sqlite3_result_error_code(context, known.extendedCode) }
    }

    private static func set(_ context: OpaquePointer?, to value: SQLValue) {
        switch value {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let value): unsafe sqlite3_result_int64(context, value)
        case .real(let value): unsafe sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) {
                    unsafe csqlite_result_text(context, $0.baseAddress, UInt64($0.count))
                }
            }
        case .blob(let value):
            unsafe value.withUnsafeBytes { unsafe csqlite_result_blob(context, $0.baseAddress, UInt64($0.count)) }
        }
    }
}
