// SPDX-License-Identifier: Apache-2.0

// Whether a transfer is too slow.

/// Counts what was transferred in a span of time, one span after the other.
struct RateWindow {
    private(set) var end = Moment.never
    private var count = 0

    var isOpen: Bool { end != .never }

    /// Begins to count, where nothing is counted.
    mutating func open(_ now: Moment, _ length: Int) {
        guard !isOpen else { return }
        (end, count) = (now + length, 0)
    }

    mutating func close() { end = .never }

    mutating func add(_ bytes: Int) { count += bytes }

    /// Whether what came in a span that is over was too little; otherwise the next one begins.
    mutating func isTooSlow(_ now: Moment, _ length: Int, rate: Int) -> Bool {
        guard now >= end else { return false }
        let least = Double(rate) * Double(length) / 1_000_000_000
        if Double(count) < least { return true }
        (end, count) = (now + length, 0)
        return false
    }
}
