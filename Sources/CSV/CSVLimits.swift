// SPDX-License-Identifier: Apache-2.0

// How much of a hostile text the reader takes before it refuses.

/// Bounds on what a reader accepts; a row beyond one of them is refused with `CSVError.Code.limitExceeded`.
public struct CSVLimits: Hashable, Sendable {
    /// The bytes of one cell.
    public var cellBytes: Int
    /// The bytes of all cells of a row.
    public var rowBytes: Int
    /// The cells of a row.
    public var cells: Int

    public static let `default` = CSVLimits()

    public init(cellBytes: Int = 16 << 20, rowBytes: Int = 32 << 20, cells: Int = 16_384) {
        (self.cellBytes, self.rowBytes, self.cells) = (cellBytes, rowBytes, cells)
    }
}
