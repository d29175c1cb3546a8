// SPDX-License-Identifier: Apache-2.0

// Feeds to which a test sends.

import HTTPMessage
import Synchronization

final class Feeds: Sendable {
    private let feeds = Mutex<[String: any HTTPFeed]>([:])

    var count: Int { feeds.withLock { $0.count } }

    func add(_ feed: any HTTPFeed, of target: String) { feeds.withLock { $0[target] = feed } }

    /// Sends to all; false if one of them doesn't accept the bytes.
    @discardableResult
    func send(_ text: String) -> Bool {
        feeds.withLock { feeds in feeds.values.map { $0.send(Array(text.utf8)) }.allSatisfy { $0 } }
    }

    /// Ends a feed and removes it.
    func end(_ target: String) {
        feeds.withLock { $0.removeValue(forKey: target) }?.end()
    }

    func forget(_ target: String) { feeds.withLock { _ = $0.removeValue(forKey: target) } }
}
