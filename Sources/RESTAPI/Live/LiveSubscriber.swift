// SPDX-License-Identifier: Apache-2.0

// A client that watches a live query.

import HTTPMessage

struct LiveSubscriber: Sendable {
    let feed: any HTTPFeed
    /// Keeps what it watches in use.
    let hold: (any Sendable)?
    /// What it knows before its first event; nil after that.
    var start: LiveStart?
    /// The number of the result that it has.
    var shown = 0
    /// The bytes sent since it was last known to be drained.
    private(set) var sent = 0
    /// Whether it will be continued when it is drained.
    var isWaiting = false

    /// The delay before a client connects again, in milliseconds.
    static let retry = 1_000
    /// From here on it is asked to say when it is drained.
    private static let watchedSize = 32 << 10
    /// From here on it gets nothing until it is drained.
    private static let limit = 128 << 10

    init(_ feed: any HTTPFeed, after start: LiveStart, holding hold: (any Sendable)?) {
        self.feed = feed
        self.start = start
        self.hold = hold
    }

    /// A large event is sent alone, since nothing waits before it.
    func canTake(_ count: Int) -> Bool { sent == 0 || sent + count <= Self.limit }

    var needsDrainage: Bool { sent > Self.watchedSize && !isWaiting }

    /// False if the client is gone.
    mutating func send(_ bytes: [UInt8]) -> Bool {
        sent += bytes.count
        return feed.send(bytes)
    }

    mutating func isDrained() {
        sent = 0
        isWaiting = false
    }
}
