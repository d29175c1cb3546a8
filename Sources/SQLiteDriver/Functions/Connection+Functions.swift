// SPDX-License-Identifier: Apache-2.0

// Scalar functions written in Swift.

import CSQLite

extension Connection {
    /// A function of its arguments. An error that it throws becomes the error of the statement.
    public typealias Function = (borrowing FunctionArguments) throws -> SQLValue

    /// Defines a function for this connection, replacing one with the same name and number of arguments.
    ///
    ///     try connection.define(function: "fold", arguments: 1) { .text($0.string(0).lowercased()) }
    ///
    /// - Parameters:
    ///   - arguments: nil for any number.
    ///   - usableInSchema: Whether views and triggers may call it, those of untrusted files included.
    public func define(
        function name: String,
        arguments: Int?,
        deterministic: Bool = true,
        usableInSchema: Bool = false,
        _ body: @escaping Function
    ) throws(SQLiteError) {
        guard !name.utf8.contains(0) else { throw .nulInName("the name of a function") }
        let result = unsafe sqlite3_create_function_v2(
            handle,
            name,
            CInt(clamping: arguments ?? -1),
            Self.flags(deterministic, usableInSchema),
            // SQLite releases it, even if the call fails.
            Unmanaged.passRetained(Box(recordingErrors(body))).toOpaque(),
            { context, count, values in
                let box = unsafe Unmanaged<Box<Function>>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
                unsafe FunctionResult.set(context) {
                    try box.value(unsafe FunctionArguments(context, count: count, values: values))
                }
            },
            nil,
            nil,
            { unsafe Unmanaged<Box<Function>>.fromOpaque($0!).release() }
        )
        guard result == SQLITE_OK else { throw unsafe .latest(of: handle, result: result) }
    }

    /// Wraps a function so that the connection records the error that it throws.
    private func recordingErrors(_ body: @escaping Function) -> Function {
        { [weak self] arguments in
            do {
                return try body(arguments)
            } catch {
                self?.thrown = error
                throw error
            }
        }
    }

    static func flags(_ deterministic: Bool, _ usableInSchema: Bool) -> CInt {
        SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0)
            | (usableInSchema ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
    }
}
