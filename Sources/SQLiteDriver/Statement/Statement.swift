// SPDX-License-Identifier: Apache-2.0

// Runs a prepared statement.

import CSQLite

/// A prepared statement in use. When released, it is reset and returned to the connection's cache.
///
///     let statement = try connection.prepare("SELECT Z_PK, ZTITLE FROM ZBOOK WHERE ZPAGES > ?")
///     try statement.bind(100, at: 1)
///     while try statement.step() { print(statement.int64(0), statement.string(1)) }
///
/// After the last row it stays done until it is reset or a value is bound.
//
//      ┌──────── reset(), bind() ────────┐
//      ▼                                 │
//    idle ── step() ──▶ running ──────▶ done
//                        │  ▲ │  no more rows, or an error
//                        └──┘ └── reset() ──▶ idle
//                        a row
//
// Safe: the pointer is that of `compiled`, and the connection is retained here.
@safe
public final class Statement {
    let connection: Connection
    let handle: OpaquePointer
    private let compiled: CompiledStatement
    private var state = State.idle
    private var trace: StatementTrace?
    private let keepsBindings: Bool
    private var bound: [SQLValue?] = []

    private enum State {
        case idle
        case running
        case traced
        case done
    }

    init(_ compiled: CompiledStatement, of connection: Connection) {
        self.compiled = compiled
        self.connection = connection
        keepsBindings = connection.tracing.details.contains(.bindings)
        unsafe handle = compiled.handle
    }

    deinit {
        reset()
        unsafe sqlite3_clear_bindings(handle)
        connection.cache.checkIn(compiled)
    }

    /// Moves to the next row, and returns whether there is one.
    public func step() throws(SQLiteError) -> Bool {
        switch state {
        case .running: break
        case .traced: return try tracedStep()
        case .done: return false
        case .idle:
            try begin()
            if trace != nil { return try tracedStep() }
        }
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        try end(result)
        return false
    }

    /// Moves to before the first row. Bindings are kept.
    public func reset() {
        switch state {
        case .idle: return
        case .running, .traced: try? finish()
        case .done: break
        }
        state = .idle
    }

    /// Ends the statement before its last row. Throws if SQLite had no memory to return a column, which reads as empty.
    public func finish() throws(SQLiteError) {
        guard state == .running || state == .traced else { return }
        let result = unsafe sqlite3_reset(handle)
        state = .done
        let error =
            result == SQLITE_OK ? nil : unsafe SQLiteError.latest(of: connection.handle, result: result, sql: sql)
        endTrace(error: error)
        if let error { throw error }
    }

    /// The text that was prepared.
    public var sql: String { compiled.text }

    /// The text with the bound values inserted, for display: it may be long, and it reveals values.
    public var expandedSQL: String { compiled.expandedSQL }

    /// Whether the statement writes nothing.
    public var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    public var columnCount: Int32 { compiled.columnCount }

    public func columnName(_ index: Int32) -> String {
        unsafe sqlite3_column_name(handle, index).map { unsafe String(cString: $0) } ?? ""
    }

    public var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

    /// Prepares for binding. Throws if there are rows left.
    @inline(__always)
    func beginBinding() throws(SQLiteError) {
        switch state {
        case .idle: return
        case .done: state = .idle
        case .running, .traced: throw .running(sql)
        }
    }

    private func begin() throws(SQLiteError) {
        try connection.limits.check()
        connection.thrown = nil
        if connection.savedChangeCount != nil, !isReadOnly { connection.savedChangeCount = nil }
        trace = connection.beginTrace(of: compiled)
        state = trace == nil ? .running : .traced
    }

    private func tracedStep() throws(SQLiteError) -> Bool {
        let start = ContinuousClock.now
        let result = unsafe sqlite3_step(handle)
        trace?.add(ContinuousClock.now - start, isRow: result == SQLITE_ROW)
        if result == SQLITE_ROW { return true }
        try end(result)
        return false
    }

    /// Resets the statement after the last row, which releases its locks.
    private func end(_ result: CInt) throws(SQLiteError) {
        var error: SQLiteError?
        if result != SQLITE_DONE {
            error =
                unsafe connection.limits.reason(for: result)
                ?? SQLiteError.latest(of: connection.handle, result: result, sql: sql)
            error?.thrown = connection.thrown.map(SQLiteError.Thrown.init)
        }
        unsafe sqlite3_reset(handle)
        state = .done
        endTrace(error: error)
        if let error { throw error }
    }

    private func endTrace(error: SQLiteError?) {
        guard let ended = trace else { return }
        trace = nil
        connection.report(ended, of: compiled, bindings: bound, error: error)
    }

    /// Records a binding for a tracer, since SQLite can't return it.
    @inline(__always)
    func recordBinding(_ value: @autoclosure () -> SQLValue?, at index: Int32) {
        if keepsBindings { recordBinding(value(), at: Int(index) - 1) }
    }

    private func recordBinding(_ value: SQLValue?, at place: Int) {
        if place >= bound.count { bound += Array(repeating: .some(.null), count: place + 1 - bound.count) }
        bound[place] = value
    }

    func forgetBindings() { bound = [] }
}
