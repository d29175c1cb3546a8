// SPDX-License-Identifier: Apache-2.0

// Writes rows by RFC 4180.

/// Bytes of comma-separated values, written row by row.
///
///     var writer = CSVWriter()
///     writer.write(["title", "views"])
///     writer.write(["say \"hi\"", nil])    // "say ""hi""",
package struct CSVWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private let separator: CSVSeparator

    package init(separator: CSVSeparator = .comma) { self.separator = separator }

    /// Writes a row. Nil becomes an empty cell, an empty text a pair of quotes.
    package mutating func write(_ cells: [String?]) {
        for (offset, cell) in cells.enumerated() {
            if offset > 0 { bytes.append(separator.rawValue) }
            // An empty line would not be read as a row.
            if let text = cell ?? (cells.count == 1 ? "" : nil) { write(text) }
        }
        bytes += [.carriageReturn, .lineFeed]
    }

    /// Removes and returns the written bytes.
    package mutating func drain() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private mutating func write(_ text: String) {
        guard text.isEmpty || text.utf8.contains(where: needsQuotes) || text.utf8.starts(with: [0xEF, 0xBB, 0xBF])
        else {
            bytes += text.utf8
            return
        }
        bytes.append(.quote)
        for byte in text.utf8 {
            if byte == .quote { bytes.append(.quote) }
            bytes.append(byte)
        }
        bytes.append(.quote)
    }

    /// All known separators are quoted, so that readers that detect the separator aren't misled.
    private func needsQuotes(_ byte: UInt8) -> Bool {
        byte == .quote || byte == .lineFeed || byte == .carriageReturn || CSVSeparator(rawValue: byte) != nil
    }
}
