// SPDX-License-Identifier: Apache-2.0

// The contexts that are notified of every save, and their queues.

import Synchronization

/// The saved changes that a context hasn't merged yet. Any thread may add to it; the context drains it in its own turn.
final class ContextInbox: Sendable {
    private struct State {
        var waiting: [SavedChanges] = []
        var arrival: (@Sendable () async -> Void)?
        /// Whether `arrival` was called since the inbox was last drained.
        var isAnnounced = false
        var contextCount = 1
    }

    private let state = Mutex(State())

    /// Sets a closure to be called in a new task when changes arrive for the first time since the inbox was drained.
    func onArrival(_ arrival: @escaping @Sendable () async -> Void) { state.withLock { $0.arrival = arrival } }

    func enqueue(_ changes: SavedChanges) {
        let arrival = state.withLock { state in
            // Repeated writes by other programs are merged by reading once.
            let isCovered = state.waiting.last.map(changes.isCovered(by:)) == true
            if !isCovered { state.waiting.append(changes) }
            defer { state.isAnnounced = true }
            return state.isAnnounced ? nil : state.arrival
        }
        // Merging isn't subject to the limits of the request that saved.
        if let arrival { WorkLimits.withoutLimits { _ = Task { await arrival() } } }
    }

    /// Puts back changes that could not be merged.
    func requeue(_ changes: [SavedChanges]) { state.withLock { $0.waiting = changes + $0.waiting } }

    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

    /// The number of contexts that merge what arrives here.
    var contextCount: Int {
        get { state.withLock { $0.contextCount } }
        set { state.withLock { $0.contextCount = newValue } }
    }

    func drain() -> [SavedChanges] {
        state.withLock { state in
            defer {
                state.waiting = []
                state.isAnnounced = false
            }
            return state.waiting
        }
    }
}

extension ManagedObjectContext {
    /// A context that receives every save through its inbox.
    convenience init(_ coordinator: PersistentStoreCoordinator, inbox: ContextInbox) {
        self.init(model: coordinator.model, source: StoreSource(coordinator: coordinator, inbox: inbox))
        coordinator.live.add(inbox)
    }
}

/// The inboxes of all live contexts, weakly referenced.
final class LiveContexts: Sendable {
    private struct Entry {
        weak var inbox: ContextInbox?
    }

    private let entries = Mutex<[Entry]>([])
    /// The number of unloaded contexts; they merge missed saves when loaded.
    let absent = Atomic(0)

    func add(_ inbox: ContextInbox) {
        entries.withLock { entries in
            entries.removeAll { $0.inbox == nil }
            entries.append(Entry(inbox: inbox))
        }
    }

    var count: Int {
        entries.withLock { entries in
            entries.reduce(absent.load(ordering: .relaxed)) { $0 + ($1.inbox?.contextCount ?? 0) }
        }
    }

    /// Notifies all contexts except the one that made the changes, and returns their number.
    @discardableResult
    func notify(of changes: SavedChanges, except own: ContextInbox?) -> Int {
        guard !changes.isEmpty else { return 0 }
        let others = entries.withLock { $0.compactMap(\.inbox) }.filter { $0 !== own }
        for inbox in others { inbox.enqueue(changes) }
        return others.reduce(absent.load(ordering: .relaxed)) { $0 + $1.contextCount }
    }
}
