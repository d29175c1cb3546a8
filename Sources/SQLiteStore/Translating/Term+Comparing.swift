// SPDX-License-Identifier: Apache-2.0

// Compares numbers with columns of other types without conversions that would make an index useless or wrong.

import Predicates
import SQLiteDriver

extension Term {
    /// A constant in the form in which a column contains it, since SQLite would convert it to the column's type. Nil if
    /// no value of the column equals it, and SQLite compares it correctly as it is.
    func stored(against other: Term) -> SQLValue? {
        guard let constant, let (_, value) = Kind.stored(constant) else { return nil }
        switch (other.kind, constant) {
        case (.double, .integer(let number)):
            let double = Double(number)
            return Int64(exactly: double) == number ? .real(double) : nil
        case (.double, .decimal), (.bool, .decimal), (.integer, .decimal), (.number, .decimal):
            // Except for the greatest doubles, such digits equal no value of these types.
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
            // A column may contain a decimal in another form than the double that equals it.
            guard case .decimal(let number) = constant.cast(to: .decimal) else { return nil }
            return ValueEncoding.encoded(number)
        default: return value
        }
    }

    /// A double column compared with another numeric type, with a unary plus so that SQLite doesn't convert the other
    /// value for an index lookup.
    func unconverted(against other: Term) -> Term {
        guard kind.isNumber, other.kind.isNumber, isColumn, kind == .double, other.kind != .double else { return self }
        var term = self
        term.sql = "+\(sql)"
        return term
    }
}
