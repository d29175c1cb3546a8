// SPDX-License-Identifier: Apache-2.0

// The lines of rows.

import TestSupport
import Testing

@testable import RESTAPI

@Suite("Line index")
struct LineIndexTests {
    @Test("a line index finds each row's line", arguments: SeededGenerator.seeds(5))
    func lines(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var index = LineIndex()
        var line = 1
        let lines = (1...5_000).map { row in
            index.add(line, row: row)
            defer { line += random.chance(80) ? 1 : Int.random(in: 0...5, using: &random) }
            return line
        }
        for row in 1...5_000 { #expect(index[row] == lines[row - 1]) }
        #expect(index[0] == nil && index[5_001] == nil)
    }

    @Test("a line index limits its memory by forgetting the first rows")
    func limit() {
        var index = LineIndex()
        var line = 1
        for row in 1...400_000 {
            index.add(line, row: row)
            line += row % 4 * 3 % 5 + 1
        }
        #expect(index[1] == nil)
        #expect(index[400_000] != nil)
        #expect(index[399_999] != nil)
    }
}
