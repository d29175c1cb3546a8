// SPDX-License-Identifier: Apache-2.0

// The limits of reading untrusted text.

/// Limits of a reader; a row that exceeds one is refused with `CSVError.Code.limitExceeded`.
package struct CSVLimits: Hashable, Sendable {
    /// The bytes of one cell.
    package var cellBytes: Int
    /// The bytes of all cells of a row.
    package var rowBytes: Int
    /// The cells of a row.
    package var cells: Int

    package static let `default` = CSVLimits()

    package init(cellBytes: Int = 16 << 20, rowBytes: Int = 32 << 20, cells: Int = 16_384) {
        self.cellBytes = cellBytes
        self.rowBytes = rowBytes
        self.cells = cells
    }
}
