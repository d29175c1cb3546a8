// SPDX-License-Identifier: Apache-2.0

// How many requests are worked on.

import Synchronization

/// A bounded number of places.
final class FlightDeck: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var taken: Int { count.load(ordering: .relaxed) }

    /// A place, where one is free, of a request that waits for a worker.
    func place(since: Moment) -> FlightPlace? {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return nil
        }
        return FlightPlace(deck: self, since: since)
    }

    fileprivate func leave() { count.subtract(1, ordering: .relaxed) }
}

/// A place that is free again when nobody holds it any more. Its request is begun by a worker or given up before, never both.
final class FlightPlace: Sendable {
    private let deck: FlightDeck
    /// Since when it waits; 0 when it doesn't.
    private let since: Atomic<Int>

    fileprivate init(deck: FlightDeck, since: Moment) {
        self.deck = deck
        self.since = Atomic(since.nanoseconds)
    }

    deinit { deck.leave() }

    var waitingSince: Moment? { Self.moment(since.load(ordering: .relaxed)) }

    /// Another worker is to go on with it.
    func wait() { since.store(Moment.now.nanoseconds, ordering: .relaxed) }

    /// It waits no longer, since it is begun or given up; since when it did, where that was so.
    func stopWaiting() -> Moment? { Self.moment(since.exchange(0, ordering: .relaxed)) }

    private static func moment(_ since: Int) -> Moment? { since > 0 ? Moment(nanoseconds: since) : nil }
}
