// SPDX-License-Identifier: Apache-2.0

// Whether commits are long.

import Testing

@testable import SQLiteDriver

@Suite("Times of commits")
struct CommitTimesTests {
    @Test("commits are long while most of them are, and not after a single long one")
    func average() {
        let times = CommitTimes()
        #expect(!times.areLong)
        times.add(.milliseconds(10))
        #expect(!times.areLong)
        for _ in 0..<30 { times.add(.milliseconds(3)) }
        #expect(times.areLong)
        for _ in 0..<30 { times.add(.microseconds(300)) }
        #expect(!times.areLong)
        times.add(.seconds(1_000_000_000))
        #expect(times.areLong)
    }
}
