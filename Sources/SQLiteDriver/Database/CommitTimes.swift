// SPDX-License-Identifier: Apache-2.0

// How long commits take, which is what the disk takes.

import Synchronization

/// A moving average of the time of commits.
final class CommitTimes: Sendable {
    /// The time from which a commit is long, in nanoseconds: then those that wait for it let other threads run.
    static let limit = 1_500_000

    private let average = Atomic(0)

    var areLong: Bool { average.load(ordering: .relaxed) > Self.limit }

    /// Called by one thread at a time.
    func add(_ time: Duration) {
        let nanoseconds = Int(min(time, .seconds(60)) / .nanoseconds(1))
        let former = average.load(ordering: .relaxed)
        average.store(former + (nanoseconds - former) / 8, ordering: .relaxed)
    }
}
