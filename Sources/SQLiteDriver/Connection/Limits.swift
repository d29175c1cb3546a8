// SPDX-License-Identifier: Apache-2.0

// What bounds the statements of a connection in time.

import CSQLite

/// A deadline and a cancellation, which SQLite asks for every so many steps of its machine.
final class Limits {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?

    /// The steps between two questions, which take some ten microseconds.
    static let interval: CInt = 1000

    var isEmpty: Bool { deadline == nil && cancellation == nil }

    func check() throws(SQLiteError) {
        if let error = exceeded { throw error }
    }

    /// Why a statement was interrupted, where it is due to the limits.
    func reason(for result: CInt) -> SQLiteError? { result & 0xFF == SQLITE_INTERRUPT ? exceeded : nil }

    var exceeded: SQLiteError? {
        if let cancellation, cancellation.isCancelled { return .cancelled }
        if let deadline, ContinuousClock.now >= deadline { return .pastDeadline }
        return nil
    }
}
