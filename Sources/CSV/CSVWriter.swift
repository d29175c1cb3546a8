// SPDX-License-Identifier: Apache-2.0

// Writes rows as RFC 4180 has them.

/// Bytes of comma-separated values, row after row.
///
///     var writer = CSVWriter()
///     writer.write(["title", "views"])
///     writer.write(["say \"hi\"", nil])    // "say ""hi""",
public struct CSVWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private let separator: CSVSeparator

    public init(separator: CSVSeparator = .comma) { self.separator = separator }

    /// Writes a row. Nil is a cell with nothing in it, which an empty text isn't: that has quotes.
    public mutating func write(_ cells: [String?]) {
        for (offset, cell) in cells.enumerated() {
            if offset > 0 { bytes.append(separator.rawValue) }
            // A line without anything would be no row.
            if let text = cell ?? (cells.count == 1 ? "" : nil) { write(text) }
        }
        bytes += [.carriageReturn, .lineFeed]
    }

    /// What was written, which is forgotten then.
    public mutating func take() -> [UInt8] {
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

    /// Whoever guesses separators finds none where there is none of ours.
    private func needsQuotes(_ byte: UInt8) -> Bool {
        byte == .quote || byte == .lineFeed || byte == .carriageReturn || CSVSeparator(rawValue: byte) != nil
    }
}
