// SPDX-License-Identifier: Apache-2.0

// Streams the history as Server-Sent Events.

import Dispatch
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

extension API {
    /// A stream with an event for each transaction from a token on; without one, from now on.
    ///
    /// - Parameter last: The last event that the client has received, or nil.
    func historyStream(_ plan: HistoryPlan, after last: HistoryToken?) throws -> Reply {
        var request = try plan.resolved(in: self)
        let current = try coordinator.currentHistoryToken()
        request.token = last ?? request.token ?? current
        var check = request
        check.limit = 0
        // A token that is refused is refused by the answer's status, not within the stream.
        _ = try coordinator.history(check)
        var reply = Reply(
            .feed { [self, request] feed in
                HistoryStream.start(feed, of: request, in: self)
            }
        )
        reply.fields[.cacheControl] = "no-store"
        return reply
    }
}

/// A client that follows the history.
///
/// 1. Each event's ID is the token behind it, so that a client that reconnects with it gets the next one.
/// 2. Transactions are read from the stores, in order, whenever something may have been written and the client has read
///    what was sent: none is lost, and a slow client costs no memory.
/// 3. A heartbeat has the token up to which nothing was selected, so that trimming costs the client nothing. While
///    transactions are read, only they are sent with an ID: IDs ascend.
private final class HistoryStream: Sendable {
    private let feed: any HTTPFeed
    private let coordinator: PersistentStoreCoordinator
    private let catalogue: Catalogue
    private let state: Mutex<State>
    private let observation = Mutex<CoordinatorObservation?>(nil)

    private struct State {
        var request: HistoryRequest
        var isReading = false
        /// Whether something may have been written since the last read began.
        var isOutdated = true
        /// The last ID that was sent.
        var sent: HistoryToken?
    }

    /// Reads the history for all streams, one at a time.
    private static let queue = DispatchQueue(label: "history streams")
    private static let limit = 1
    private static let changeLimit = 250
    private static let checkInterval = Duration.seconds(1)

    private init(
        _ feed: any HTTPFeed,
        _ request: HistoryRequest,
        _ coordinator: PersistentStoreCoordinator,
        _ catalogue: Catalogue
    ) {
        self.feed = feed
        self.coordinator = coordinator
        self.catalogue = catalogue
        var request = request
        request.limit = Self.limit
        request.changeLimit = Self.changeLimit
        state = Mutex(State(request: request, sent: request.token))
    }

    static func start(_ feed: any HTTPFeed, of request: HistoryRequest, in api: API) {
        let coordinator = api.coordinator
        let interval = api.options.heartbeatInterval
        let stream = HistoryStream(feed, request, coordinator, api.catalogue)
        // Shows the client where the stream begins, even if nothing follows.
        let begin = ServerSentEvent(id: request.token?.description, retry: 1_000, comment: "listening")
        guard feed.send(begin.bytes) else { return }
        let number = coordinator.observe { [weak stream] _ in stream?.readSoon() }
        stream.observation.withLock { $0 = number }
        Task {
            var next = ContinuousClock.now + interval
            while stream.isFollowing {
                try? await Task.sleep(for: min(interval, checkInterval))
                guard ContinuousClock.now >= next else { continue }
                stream.sendHeartbeat()
                next += interval
            }
        }
        stream.readSoon()
    }

    /// False when the stream has ended. With another version of the model, other stores are followed: the client connects
    /// again.
    private var isFollowing: Bool {
        guard coordinator.isEnding else { return observation.withLock { $0 != nil } }
        _ = feed.send(ServerSentEvent.changedModel.bytes)
        feed.end()
        stop()
        return false
    }

    private func sendHeartbeat() {
        let isOpen = state.withLock { state in
            let token = state.isReading ? state.sent : state.request.token
            let isNew = token != state.sent
            state.sent = token
            return feed.send(ServerSentEvent(id: isNew ? token?.description : nil, comment: "").bytes)
        }
        if !isOpen { stop() }
    }

    private func readSoon() {
        let isIdle = state.withLock { state in
            state.isOutdated = true
            defer { state.isReading = true }
            return !state.isReading
        }
        if isIdle { feed.whenDrained { [self] in read() } }
    }

    /// Reads what follows, and sends one transaction; the next one when the client has read it.
    private func read() {
        Self.queue.async { [self] in
            let request = state.withLock { state in
                state.isOutdated = false
                return state.request
            }
            do throws(GraphError) {
                let result = try coordinator.history(request)
                // What follows a change of permissions isn't sent.
                (feed as? AdmittedFeed)?.check()
                for transaction in result.transactions where !send(transaction) { return stop() }
                let goesOn = state.withLock { state in
                    state.request.token = result.token
                    state.sent = result.transactions.last?.token ?? state.sent
                    state.isReading = result.hasMore || state.isOutdated
                    return state.isReading
                }
                if goesOn { feed.whenDrained { [self] in read() } }
            } catch {
                // The client finds out why when it connects again.
                feed.end()
                stop()
            }
        }
    }

    private func send(_ transaction: HistoryTransaction) -> Bool {
        let event = ServerSentEvent(
            id: transaction.token.description,
            event: "transaction",
            data: catalogue.json(transaction).serialized()
        )
        return feed.send(event.bytes)
    }

    private func stop() {
        guard let number = observation.withLock({ $0.take() }) else { return }
        coordinator.remove(number)
    }
}
