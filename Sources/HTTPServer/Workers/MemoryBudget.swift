// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A limit on the memory of all requests together.
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

    fileprivate func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

/// The memory of one request, returned to the budget on release.
final class MemoryShare: Sendable {
    private let budget: MemoryBudget
    private let taken = Atomic(0)

    init(of budget: MemoryBudget) { self.budget = budget }

    deinit { budget.giveBack(taken.load(ordering: .relaxed)) }

    func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else { return false }
        taken.add(bytes, ordering: .relaxed)
        return true
    }
}
