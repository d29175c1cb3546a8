// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Commits of other processes")
struct CommitAccountTests {
    @Test("own commits aren't unseen, whatever happens between", arguments: SeededGenerator.seeds(20))
    func accounting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Also across the end of the numbers.
        var count = UInt32.random(in: 0...UInt32.max, using: &generator)
        if generator.chance(50) { count = .max - UInt32.random(in: 0...50, using: &generator) }
        var account = CommitAccount(seen: count)
        var unseen = 0
        func check() { #expect(account.hasUnseen(of: count) == (unseen > 0)) }
        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                count &+= 1
                unseen += 1
            case 1:
                account.begin(after: count)
                check()
                count &+= 1
                // Committed and not yet recorded.
                check()
                if generator.chance(30) {
                    count &+= 1
                    unseen += 1
                    check()
                }
                account.end(at: count)
            case 2:
                account.begin(after: count)
                check()
                if generator.chance(50) { account.abandon() } else { account.end(at: count) }
            default:
                account.see(count, of: count)
                unseen = 0
            }
            check()
        }
    }

    @Test("numbers that begin anew, because another process has recovered the log, are noticed once")
    func recovery() {
        var account = CommitAccount(seen: 500)
        #expect(account.hasUnseen(of: 3))
        account.see(3, of: 3)
        #expect(!account.hasUnseen(of: 3))
        account.begin(after: 3)
        account.end(at: 4)
        #expect(!account.hasUnseen(of: 4))
        #expect(account.hasUnseen(of: 5))
        // An own commit was recorded after the count was read.
        account.see(3, of: 4)
        #expect(!account.hasUnseen(of: 4))
    }
}
