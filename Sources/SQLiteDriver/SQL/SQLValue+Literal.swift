// SPDX-License-Identifier: Apache-2.0

// Values as SQL literals.

extension SQLValue {
    /// The value as an SQL expression. NaN becomes NULL, as in SQLite.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(.min): "(-9223372036854775807 - 1)"
        case .integer(let value): String(value)
        case .real(let value) where value.isNaN: "NULL"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        case .text(let value): value.quoted(by: "'")
        case .blob(let bytes): "x'" + bytes.map(Self.hexadecimal).joined() + "'"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

extension String {
    /// The text in quotation marks, with those within it doubled.
    func quoted(by mark: Unicode.Scalar) -> String {
        var quoted = String.UnicodeScalarView()
        quoted.append(mark)
        for scalar in unicodeScalars {
            if scalar == mark { quoted.append(mark) }
            quoted.append(scalar)
        }
        quoted.append(mark)
        return String(quoted)
    }
}
