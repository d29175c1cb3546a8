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
            // Digits are no number that any of these could be, but for the largest.
            if case .blob(let digits) = value {
                guard !other.kind.isWhole, let double = Double(String(decoding: digits, as: UTF8.self)),
                    Value.double(double).isEqual(to: constant)
                else { return nil }
                return .real(double)
            }
            if other.kind == .double, case .integer(let number) = value {
                return Int64(exactly: Double(number)) == number ? .real(Double(number)) : nil
            }
            return value
        case (.decimal, .double):
            // A decimal that a double is equal to isn't always in the column as that double.
            guard case .decimal(let number) = constant.cast(to: .decimal) else { return nil }
            return ValueEncoding.encoded(number)
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
