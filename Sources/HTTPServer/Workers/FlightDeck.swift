// SPDX-License-Identifier: Apache-2.0

// How many requests are worked on.

import Synchronization

/// A bounded number of places.
final class FlightDeck: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var taken: Int { count.load(ordering: .relaxed) }

    /// A place, where one is free.
    func place() -> FlightPlace? {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return nil
        }
        return FlightPlace(deck: self)
    }

    fileprivate func leave() { count.subtract(1, ordering: .relaxed) }
}

/// A place that is free again when nobody holds it any more.
final class FlightPlace: Sendable {
    private let deck: FlightDeck

    fileprivate init(deck: FlightDeck) { self.deck = deck }

    deinit { deck.leave() }
}
