// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPMessage
import Synchronization

/// The open streams of identities. All of them are checked every few seconds, and when the rules are replaced.
final class AdmittedFeeds: Sendable {
    private struct State {
        var feeds: [ObjectIdentifier: AdmittedFeed] = [:]
        /// Whether the next check is scheduled.
        var isScheduled = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "admission of streams")

    /// Starts a stream.
    func start(_ feed: any HTTPFeed, of admission: Admission, _ start: (any HTTPFeed) -> Void) {
        let admitted = AdmittedFeed(feed, of: admission)
        let isFirst = state.withLock { state in
            state.feeds[ObjectIdentifier(admitted)] = admitted
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule(after: admission.checkInterval) }
        start(admitted)
    }

    func remove(_ feed: AdmittedFeed) { state.withLock { $0.feeds[ObjectIdentifier(feed)] = nil } }

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
