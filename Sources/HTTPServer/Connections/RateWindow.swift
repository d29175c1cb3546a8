// SPDX-License-Identifier: Apache-2.0

// Detects slow transfers.

/// Counts the transferred bytes in consecutive time windows.
struct RateWindow {
    private(set) var end = Moment.never
    private var count = 0

    var isOpen: Bool { end != .never }

    /// Opens a window, unless one is open.
    mutating func open(at now: Moment, length: Int) {
        guard !isOpen else { return }
        end = now + length
        count = 0
    }

    mutating func close() { end = .never }

    mutating func add(_ bytes: Int) { count += bytes }

    /// Whether too few bytes were transferred in the window that has ended; otherwise opens the next one.
    mutating func isTooSlow(at now: Moment, length: Int, rate: Int) -> Bool {
        guard now >= end else { return false }
        let least = Double(rate) * Double(length) / 1_000_000_000
        if Double(count) < least { return true }
        end = now + length
        count = 0
        return false
    }
}
