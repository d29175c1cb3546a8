// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The place of a stream among those that its identity may have open.
final class FeedPlace: Sendable {
    let key: String
    private let onRelease: @Sendable (String) -> Void
    private let isTaken = Atomic(true)

    init(_ key: String, onRelease: @escaping @Sendable (String) -> Void) {
        self.key = key
        self.onRelease = onRelease
    }

    /// A response whose body is never sent releases it, too.
    deinit { release() }

    func release() {
        if isTaken.exchange(false, ordering: .acquiringAndReleasing) { onRelease(key) }
    }
}
