// SPDX-License-Identifier: Apache-2.0

// Byte searches, for data and for text as UTF-8.

extension Span<UInt8> {
    func begins(with part: Span<UInt8>) -> Bool { holds(part, at: 0) }

    func ends(with part: Span<UInt8>) -> Bool { holds(part, at: count - part.count) }

    /// Whether the part occurs in the bytes; an empty part always does.
    func contains(_ part: Span<UInt8>) -> Bool {
        guard part.count <= count else { return false }
        if part.count > 16 { return containsLong(part) }
        return (0...count - part.count).contains { holds(part, at: $0) }
    }

    /// The Knuth–Morris–Pratt search. Its work grows with the sum of the lengths, not their product.
    private func containsLong(_ part: Span<UInt8>) -> Bool {
        var borders = [0]
        var border = 0
        for index in 1..<part.count {
            while border > 0 && part[index] != part[border] { border = borders[border - 1] }
            if part[index] == part[border] { border += 1 }
            borders.append(border)
        }
        var matched = 0
        for index in 0..<count {
            while matched > 0 && self[index] != part[matched] { matched = borders[matched - 1] }
            if self[index] == part[matched] { matched += 1 }
            if matched == part.count { return true }
        }
        return false
    }

    private func holds(_ part: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, count - start >= part.count else { return false }
        for index in 0..<part.count where self[start + index] != part[index] { return false }
        return true
    }
}
