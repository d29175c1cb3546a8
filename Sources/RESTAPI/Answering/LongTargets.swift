// SPDX-License-Identifier: Apache-2.0

// Remembers which requests aren't worth an attempt on an event loop.

import Synchronization

/// The targets of requests that recently went from an event loop to a worker. They go to workers directly for a while:
/// an attempt that ends late costs its loop all the time that it may take.
final class LongTargets: Sendable {
    private let targets = Mutex<[String: ContinuousClock.Instant]>([:])

    private static let lifetime = Duration.seconds(10)
    private static let limit = 1_000
    private static let longestTarget = 1_000

    func contains(_ target: String) -> Bool {
        targets.withLock { targets in
            guard let since = targets[target] else { return false }
            if since + Self.lifetime > .now { return true }
            targets[target] = nil
            return false
        }
    }

    func insert(_ target: String) {
        guard target.utf8.count <= Self.longestTarget else { return }
        targets.withLock { targets in
            if targets.count >= Self.limit { targets = [:] }
            targets[target] = .now
        }
    }
}
