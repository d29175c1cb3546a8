// SPDX-License-Identifier: Apache-2.0

// The contexts that are told of every save, and what waits for them.

import Synchronization

/// What others have saved and a context hasn't merged yet. Anybody may put something in; the context takes it out when its
/// turn comes.
final class ContextInbox: Sendable {
    private struct State {
        var waiting: [SavedChanges] = []
        var arrival: (@Sendable () async -> Void)?
        var contextCount = 1
    }

    private let state = Mutex(State())

    /// Has a closure called in a task of its own whenever something comes into the empty box.
    func notify(_ arrival: @escaping @Sendable () async -> Void) { state.withLock { $0.arrival = arrival } }

    func put(_ changes: SavedChanges) {
        let arrival = state.withLock { state in
            // Others may write as often as they like; all of that is read once.
            if let last = state.waiting.last, changes.isCovered(by: last) {
                return nil as (@Sendable () async -> Void)?
            }
            state.waiting.append(changes)
            return state.waiting.count == 1 ? state.arrival : nil
        }
        // What is merged is not bound by the limits of whoever saved.
        if let arrival { WorkLimits.lifted { _ = Task { await arrival() } } }
    }

    /// Puts back what was taken and could not be merged.
    func putBack(_ changes: [SavedChanges]) { state.withLock { $0.waiting = changes + $0.waiting } }

    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

    /// How many contexts merge what comes in here.
    var contextCount: Int {
        get { state.withLock { $0.contextCount } }
        set { state.withLock { $0.contextCount = newValue } }
    }

    func takeAll() -> [SavedChanges] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}

extension ManagedObjectContext {
    /// A context that is told of every save by its inbox.
    convenience init(_ coordinator: PersistentStoreCoordinator, inbox: ContextInbox) {
        self.init(model: coordinator.model, source: StoreSource(coordinator: coordinator, inbox: inbox))
        coordinator.live.add(inbox)
    }
}

/// The inboxes of all live contexts, which don't live longer for being here.
final class LiveContexts: Sendable {
    private struct Entry {
        weak var inbox: ContextInbox?
    }

    private let entries = Mutex<[Entry]>([])
    /// How many contexts aren't live just now, and merge what was saved as soon as they are.
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

    /// Tells all contexts but the one that made the changes, and says how many that are.
    @discardableResult
    func tell(_ changes: SavedChanges, except own: ContextInbox?) -> Int {
        guard !changes.isEmpty else { return 0 }
        let others = entries.withLock { $0.compactMap(\.inbox) }.filter { $0 !== own }
        for inbox in others { inbox.put(changes) }
        return others.reduce(absent.load(ordering: .relaxed)) { $0 + $1.contextCount }
    }
}
