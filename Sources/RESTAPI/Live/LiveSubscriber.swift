// SPDX-License-Identifier: Apache-2.0

// A client that watches a live query.

import HTTPMessage

struct LiveSubscriber: Sendable {
    let feed: any HTTPFeed
    /// The same if it is the feed of an identity.
    let admittedFeed: AdmittedFeed?
    /// Keeps what it watches in use.
    let hold: (any Sendable)?
    /// What it knows before its first event; nil after that.
    var start: LiveStart?
    /// The number of the result that it has.
    var shown = 0
    /// The bytes sent since it was last known to be drained.
    private var sent = 0
    /// Whether it gets nothing until it is drained.
    var isWaiting = false

    /// The delay before a client connects again, in milliseconds.
    static let retry = 1_000
    /// The number of bytes that may be sent before it is drained.
    private static let limit = 128 << 10

    init(_ feed: any HTTPFeed, after start: LiveStart, holding hold: (any Sendable)?) {
        self.feed = feed
        admittedFeed = feed as? AdmittedFeed
        self.start = start
        self.hold = hold
    }

    /// The number of the result that it has, or nil if that isn't known.
    var knownResult: Int? {
        switch start {
        case nil: shown
        case .known(let number): number
        case .nothing, .unknown: nil
        }
    }

    /// Whether an event may be sent now. A large one is sent alone.
    func canTake(_ count: Int) -> Bool { sent == 0 || sent + count <= Self.limit }

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
