// SPDX-License-Identifier: Apache-2.0

// Remembers the entities that recently requested lists depend on.

import ObjectGraph
import Synchronization

/// Entities by request target. The cache is small, and is cleared when it is full.
final class ListDependencyCache: Sendable {
    private let lists = Mutex<[String: [EntityDescription]]>([:])

    private static let limit = 1_000
    private static let longestTarget = 1_000

    func entities(of target: String) -> [EntityDescription]? { lists.withLock { $0[target] } }

    func record(_ entities: [EntityDescription], of target: String) {
        guard target.utf8.count <= Self.longestTarget else { return }
        lists.withLock { lists in
            guard lists[target] == nil else { return }
            if lists.count >= Self.limit { lists = [:] }
            lists[target] = entities
        }
    }
}
