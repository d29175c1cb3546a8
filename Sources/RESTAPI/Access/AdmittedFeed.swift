// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Synchronization

/// A stream of an identity, which ends when the request that opened it wouldn't be answered the same way any more.
///
/// 1. Nothing is sent after its end.
/// 2. `check()` is called before results are sent, and every few seconds for the credential. It may read from the stores, so
///    it is called without locks. `send` reads nothing.
final class AdmittedFeed: HTTPFeed {
    private struct State {
        var isEnded = false
        /// The state of what the permissions depend on when they were last checked.
        var stamp: Admission.Stamp
    }

    let place: FeedPlace
    private let feed: any HTTPFeed
    private let admission: Admission
    private let state: Mutex<State>

    init(_ feed: any HTTPFeed, at place: FeedPlace, of admission: Admission) {
        self.feed = feed
        self.place = place
        self.admission = admission
        // Something may have changed since the request was admitted.
        state = Mutex(State(stamp: Admission.Stamp(edition: -1, counter: 0)))
    }

    var checkInterval: Duration { admission.checkInterval }

    /// Whether the client is connected and the stream hasn't ended.
    var isOpen: Bool { send([]) }

    /// Ends the stream if the permissions have changed.
    ///
    /// - Parameter isThorough: Whether the credential is checked, too.
    func check(isThorough: Bool = false) {
        let stamp = admission.stamp
        guard state.withLock({ !$0.isEnded && (isThorough || $0.stamp != stamp) }) else { return }
        if let end = admission.end() { return finish(with: end.event.bytes) }
        state.withLock { $0.stamp = stamp }
    }

    func send(_ bytes: [UInt8]) -> Bool { state.withLock { !$0.isEnded && feed.send(bytes) } }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { feed.whenDrained(body) }

    func end() { finish() }

    private func finish(with last: [UInt8] = []) {
        let ends = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isEnded = true
            if !last.isEmpty { feed.send(last) }
            feed.end()
            return true
        }
        if ends { admission.accessGuard.feeds.remove(self) }
    }
}
