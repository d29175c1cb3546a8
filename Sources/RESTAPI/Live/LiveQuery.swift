// SPDX-License-Identifier: Apache-2.0

// A live query: its present result, former ones, and subscribers.

import HTTPMessage
import ObjectGraph

/// A query that any number of clients watch.
///
/// 1. Results are numbered in order. Each has an ID, the position in the history that it includes; no two results of a
///    query have the same one.
/// 2. A client that knows a result which is still kept gets the difference to the present one, any other client the
///    whole present one.
/// 3. Commits are applied to the result of a read only if they aren't part of the state that was read.
struct LiveQuery: Sendable {
    struct Result: Sendable {
        let number: Int
        /// The ID that it was sent with, and a later one without another change.
        var ids: [String]
        let content: LiveContent
    }

    let plan: LivePlan
    let api: API
    let source: any LiveSource
    let dependencies: LiveDependencies
    /// The present result last; empty until it is read.
    private(set) var results: [Result] = []
    /// The position of the state that was read last.
    private(set) var position: HistoryToken?
    private var updating: LiveUpdating?
    private var renderer: LiveRenderer
    /// The objects by which the index finds it.
    private(set) var shown: Set<ManagedObjectID> = []
    /// The objects that the index doesn't have yet, or has still.
    private var unindexed = LiveShownChanges()
    /// The number of the read whose result was installed last.
    private var installedRead = 0
    /// How many reads are running. Commits meanwhile are kept, and applied to their results.
    var runningReads = 0
    private var missed: [LiveCommitPart] = []
    /// The number of requests that are about to subscribe.
    var holders = 0
    var subscribers: [Int: LiveSubscriber] = [:]
    /// The time since which nothing uses it, in ticks.
    var unusedSince: Int?

    /// The number of results that are kept for clients that read slowly or connect again.
    private static let keptResults = 32
    /// The number of commits that are kept during a read.
    private static let keptCommits = 1_000

    init(_ plan: LivePlan, in api: API, from source: any LiveSource) {
        self.plan = plan
        self.api = api
        self.source = source
        dependencies = LiveDependencies(plan, in: api.catalogue)
        renderer = LiveRenderer(plan, in: api.catalogue)
    }

    var present: Result? { results.last }

    func result(identifiedBy id: String) -> Result? { results.last { $0.ids.contains(id) } }

    func result(numbered number: Int) -> Result? {
        guard let first = results.first, number >= first.number, number - first.number < results.count else {
            return nil
        }
        return results[number - first.number]
    }

    // MARK: Updating

    /// What follows from a commit or a read.
    enum Effect {
        case nothing
        case changed
        /// The result must be read again.
        case outdated
    }

    /// Applies a commit to the present result.
    mutating func apply(_ part: LiveCommitPart, at positions: inout LivePositions) -> Effect {
        guard runningReads == 0, let present else {
            if missed.count < Self.keptCommits { missed.append(part) } else { missed = [.unknown] }
            return .nothing
        }
        if includes(part) { return .nothing }
        // It is moved out while it changes, so that it isn't copied.
        guard part.isKnown, let updating = updating.take() else { return .outdated }
        // What is kept of a result has no members of relationships.
        let rows = part.rows.filter { !$0.isOfMembers }
        do {
            switch updating {
            case .tally(var tally):
                for change in rows where try !tally.apply(change) { return .outdated }
                self.updating = .tally(tally)
                return set(.count(tally.count), at: &positions)
            case .window(var window, var total):
                var isKnown = true
                for change in rows where isKnown {
                    isKnown = try window.apply(change)
                    if try total?.apply(change) == false { isKnown = false }
                }
                show(window.drainShownChanges())
                guard isKnown else { return .outdated }
                guard case .list(var list) = present.content else { return .outdated }
                list.items = window.items { renderer.item($0) }
                list.total = total?.count
                self.updating = .window(window, total: total)
                return set(.list(list), at: &positions)
            }
        } catch {
            return .outdated
        }
    }

    private mutating func show(_ changes: LiveShownChanges) {
        shown.subtract(changes.hidden)
        shown.formUnion(changes.shown)
        unindexed.add(changes)
    }

    /// Removes and returns what the index must be told.
    mutating func drainShownChanges() -> LiveShownChanges {
        defer { unindexed = LiveShownChanges() }
        return unindexed
    }

    /// Whether the state that was read includes a commit.
    private func includes(_ part: LiveCommitPart) -> Bool {
        guard let position = part.position, let transaction = position.transaction,
            let read = self.position?[position.store]
        else { return false }
        return transaction <= read.transaction
    }

    /// Replaces the result by one that was read.
    ///
    /// - Parameter read: The number of the read.
    mutating func install(
        _ reading: LiveReading,
        ofRead read: Int,
        at positions: inout LivePositions
    ) -> Effect {
        runningReads -= 1
        if read > installedRead {
            installedRead = read
            position = reading.position
            updating = reading.updating
            show(LiveShownChanges(hidden: shown.subtracting(reading.shown), shown: reading.shown.subtracting(shown)))
            var content = reading.content
            if case .list(let list) = content, case .list(let former)? = present?.content {
                content = .list(list.reusing(former))
            }
            _ = set(content, at: &positions)
        }
        guard runningReads == 0 else { return .nothing }
        let parts = missed
        missed = []
        for part in parts {
            let concerns = part.rows.isEmpty || part.rows.contains { dependencies.concern($0, showing: shown) }
            if concerns, apply(part, at: &positions) == .outdated { return .outdated }
        }
        return .changed
    }

    /// Ends a read without a result.
    mutating func abandonRead() {
        runningReads -= 1
        if runningReads == 0 { missed = [] }
    }

    private mutating func set(_ content: LiveContent, at positions: inout LivePositions) -> Effect {
        guard let present else {
            results = [Result(number: 1, ids: [positions.identifier(including: position)], content: content)]
            return .changed
        }
        if content.isEqual(to: present.content) { return .nothing }
        var name = positions.identifier(including: position)
        // What a store writes without history doesn't advance its position.
        var count = 0
        while result(identifiedBy: name) != nil {
            count += 1
            name = "\(positions.identifier(including: position))~\(count)"
        }
        results.append(Result(number: present.number + 1, ids: [name], content: content))
        if results.count > Self.keptResults { results.removeFirst() }
        return .changed
    }

    /// Gives the present result a later ID, for clients that connect again after a long time without changes.
    mutating func renew(at positions: inout LivePositions) {
        guard let present, !present.ids[0].contains("~") else { return }
        let name = positions.identifier(including: position)
        guard result(identifiedBy: name) == nil else { return }
        results[results.count - 1].ids = [present.ids[0], name]
    }

    // MARK: Sending

    /// Sends the present result to all subscribers that can take it. Removes those that are gone.
    ///
    /// - Parameter waiting: Called with those that are to be continued when they are drained.
    mutating func deliver(waiting: (Int, any HTTPFeed) -> Void) {
        guard let present, let id = present.ids.first else { return }
        let former = result(numbered: present.number - 1)
        lazy var event = former.flatMap { present.content.event(after: $0.content) }?.bytes(id: id)
        for number in Array(subscribers.keys) {
            guard var subscriber = subscribers[number], subscriber.shown < present.number else { continue }
            let isThere: Bool
            if let start = subscriber.start {
                isThere = begin(&subscriber, after: start)
            } else if subscriber.shown == present.number - 1, let event {
                guard subscriber.canTake(event.count) else { continue }
                isThere = subscriber.send(event)
            } else {
                guard subscriber.canTake(0) else { continue }
                isThere = advance(&subscriber)
            }
            subscriber.shown = present.number
            if isThere, subscriber.needsDrainage {
                subscriber.isWaiting = true
                waiting(number, subscriber.feed)
            }
            subscribers[number] = isThere ? subscriber : nil
        }
    }

    /// Sends the present result, or the difference to it, to a new subscriber. False if it is gone.
    private func begin(_ subscriber: inout LiveSubscriber, after start: LiveStart) -> Bool {
        guard let present, let id = present.ids.last else { return true }
        subscriber.start = nil
        let known: Result? = if case .known(let number) = start { result(numbered: number) } else { nil }
        guard let known else {
            let isReset = start != .nothing
            return subscriber.send(present.content.event(isReset: isReset).bytes(id: id, retry: LiveSubscriber.retry))
        }
        guard let event = present.content.event(after: known.content) else {
            return subscriber.send(Array("retry: \(LiveSubscriber.retry)\nid: \(id)\n\n".utf8))
        }
        return subscriber.send(event.bytes(id: id, retry: LiveSubscriber.retry))
    }

    /// Sends the difference between the result that a subscriber has and the present one, or the present one if it has
    /// missed too many. False if it is gone.
    private func advance(_ subscriber: inout LiveSubscriber) -> Bool {
        guard let present, let id = present.ids.last else { return true }
        let known = result(numbered: subscriber.shown)
        let event = known.map { present.content.event(after: $0.content) } ?? present.content.event(isReset: true)
        return event.map { subscriber.send($0.bytes(id: id)) } ?? true
    }

    /// Sends what keeps a connection alive. Removes subscribers that are gone.
    mutating func sendHeartbeat() {
        guard let present, let id = present.ids.last else { return }
        let renewal = Array("id: \(id)\n\n".utf8)
        let comment = Array(":\n\n".utf8)
        for (number, subscriber) in subscribers where subscriber.start == nil && !subscriber.isWaiting {
            let isRenewed = subscriber.shown == present.number && present.ids.count > 1
            if !subscriber.feed.send(isRenewed ? renewal : comment) { subscribers[number] = nil }
        }
    }
}

/// What a commit changes for one query.
struct LiveCommitPart: Sendable {
    var rows: [LiveRowChange]
    /// Whether the rows are all that has changed.
    var isKnown = true
    let position: CommitPosition?

    static let unknown = LiveCommitPart(rows: [], isKnown: false, position: nil)
}

/// The result that a new subscriber has already.
enum LiveStart: Equatable, Sendable {
    case nothing
    case known(Int)
    /// An unknown one, which must be replaced.
    case unknown
}

/// The objects that a query shows now, or no longer.
struct LiveShownChanges: Sendable {
    private(set) var hidden: Set<ManagedObjectID> = []
    private(set) var shown: Set<ManagedObjectID> = []

    init(hidden: Set<ManagedObjectID> = [], shown: Set<ManagedObjectID> = []) {
        self.hidden = hidden
        self.shown = shown
    }

    mutating func show(_ objectID: ManagedObjectID) {
        if hidden.remove(objectID) == nil { shown.insert(objectID) }
    }

    mutating func hide(_ objectID: ManagedObjectID) {
        if shown.remove(objectID) == nil { hidden.insert(objectID) }
    }

    mutating func add(_ later: LiveShownChanges) {
        for objectID in later.hidden { hide(objectID) }
        for objectID in later.shown { show(objectID) }
    }
}
