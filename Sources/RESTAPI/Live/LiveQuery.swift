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
    private var missed: [LiveCommitPart] = [] { didSet { if missed.isEmpty { missedRows = 0 } } }
    private var missedRows = 0
    /// The position that the last result was named by.
    private var lastName = ""
    /// The present result as sent to new subscribers, while several begin.
    private var whole: (isReset: Bool, bytes: [UInt8])?
    /// How often reading has failed since it last succeeded.
    private(set) var failures = 0
    /// The number of requests that are about to subscribe.
    var holders = 0
    var subscribers: [Int: LiveSubscriber] = [:]
    /// The time since which nothing uses it, in ticks.
    var unusedSince: Int?

    /// The number of results that are kept for clients that read slowly or connect again.
    private static let keptResults = 32
    private static let keptSize = 4 << 20
    /// The number of commits that are kept during a read.
    private static let keptCommits = 1_000
    private static let keptRows = 10_000

    init(_ plan: LivePlan, in api: API, from source: any LiveSource) {
        self.plan = plan
        self.api = api
        self.source = source
        dependencies = LiveDependencies(plan, in: api.catalogue, for: api.access)
        renderer = LiveRenderer(plan, in: api.catalogue)
    }

    var present: Result? { results.last }

    /// Whether clients watch it, or are about to.
    var isUsed: Bool { holders > 0 || !subscribers.isEmpty }

    func result(identifiedBy id: String) -> Result? { results.last { $0.ids.contains(id) } }

    /// The end of IDs, since results of the same objects differ between versions of the model and between identities.
    private var idSuffix: String {
        let version = api.catalogue.versionTag.isEmpty ? "" : "@" + api.catalogue.versionTag
        return version + (api.access.map { "@" + $0.tag } ?? "")
    }

    /// The position that an ID names, if it is of this version of the model.
    func position(identifiedBy id: String) -> HistoryToken? {
        id.hasSuffix(idSuffix) ? HistoryToken(String(id.dropLast(idSuffix.count))) : nil
    }

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
            missedRows += part.rows.count
            if missed.count < Self.keptCommits, missedRows < Self.keptRows {
                missed.append(part)
            } else {
                missed = [.unknown]
            }
            return .nothing
        }
        if includes(part) { return .nothing }
        // It is moved out while it changes, so that it isn't copied; later commits can't be applied to an outdated result.
        guard let updating = updating.take(), part.isKnown else { return .outdated }
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

    /// Removes and returns the objects that the index must add or remove.
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
        failures = 0
        if read > installedRead {
            installedRead = read
            position = reading.position
            updating = reading.updating
            show(LiveShownChanges(hidden: shown.subtracting(reading.shown), shown: reading.shown.subtracting(shown)))
            var content = reading.content
            if case .list(let list) = content, case .list(let former)? = present?.content {
                content = .list(list.reusing(former))
            }
            // What was processed meanwhile isn't part of the state that was read.
            _ = set(content, includingProcessed: missed.allSatisfy(includes), at: &positions)
        }
        guard runningReads == 0 else { return .nothing }
        let parts = missed
        missed = []
        guard updating == nil else {
            for part in parts where apply(part, at: &positions) == .outdated { return .outdated }
            return .changed
        }
        return isOutdated(by: parts) ? .outdated : .changed
    }

    /// Whether commits that were kept because their entities matter concern the result, and aren't part of it.
    private func isOutdated(by parts: [LiveCommitPart]) -> Bool {
        let later = parts.filter { !includes($0) }
        guard !later.isEmpty else { return false }
        var index = LiveIndex()
        index.add(0, dependencies)
        for objectID in shown { index.show(objectID, by: 0) }
        return later.contains { part in
            !part.isKnown || part.rows.contains { !index.queries(for: $0).isEmpty }
        }
    }

    /// Makes the results of running reads unusable, since it isn't known what has changed meanwhile.
    ///
    /// - Parameter last: The number of the last read that has begun.
    mutating func invalidate(readsUpTo last: Int) {
        updating = nil
        installedRead = last
    }

    /// Ends a read without a result. The query must be read again.
    mutating func failRead() {
        runningReads -= 1
        failures += 1
        updating = nil
        if runningReads == 0 { missed = [] }
    }

    /// - Parameter includesProcessed: Whether the result includes all commits that were processed.
    private mutating func set(
        _ content: LiveContent,
        includingProcessed includesProcessed: Bool = true,
        at positions: inout LivePositions
    ) -> Effect {
        if let present, content.isEqual(to: present.content) { return .nothing }
        let name = positions.identifier(including: position, andProcessed: includesProcessed) + idSuffix
        // Time, and what a store writes without history, don't advance the position.
        let isKnown = name == lastName || result(identifiedBy: name) != nil
        lastName = name
        let id = isKnown ? "\(name)~\(positions.uniqueIdentifier())" : name
        results.append(Result(number: (present?.number ?? 0) + 1, ids: [id], content: content))
        whole = nil
        dropResults()
        return .changed
    }

    /// Drops former results that are too many or too large.
    private mutating func dropResults() {
        var size = 0
        let kept = results.dropLast().reversed().prefix { result in
            size += result.content.size
            return size <= Self.keptSize
        }
        let count = min(kept.count + 1, Self.keptResults)
        if results.count > count { results.removeFirst(results.count - count) }
    }

    /// Gives the present result a later ID, for clients that connect again after a long time without changes.
    mutating func renew(at positions: inout LivePositions) {
        guard let present, !present.ids[0].contains("~") else { return }
        let name = positions.identifier(including: position) + idSuffix
        guard result(identifiedBy: name) == nil else { return }
        results[results.count - 1].ids = [present.ids[0], name]
        lastName = name
        whole = nil
    }

    // MARK: Sending

    /// Sends the present result to all subscribers, or to one of them, if they can take it. Removes those that are gone.
    ///
    /// - Parameter waiting: Called with those that are to be continued when they are drained.
    mutating func deliver(toSubscriber only: Int? = nil, waiting: (Int, any HTTPFeed) -> Void) {
        guard let present, let id = present.ids.last else { return }
        /// The events after former results.
        var events: [Int: [UInt8]?] = [:]
        for number in only.map({ [$0] }) ?? Array(subscribers.keys) {
            guard var subscriber = subscribers[number], subscriber.shown < present.number, !subscriber.isWaiting else {
                continue
            }
            let former = subscriber.knownResult
            let event: [UInt8]?
            if let former, let known = result(numbered: former) {
                event = events[former] ?? present.content.event(after: known.content)?.bytes(id: id)
                events[former] = .some(event)
            } else {
                event = whole(isReset: subscriber.start != .nothing)
            }
            if let event, !subscriber.canTake(event.count) {
                subscriber.isWaiting = true
                waiting(number, subscriber.feed)
                subscribers[number] = subscriber
                continue
            }
            let isThere: Bool
            if subscriber.start != nil {
                isThere = subscriber.send(Self.retry + (event ?? Array("id: \(id)\n\n".utf8)))
            } else {
                isThere = event.map { subscriber.send($0) } ?? true
            }
            subscriber.start = nil
            subscriber.shown = present.number
            subscribers[number] = isThere ? subscriber : nil
        }
    }

    /// The present result as an event.
    private mutating func whole(isReset: Bool) -> [UInt8]? {
        guard let present, let id = present.ids.last else { return nil }
        if let whole, whole.isReset == isReset { return whole.bytes }
        let bytes = present.content.event(isReset: isReset).bytes(id: id)
        whole = (isReset, bytes)
        return bytes
    }

    /// Sets the delay before a client connects again, as part of its first event.
    private static let retry = Array("retry: \(LiveSubscriber.retry)\n".utf8)

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
