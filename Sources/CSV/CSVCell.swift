// SPDX-License-Identifier: Apache-2.0

// A cell of a row.

/// The text of a cell, and whether it was quoted: an empty cell is an empty text if quoted, or else a missing value.
package struct CSVCell: Hashable, Sendable {
    package var text: String
    package var isQuoted: Bool

    package init(_ text: String, isQuoted: Bool = false) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// Whether the cell is empty and unquoted.
    package var isMissing: Bool { text.isEmpty && !isQuoted }
}
