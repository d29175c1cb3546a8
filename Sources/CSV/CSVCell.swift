// SPDX-License-Identifier: Apache-2.0

// One cell of a row.

/// The text of a cell, and whether it stood in quotes: an empty cell with quotes is an empty text, one without is nothing.
public struct CSVCell: Hashable, Sendable {
    public var text: String
    public var isQuoted: Bool

    public init(_ text: String, isQuoted: Bool = false) { (self.text, self.isQuoted) = (text, isQuoted) }

    /// Whether nothing at all is in the cell.
    public var isMissing: Bool { text.isEmpty && !isQuoted }
}
