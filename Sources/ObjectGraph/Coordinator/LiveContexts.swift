// SPDX-License-Identifier: Apache-2.0

// The contexts that are told of every save, and what waits for them.

import Synchronization

/// What others have saved and a context hasn't merged yet. Anybody may put something in; the context takes it out when its
/// turn comes.
final class ContextInbox: Sendable {
    private let waiting = Mutex<[SavedChanges]>([])

    func put(_ changes: SavedChanges) { waiting.withLock { $0.append(changes) } }

    /// Puts back what was taken and could not be merged.
    func putBack(_ changes: [SavedChanges]) { waiting.withLock { $0 = changes + $0 } }

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

    /// Tells all contexts but the one that made the changes.
    func tell(_ changes: SavedChanges, except own: ContextInbox?) {
        guard !changes.isEmpty else { return }
        for inbox in entries.withLock({ $0.compactMap(\.inbox) }) where inbox !== own { inbox.put(changes) }
    }
}
