// SPDX-License-Identifier: Apache-2.0

// Which entities the lists depend on that were asked for lately.

import ObjectGraph
import Synchronization

/// The entities by the targets of requests. It takes little room: where it is full it begins anew.
final class KnownLists: Sendable {
    private let lists = Mutex<[String: [EntityDescription]]>([:])

    private static let limit = 1_000
    private static let longestTarget = 1_000

    func contains(_ target: String) -> Bool { lists.withLock { $0[target] != nil } }

    func entities(of target: String) -> [EntityDescription]? { lists.withLock { $0[target] } }

    func note(_ target: String, _ entities: [EntityDescription]) {
        guard target.utf8.count <= Self.longestTarget else { return }
        lists.withLock { lists in
            if lists.count >= Self.limit { lists = [:] }
            lists[target] = entities
        }
    }
}
