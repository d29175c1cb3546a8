// SPDX-License-Identifier: Apache-2.0

// Functions written in Swift that statements call.

import CSQLite

extension Connection {
    /// A function of the values that it is called with. What it throws is the error of the statement.
    public typealias Function = (borrowing FunctionArguments) throws -> SQLValue

    /// Defines a function for this connection, in place of another of the same name and number of arguments; any number where
    /// that is nil. Where schema may use it, views and triggers of whatever file is opened can call it.
    ///
    ///     try connection.define(function: "fold", arguments: 1) { .text($0.string(0).lowercased()) }
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
            // SQLite releases it, also where this fails.
            Unmanaged.passRetained(Box(noting(body))).toOpaque(),
            { context, count, values in
                let box = unsafe Unmanaged<Box<Function>>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
                unsafe FunctionResult.set(context) {
                    try box.value(unsafe FunctionArguments(context, count, values))
                }
            },
            nil,
            nil,
            { unsafe Unmanaged<Box<Function>>.fromOpaque($0!).release() }
        )
        guard result == SQLITE_OK else { throw unsafe .latest(of: handle, result: result) }
    }

    /// A function that tells the connection what is thrown.
    private func noting(_ body: @escaping Function) -> Function {
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
