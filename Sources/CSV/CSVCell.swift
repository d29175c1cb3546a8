// SPDX-License-Identifier: Apache-2.0

// A cell of a row.

/// The text of a cell, and whether it was quoted: an empty cell is an empty text if quoted, or else a missing value.
public struct CSVCell: Hashable, Sendable {
    public var text: String
    public var isQuoted: Bool

    public init(_ text: String, isQuoted: Bool = false) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// Whether the cell is empty and unquoted.
    public var isMissing: Bool { text.isEmpty && !isQuoted }
}
