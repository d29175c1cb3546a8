// SPDX-License-Identifier: Apache-2.0

// The live queries of a server, or of a draft.

import Dispatch
import HTTPMessage
import ObjectGraph
import Synchronization

/// All live queries with the same stores.
///
/// 1. Commits are processed in the order in which they are published, on one queue; reads run on another, so that a long
///    one doesn't delay queries that need none.
/// 2. A query is registered before its result is read, so that each commit is part of the result or applied to it.
/// 3. Subscribers to equal plans share one query. It is kept for a while after the last one, for clients that connect
///    again.
/// 4. Before commits and results of reads are sent, subscribers whose permissions have changed are ended: the commit that
///    changed them was published before.
final class LiveQueries: Sendable {
    private let registry = Mutex(LiveRegistry())
    private let inbox = Mutex(Inbox())
    private let queue = DispatchQueue(label: "live queries")
    private let readQueue = DispatchQueue(label: "reads of live queries")
    /// Nil for a draft, which announces its changes.
    private let coordinator: PersistentStoreCoordinator?
    private let isInvalidating = Atomic(false)

    private struct Inbox {
        var commits: [(changes: SavedChanges, position: CommitPosition?)] = []
        /// Whether there were too many commits, so that all of them were dropped.
        var isOverflowing = false
        var isScheduled = false
    }

    /// The number of commits that wait to be processed. If there are more, everything is read again instead.
    private static let inboxLimit = 10_000

    init(of coordinator: PersistentStoreCoordinator? = nil) {
        self.coordinator = coordinator
    }

    // MARK: Subscribing

    /// A live query as a stream of events.
    ///
    /// - Parameters:
    ///   - last: The last event that the client has received, or nil.
    ///   - hold: Is kept as long as the client is connected.
    func reply(
        to plan: LivePlan,
        after last: String?,
        from source: any LiveSource,
        holding hold: (any Sendable)? = nil,
        in api: API
    ) throws -> Reply {
        let query = LiveQueryHold(number(of: plan, from: source, in: api), of: self)
        try readFirst(query.number, plan, from: source, in: api)
        let start = try start(after: last, of: query.number)
        var reply = Reply(
            .feed { [self] feed in
                // In turn, so that the client gets nothing older than what was committed before.
                queue.async { [self] in
                    let subscriber = LiveSubscriber(feed, after: start, holding: hold)
                    registry.withLock { $0.add(subscriber, to: query.number, waiting: waiting) }
                    readOutdated()
                }
            }
        )
        reply.fields[.cacheControl] = "no-store"
        return reply
    }

    /// The number of a plan's query. Commits are observed as long as there are queries.
    private func number(of plan: LivePlan, from source: any LiveSource, in api: API) -> Int {
        let (number, isFirst) = registry.withLock { registry in
            let number = registry.hold(plan, in: api, from: source)
            let isFirst = registry.beginTicking()
            if isFirst, let coordinator {
                registry.observation = coordinator.observeCommits { [weak self] changes, position in
                    self?.enqueue(changes, at: position)
                }
            }
            return (number, isFirst)
        }
        guard isFirst else { return number }
        beginAgain()
        startTicking()
        return number
    }

    /// Begins at the present position: states that are read from now on include what was committed before.
    private func beginAgain(_ body: (inout LiveRegistry) -> Void = { _ in }) {
        let token = try? coordinator?.currentHistoryToken()
        registry.withLock { registry in
            registry.positions.begin(at: token, identifyingResults: coordinator?.keepsWholeHistory ?? false)
            body(&registry)
        }
    }

    /// Reads the result of a new query. The request fails if that does.
    private func readFirst(_ number: Int, _ plan: LivePlan, from source: any LiveSource, in api: API) throws {
        guard let read = registry.withLock({ $0.beginFirstRead(of: number) }) else { return }
        let result = Result { try source.read(plan, at: nil, in: api) }
        finish(read, with: result)
        readOutdated()
        _ = try result.get()
    }

    /// What a client that had received an event knows.
    private func start(after last: String?, of number: Int) throws -> LiveStart {
        guard let last else { return .nothing }
        guard let query = registry.withLock({ $0.query(numbered: number) }), let present = query.present else {
            return .unknown
        }
        if let known = query.result(identifiedBy: last) { return .known(known.number) }
        let dependencies = query.dependencies
        guard !dependencies.isVolatile, !dependencies.isUnbounded, let coordinator,
            let token = query.position(identifiedBy: last),
            // The client may have seen a later state on another server.
            let known = present.ids.last.flatMap(query.position), known.includes(token),
            try !coordinator.hasHistory(of: dependencies.entities, after: token)
        else { return .unknown }
        return .known(present.number)
    }

    fileprivate func release(_ number: Int) { registry.withLock { $0.release(number) } }

    /// Continues a subscriber when it has received what was sent.
    private func waiting(_ number: Int, _ subscriber: Int, _ feed: any HTTPFeed) {
        feed.whenDrained { [weak self] in
            guard let self else { return }
            queue.async { [self] in
                registry.withLock { $0.continueSending(to: subscriber, of: number, waiting: waiting) }
            }
        }
    }

    // MARK: Commits

    private func enqueue(_ changes: SavedChanges, at position: CommitPosition?) {
        let isNew = inbox.withLock { inbox in
            if inbox.commits.count >= Self.inboxLimit {
                inbox.commits = []
                inbox.isOverflowing = true
            }
            if !inbox.isOverflowing { inbox.commits.append((changes, position)) }
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isNew { queue.async { [weak self] in self?.processInbox() } }
    }

    private func processInbox() {
        let (commits, isOverflowing) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.commits, inbox.isOverflowing)
        }
        checkAdmissions()
        let isKnown = registry.withLock { registry in
            commits.allSatisfy { registry.process(LiveCommit($0, at: $1), waiting: waiting) }
        }
        if isOverflowing || !isKnown { beginAgain { $0.invalidate() } }
        if registry.withLock(\.positions.hasGap) { closeGaps() }
        readOutdated()
    }

    /// Finds out whether unpublished transactions are empty, or of another process whose commits aren't noticed yet. If that
    /// can't be found out, everything is read again.
    private func closeGaps() {
        guard let coordinator else { return }
        coordinator.noticeOtherWriters()
        var request = registry.withLock { HistoryRequest(after: $0.positions.token) }
        request.limit = 1
        request.changeLimit = 1
        let next = try? coordinator.history(request).transactions.first
        let isLost = registry.withLock { $0.positions.closeGap(beforeTransaction: next?.number, of: next?.store) }
        if isLost { beginAgain { $0.invalidate() } }
    }

    /// Marks everything to be read again, since a draft has changed.
    func invalidate() {
        guard registry.withLock({ !$0.isEmpty }), !isInvalidating.exchange(true, ordering: .acquiringAndReleasing)
        else {
            return
        }
        queue.async { [weak self] in
            guard let self else { return }
            isInvalidating.store(false, ordering: .releasing)
            registry.withLock { $0.invalidate() }
            readOutdated()
        }
    }

    /// Ends all queries, since another model is served from now on.
    func endForOtherModel() { queue.async { [self] in registry.withLock { $0.removeAll(telling: .changedModel) } } }

    /// Ends the queries of a draft that has ended.
    func end(_ catalogue: Catalogue) { registry.withLock { $0.removeQueries(in: catalogue) } }

    // MARK: Reads

    private func readOutdated() {
        guard registry.withLock({ $0.beginReading() }) else { return }
        readQueue.async { [weak self] in
            while let self, self.readSome() {}
        }
    }

    /// Reads some outdated queries, in one state. False if there are none.
    private func readSome() -> Bool {
        let reads = registry.withLock { $0.beginReads() }
        guard !reads.isEmpty else { return false }
        let state = coordinator.flatMap { try? LiveState(of: $0) }
        for read in reads {
            let options = read.api.options
            let limits = WorkLimits(
                deadline: options.deadline.map { .now + $0 },
                allowance: ReadAllowance(options.readLimit)
            )
            let result = Result { try limits.hold { try read.source.read(read.plan, at: state, in: read.api) } }
            checkAdmissions()
            finish(read, with: result)
        }
        return true
    }

    /// Ends the feeds of identities whose permissions have changed. That may read, so it isn't done with the registry's lock.
    private func checkAdmissions() {
        for feed in registry.withLock(\.admittedFeeds) { feed.check() }
    }

    private func finish(_ read: LiveRead, with result: Result<LiveReading, any Error>) {
        registry.withLock { $0.finish(read, with: result, waiting: waiting) }
    }

    // MARK: Time

    private func startTicking() {
        Task { [weak self] in
            repeat { try? await Task.sleep(for: .seconds(1)) } while self?.tick() ?? false
        }
    }

    /// Does what is due each second. False if there are no queries any more.
    private func tick() -> Bool {
        // With another version of the model, other stores are read: clients connect again.
        let isEnding = coordinator?.isEnding ?? false
        let (isEmpty, observation) = registry.withLock { registry in
            let isEmpty = registry.tick(isEnding: isEnding)
            return (isEmpty, isEmpty ? registry.observation.take() : nil)
        }
        if let observation { coordinator?.remove(observation) }
        readOutdated()
        return !isEmpty
    }
}

/// Keeps a query while a request is about to subscribe to it.
final class LiveQueryHold: Sendable {
    let number: Int
    private let queries: LiveQueries

    init(_ number: Int, of queries: LiveQueries) {
        self.number = number
        self.queries = queries
    }

    deinit { queries.release(number) }
}

extension HistoryToken {
    /// Whether it isn't behind another one in any store.
    fileprivate func includes(_ other: HistoryToken) -> Bool {
        other.stores.allSatisfy { store in (self[store] ?? .start) >= (other[store] ?? .start) }
    }
}

extension PersistentStoreCoordinator {
    /// Whether objects of some entities have changed after a position, or that can't be known.
    fileprivate func hasHistory(of entities: Set<Int>, after token: HistoryToken) throws(GraphError) -> Bool {
        var request = HistoryRequest(after: token)
        request.limit = 1
        request.changeLimit = 1
        request.filter.entities = entities.sorted().map { model.entities[$0] }
        do {
            return try !history(request).transactions.isEmpty
        } catch let error where error.code == .historyTrimmed || error.code == .historyUnkept {
            return true
        }
    }
}
