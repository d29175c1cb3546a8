// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A limit on the memory of all requests together.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let reserved = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    func reserve(_ bytes: Int) -> Bool {
        guard reserved.add(bytes, ordering: .relaxed).newValue <= limit else {
            release(bytes)
            return false
        }
        return true
    }

    fileprivate func release(_ bytes: Int) { reserved.subtract(bytes, ordering: .relaxed) }
}

/// The memory of one request, returned to the budget on release.
final class MemoryShare: Sendable {
    private let budget: MemoryBudget
    private let reserved = Atomic(0)

    init(of budget: MemoryBudget) { self.budget = budget }

    deinit { budget.release(reserved.load(ordering: .relaxed)) }

    func reserve(_ bytes: Int) -> Bool {
        guard budget.reserve(bytes) else { return false }
        reserved.add(bytes, ordering: .relaxed)
        return true
    }
}
