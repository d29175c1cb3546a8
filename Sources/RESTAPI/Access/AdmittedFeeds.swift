// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPMessage
import Identities
import Synchronization

/// The open streams of identities. All of them are checked every few seconds, and when the rules are replaced.
final class AdmittedFeeds: Sendable {
    private struct State {
        var feeds: [ObjectIdentifier: AdmittedFeed] = [:]
        /// How many are open or about to be, by identity or address.
        var counts: [String: Int] = [:]
        /// Whether the next check is scheduled.
        var isScheduled = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "admission of streams")

    /// A place for another stream of an identity, or of an address without one. Throws if there are as many as the limit.
    func place(for identity: Identity, sending request: HTTPRequest, limit: Int?) throws(Problem) -> FeedPlace {
        let key =
            identity.isAnonymous
            ? "address \(ClientAddress.network(of: request.client))" : "identity \(identity.owner ?? identity.name)"
        if let place = place(key, limit: limit) { return place }
        // Clients that are gone are noticed only when something is sent.
        for feed in all where feed.place.key == key && !feed.isOpen { remove(feed) }
        if let place = place(key, limit: limit) { return place }
        throw .tooManyStreams(limit ?? 0)
    }

    private func place(_ key: String, limit: Int?) -> FeedPlace? {
        let isFree = state.withLock { state in
            let count = state.counts[key, default: 0]
            guard count < limit ?? .max else { return false }
            state.counts[key] = count + 1
            return true
        }
        return isFree ? FeedPlace(key) { [weak self] key in self?.release(key) } : nil
    }

    private func release(_ key: String) {
        state.withLock { state in
            let count = state.counts[key, default: 0]
            state.counts[key] = count > 1 ? count - 1 : nil
        }
    }

    /// Starts a stream.
    func start(_ feed: any HTTPFeed, at place: FeedPlace, of admission: Admission, _ start: (any HTTPFeed) -> Void) {
        let admitted = AdmittedFeed(feed, at: place, of: admission)
        let isFirst = state.withLock { state in
            state.feeds[ObjectIdentifier(admitted)] = admitted
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule(after: admission.checkInterval) }
        start(admitted)
    }

    func remove(_ feed: AdmittedFeed) {
        _ = state.withLock { $0.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
        feed.place.release()
    }

    /// Checks all streams, since the rules have changed.
    func checkSoon() { queue.async { [weak self] in self?.check() } }

    private var all: [AdmittedFeed] { state.withLock { Array($0.feeds.values) } }

    private func check() {
        for feed in all {
            if feed.isOpen { feed.check(isThorough: true) } else { remove(feed) }
        }
    }

    private func schedule(after interval: Duration) {
        queue.asyncAfter(deadline: .now() + interval.seconds) { [weak self] in
            guard let self else { return }
            check()
            let next = state.withLock { state in
                state.isScheduled = !state.feeds.isEmpty
                return state.feeds.values.first?.checkInterval
            }
            if let next { schedule(after: next) }
        }
    }
}

extension Problem {
    fileprivate static func tooManyStreams(_ limit: Int) -> Problem {
        var problem = Problem(
            .rate,
            "The identity's roles permit \(limit) open streams.",
            hint: "End one, or watch more with one query."
        )
        problem.fields = [.retryAfter: "15"]
        return problem
    }
}
