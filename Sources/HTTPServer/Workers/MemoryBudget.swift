// SPDX-License-Identifier: Apache-2.0

// How much memory all requests together may hold.

import Synchronization

/// A number of bytes, of which anybody may take some.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let taken = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    func take(_ bytes: Int) -> Bool {
        guard taken.add(bytes, ordering: .relaxed).newValue <= limit else {
            giveBack(bytes)
            return false
        }
        return true
    }

    func giveBack(_ bytes: Int) {
        if bytes > 0 { taken.subtract(bytes, ordering: .relaxed) }
    }
}
