// SPDX-License-Identifier: Apache-2.0

import Basics

/// The time that an event loop gives to a request.
///
/// It ends when the loop has run for this time, or has waited for the disk or a lock when this time has passed. While the
/// system runs other threads instead, a worker wouldn't be faster: such time doesn't count, up to a limit.
struct LoopTurn: Sendable {
    /// When the turn ends, however long the loop has run.
    let end: ContinuousClock.Instant
    private let time: Duration
    private let former: ThreadUsage
    /// When to look at the thread's usage.
    private var check: ContinuousClock.Instant

    /// How many times as long a turn may be if the loop doesn't run.
    private static let patience = 4

    init(_ time: Duration, since start: ContinuousClock.Instant, _ usage: ThreadUsage) {
        self.time = time
        former = usage
        check = start + time
        end = start + time * Self.patience
    }

    mutating func isOver(at now: ContinuousClock.Instant, _ usage: () -> ThreadUsage) -> Bool {
        guard now >= check else { return false }
        guard now < end else { return true }
        let usage = usage()
        let left = time - (usage.processorTime - former.processorTime)
        guard usage.waits == former.waits, left > .zero else { return true }
        check = min(now + left, end)
        return false
    }
}
