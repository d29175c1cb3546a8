// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import OutcropCommand

@Suite("Remembered tokens")
struct RecentTokensTests {
    private let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    @Test("a result holds until its end, and only for the keys that it was found with")
    func validity() {
        var tokens = RecentTokens<String>(capacity: 10)
        tokens.insert("anna", of: [1], version: 1, until: now + 5, now: now)
        #expect(tokens.result(of: [1], version: 1, now: now + 4.9) == "anna")
        #expect(tokens.result(of: [2], version: 1, now: now) == nil)
        #expect(tokens.result(of: [1], version: 1, now: now + 5) == nil && tokens.count == 0)
        tokens.insert("anna", of: [1], version: 1, until: now + 5, now: now)
        #expect(tokens.result(of: [1], version: 2, now: now) == nil && tokens.count == 0)
    }

    @Test("the number is bounded, and those that were used last stay")
    func capacity() {
        var tokens = RecentTokens<Int>(capacity: 8)
        for number in 0..<8 { tokens.insert(number, of: [UInt8(number)], version: 1, until: now + 5, now: now) }
        #expect(tokens.result(of: [0], version: 1, now: now) == 0)
        tokens.insert(8, of: [8], version: 1, until: now + 5, now: now)
        #expect(tokens.count == 8)
        #expect(
            tokens.result(of: [1], version: 1, now: now) == nil && tokens.result(of: [0], version: 1, now: now) == 0
        )
        tokens.insert(9, of: [9], version: 1, until: now + 20, now: now + 10)
        #expect(tokens.count == 1)
    }
}
