// SPDX-License-Identifier: Apache-2.0

// The limits of reading untrusted text.

/// Limits of a reader; a row that exceeds one is refused with `CSVError.Code.limitExceeded`.
public struct CSVLimits: Hashable, Sendable {
    /// The bytes of one cell.
    public var cellBytes: Int
    /// The bytes of all cells of a row.
    public var rowBytes: Int
    /// The cells of a row.
    public var cells: Int

    public static let `default` = CSVLimits()

    public init(cellBytes: Int = 16 << 20, rowBytes: Int = 32 << 20, cells: Int = 16_384) {
        self.cellBytes = cellBytes
        self.rowBytes = rowBytes
        self.cells = cells
    }
}
