// SPDX-License-Identifier: Apache-2.0

// Numbers against columns of other types, which SQLite would convert on the way to an index.

import Predicates
import SQLiteDriver

extension Term {
    /// A constant as it is compared with a column, whose type SQLite would else convert it to; nil where no value of the column
    /// is equal to it, and its order is better left to SQLite.
    func stored(against other: Term) -> SQLValue? {
        guard let constant, let (_, value) = Kind.stored(constant) else { return nil }
        switch (other.kind, constant) {
        case (.double, .integer(let number)):
            let double = Double(number)
            return Int64(exactly: double) == number ? .real(double) : nil
        case (.double, .decimal), (.bool, .decimal), (.integer, .decimal), (.number, .decimal):
            // Digits are no number that any of these could be.
            if case .blob = value { return nil }
            if other.kind == .double, case .integer(let number) = value {
                return Int64(exactly: Double(number)) == number ? .real(Double(number)) : nil
            }
            return value
        default: return value
        }
    }

    /// A column of one type of numbers to be compared with one of another, without SQLite converting a key for its index.
    func unconverted(against other: Term) -> Term {
        guard kind.isNumber, other.kind.isNumber, isColumn, kind == .double, other.kind != .double else { return self }
        var term = self
        term.sql = "+\(sql)"
        return term
    }
}
