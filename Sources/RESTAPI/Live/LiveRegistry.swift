// SPDX-License-Identifier: Apache-2.0

// The state of all live queries.

import Basics
import HTTPMessage
import ObjectGraph

/// A running read of a query.
struct LiveRead: Sendable {
    /// Later reads have greater numbers.
    let number: Int
    let query: Int
    let plan: LivePlan
    let source: any LiveSource
    let api: API
}

struct LiveRegistry: Sendable {
    /// Calls for a subscriber of a query when its feed is drained.
    typealias Waiting = (_ query: Int, _ subscriber: Int, any HTTPFeed) -> Void

    private var queries: [Int: LiveQuery] = [:]
    /// By a text that equal plans share.
    private var numbers: [String: [Int]] = [:]
    private var index = LiveIndex()
    var positions = LivePositions()
    /// The observation of commits, while there are queries.
    var observation: CommitObservation?
    /// In the order in which they are read.
    private var outdated = OrderedMembers<Int>()
    /// The queries that are being read. What they will show isn't known, so each change of their entities may concern them.
    private var reading: Set<Int> = []
    /// The queries whose last read has failed. They are read again with the next tick.
    private var failed: Set<Int> = []
    /// The queries without subscribers, in the order in which these have left.
    private var unused = OrderedMembers<Int>()
    /// Whether outdated queries are being read.
    private var isReading = false
    private var isTicking = false
    private var hasAdmittedFeeds = false
    private var ticks = 0
    private var lastQuery = 0
    private var lastRead = 0
    private var lastSubscriber = 0

    /// The number of times that reading may fail, once a second.
    private static let toleratedFailures = 10
    /// The number of queries without subscribers that are kept.
    private static let keptQueries = 1_000
    /// The number of queries that are read in one state.
    private static let sharedReads = 16
    /// How many seconds a query is kept without subscribers.
    private static let keptTicks = 30
    private static let heartbeatTicks = 15

    var isEmpty: Bool { queries.isEmpty }

    // MARK: Queries

    /// The number of a plan's query, which is kept until it is released.
    mutating func hold(_ plan: LivePlan, in api: API, from source: any LiveSource) -> Int {
        let text = plan.fetch.binding(in: api.names)
        let known = numbers[text]?.first { number in
            guard let query = queries[number] else { return false }
            return query.api.catalogue === api.catalogue && query.api.access === api.access && query.plan == plan
        }
        if let known {
            queries[known]?.holders += 1
            queries[known]?.unusedSince = nil
            unused.remove(known)
            return known
        }
        lastQuery += 1
        var query = LiveQuery(plan, in: api, from: source)
        query.holders = 1
        index.add(lastQuery, query.dependencies)
        queries[lastQuery] = query
        numbers[text, default: []].append(lastQuery)
        return lastQuery
    }

    mutating func release(_ number: Int) {
        queries[number]?.holders -= 1
        noteUse(of: number)
    }

    private mutating func noteUse(of number: Int) {
        guard let query = queries[number], !query.isUsed, query.unusedSince == nil else { return }
        queries[number]?.unusedSince = ticks
        unused.append(number)
        if unused.count > Self.keptQueries, let first = unused.members.first { remove(first) }
    }

    /// Ends the queries of a draft.
    mutating func removeQueries(in catalogue: Catalogue) {
        for (number, query) in queries where query.api.catalogue.path == catalogue.path { remove(number) }
    }

    /// Ends all queries, with the last event of their clients.
    mutating func removeAll(telling last: ServerSentEvent) {
        for number in Array(queries.keys) { remove(number, telling: last) }
    }

    private mutating func remove(_ number: Int, telling last: ServerSentEvent? = nil) {
        guard let query = queries.removeValue(forKey: number) else { return }
        index.remove(number, query.dependencies)
        for objectID in query.shown { index.hide(objectID, by: number) }
        let text = query.plan.fetch.binding(in: query.api.names)
        numbers[text]?.removeAll { $0 == number }
        if numbers[text]?.isEmpty == true { numbers[text] = nil }
        outdated.remove(number)
        reading.remove(number)
        failed.remove(number)
        unused.remove(number)
        for subscriber in query.subscribers.values {
            if let last { _ = subscriber.feed.send(last.bytes) }
            subscriber.feed.end()
        }
    }

    // MARK: Subscribers

    func query(numbered number: Int) -> LiveQuery? { queries[number] }

    /// Adds a subscriber. It begins with the present result, or with the one that is being read.
    mutating func add(_ subscriber: LiveSubscriber, to number: Int, waiting: Waiting) {
        guard queries[number] != nil else { return subscriber.feed.end() }
        lastSubscriber += 1
        if subscriber.admittedFeed != nil { hasAdmittedFeeds = true }
        queries[number]?.subscribers[lastSubscriber] = subscriber
        if queries[number]?.runningReads == 0, !outdated.contains(number) {
            deliver(number, toSubscriber: lastSubscriber, waiting)
        }
    }

    mutating func continueSending(to subscriber: Int, of number: Int, waiting: Waiting) {
        queries[number]?.subscribers[subscriber]?.isDrained()
        deliver(number, toSubscriber: subscriber, waiting)
    }

    /// The feeds of identities.
    var admittedFeeds: [AdmittedFeed] {
        guard hasAdmittedFeeds else { return [] }
        return queries.values.flatMap { $0.subscribers.values.compactMap(\.admittedFeed) }
    }

    private mutating func deliver(_ number: Int, toSubscriber only: Int? = nil, _ waiting: Waiting) {
        var feeds: [(Int, any HTTPFeed)] = []
        queries[number]?.deliver(toSubscriber: only) { subscriber, feed in feeds.append((subscriber, feed)) }
        for (subscriber, feed) in feeds { waiting(number, subscriber, feed) }
        noteUse(of: number)
    }

    // MARK: Changes

    /// Processes a commit. False if it isn't known completely, so that everything must be read again.
    mutating func process(_ commit: LiveCommit, waiting: Waiting) -> Bool {
        if commit.isUnknown || positions.identifyResults && commit.position?.transaction == nil { return false }
        positions.process(commit.position)
        var parts: [Int: LiveCommitPart] = [:]
        for change in commit.rows {
            var concerned = index.queries(for: change)
            for number in reading where queries[number]?.dependencies.mayShow(change.objectID) == true {
                concerned.insert(number)
            }
            for number in concerned {
                parts[number, default: LiveCommitPart(rows: [], position: commit.position)].rows.append(change)
            }
        }
        for (entity, properties) in commit.entities {
            for number in index.queries(forAllOf: entity, changing: properties) {
                parts[number] = LiveCommitPart(rows: [], isKnown: false, position: commit.position)
            }
        }
        for (number, part) in parts {
            let effect = queries[number]?.apply(part, at: &positions) ?? .nothing
            reindex(number)
            switch effect {
            case .nothing: break
            case .outdated: outdated.append(number)
            case .changed: deliver(number, waiting)
            }
        }
        return true
    }

    private mutating func reindex(_ number: Int) {
        guard let changes = queries[number]?.drainShownChanges() else { return }
        for objectID in changes.hidden { index.hide(objectID, by: number) }
        for objectID in changes.shown { index.show(objectID, by: number) }
    }

    /// Marks all queries to be read again, since anything may have changed.
    mutating func invalidate() {
        for number in Array(queries.keys) {
            queries[number]?.invalidate(readsUpTo: lastRead)
            outdated.append(number)
        }
    }

    // MARK: Reads

    /// Begins the read of a new query; nil if it has a result, or will have it soon.
    mutating func beginFirstRead(of number: Int) -> LiveRead? {
        guard let query = queries[number], query.present == nil, query.runningReads == 0 else { return nil }
        return beginRead(of: number)
    }

    /// Whether reading must begin: some queries are outdated, and they aren't being read.
    mutating func beginReading() -> Bool {
        guard !isReading, outdated.members.contains(where: isUsed) else { return false }
        isReading = true
        return true
    }

    /// Begins reads of some outdated queries, those first that have waited longest.
    mutating func beginReads() -> [LiveRead] {
        var numbers: [Int] = []
        for number in outdated.members where numbers.count < Self.sharedReads && isUsed(number) {
            numbers.append(number)
        }
        for number in numbers { outdated.remove(number) }
        isReading = !numbers.isEmpty
        return numbers.compactMap { beginRead(of: $0) }
    }

    private func isUsed(_ number: Int) -> Bool { queries[number]?.isUsed == true }

    private mutating func beginRead(of number: Int) -> LiveRead? {
        guard let query = queries[number] else { return nil }
        queries[number]?.runningReads += 1
        reading.insert(number)
        lastRead += 1
        return LiveRead(number: lastRead, query: number, plan: query.plan, source: query.source, api: query.api)
    }

    /// Ends a read. A query whose first read fails is removed, and one that fails often; its clients find out why when they
    /// connect again.
    mutating func finish(_ read: LiveRead, with result: Result<LiveReading, any Error>, waiting: Waiting) {
        guard let query = queries[read.query] else { return }
        switch result {
        case .success(let reading):
            if queries[read.query]?.install(reading, ofRead: read.number, at: &positions) == .outdated {
                outdated.append(read.query)
            }
            noteEnd(of: read)
            reindex(read.query)
            if queries[read.query]?.runningReads == 0 { deliver(read.query, waiting) }
        case .failure:
            guard query.present != nil, query.failures < Self.toleratedFailures else { return remove(read.query) }
            queries[read.query]?.failRead()
            noteEnd(of: read)
            failed.insert(read.query)
        }
    }

    private mutating func noteEnd(of read: LiveRead) {
        if queries[read.query]?.runningReads == 0 { reading.remove(read.query) }
    }

    // MARK: Time

    mutating func beginTicking() -> Bool {
        defer { isTicking = true }
        return !isTicking
    }

    /// Does what is due each second.
    ///
    /// - Returns: Whether there are no queries left.
    mutating func tick(isEnding: Bool) -> Bool {
        ticks += 1
        for number in failed { outdated.append(number) }
        failed = []
        for (number, query) in queries {
            if isEnding {
                remove(number, telling: .changedModel)
            } else if query.unusedSince.map({ ticks - $0 >= Self.keptTicks }) ?? false {
                remove(number)
            } else if query.dependencies.isVolatile, !query.subscribers.isEmpty, query.runningReads == 0 {
                outdated.append(number)
            }
        }
        if ticks.isMultiple(of: Self.heartbeatTicks) {
            for number in Array(queries.keys) {
                if !outdated.contains(number), !reading.contains(number) { queries[number]?.renew(at: &positions) }
                queries[number]?.sendHeartbeat()
                noteUse(of: number)
            }
        }
        isTicking = !queries.isEmpty
        return queries.isEmpty
    }
}
