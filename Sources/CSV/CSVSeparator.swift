// SPDX-License-Identifier: Apache-2.0

// Separators of cells.

/// The separators that spreadsheets write, with their bytes.
package enum CSVSeparator: UInt8, CaseIterable, Sendable {
    case comma = 0x2C
    case semicolon = 0x3B
    case tab = 0x09

    /// The separator declared by a line such as `sep=;`, which spreadsheets accept before a table.
    init?(namedIn line: some Collection<UInt8>) {
        guard line.count == 5, String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep=",
            let separator = line.dropFirst(4).first.flatMap(CSVSeparator.init(rawValue:))
        else { return nil }
        self = separator
    }

    /// Detects the separator of a first line: the most frequent one outside of quotes, the first of equals.
    init(in line: some Sequence<UInt8>) {
        var counts: [CSVSeparator: Int] = [:]
        var isQuoted = false
        for byte in line {
            if byte == .quote { isQuoted.toggle() }
            if !isQuoted, let separator = CSVSeparator(rawValue: byte) { counts[separator, default: 0] += 1 }
        }
        var found = CSVSeparator.comma
        for separator in Self.allCases where counts[separator, default: 0] > counts[found, default: 0] {
            found = separator
        }
        self = found
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
