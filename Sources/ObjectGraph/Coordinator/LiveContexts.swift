// SPDX-License-Identifier: Apache-2.0

// The contexts that are told of every save, and what waits for them.

import Synchronization

/// What others have saved and a context hasn't merged yet. Anybody may put something in; the context takes it out when its
/// turn comes.
final class ContextInbox: Sendable {
    private let waiting = Mutex<[SavedChanges]>([])

    func put(_ changes: SavedChanges) { waiting.withLock { $0.append(changes) } }

    func takeAll() -> [SavedChanges] {
        waiting.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}

/// The inboxes of all live contexts, which don't live longer for being here.
final class LiveContexts: Sendable {
    private struct Entry {
        weak var inbox: ContextInbox?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ inbox: ContextInbox) {
        entries.withLock { entries in
            entries.removeAll { $0.inbox == nil }
            entries.append(Entry(inbox: inbox))
        }
    }

    /// Tells all contexts but the one that made the changes, and says how many that are.
    @discardableResult
    func tell(_ changes: SavedChanges, except own: ContextInbox?) -> Int {
        guard !changes.isEmpty else { return 0 }
        let others = entries.withLock { $0.compactMap(\.inbox) }.filter { $0 !== own }
        for inbox in others { inbox.put(changes) }
        return others.count
    }
}
