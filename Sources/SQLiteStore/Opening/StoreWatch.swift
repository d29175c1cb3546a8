// SPDX-License-Identifier: Apache-2.0

// Noticing what other programs write into a store.

import Dispatch
import SQLiteDriver
import Synchronization

/// Looks now and then whether others have written to a store's file, for as long as somebody holds it, and tells whoever wants to
/// know that any row may have changed.
final class StoreWatch: Sendable {
    /// The file is closed with the store, and not when it was looked at.
    private weak let database: Database?
    private let interval: Duration?
    private let work = BackgroundWork()
    private let state = Mutex(State())

    private struct State {
        var listeners: [Listener] = []
        var isLooking = false
        /// What the file said when it was looked at last; nil where it could not be read.
        var version: Int64?
    }

    private struct Listener {
        weak let owner: (any AnyObject & Sendable)?
        let tell: @Sendable () -> Void
    }

    private static let shortestInterval: Duration = .milliseconds(1)

    init(_ database: Database, interval: Duration?) {
        (self.database, self.interval) = (database, interval.map { max($0, Self.shortestInterval) })
    }

    /// Has a closure called from now on, as long as somebody holds its owner. With the first one it begins to look.
    func tell(_ owner: any AnyObject & Sendable, _ tell: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.listeners.removeAll { $0.owner == nil || $0.owner === owner }
            state.listeners.append(Listener(owner: owner, tell: tell))
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst, let interval else { return }
        let version = currentVersion
        state.withLock { $0.version = version }
        lookLater(interval)
    }

    /// How many are told.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Tells that any row may have changed.
    func notify() {
        for listener in state.withLock({ $0.listeners }) where listener.owner != nil { listener.tell() }
    }

    /// Waits for a look at the file that has begun; there are no further ones.
    func end() { work.end() }

    private func lookLater(_ interval: Duration) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval / .seconds(1)) { [weak self] in
            guard let self else { return }
            look()
            lookLater(interval)
        }
    }

    private func look() {
        // A file that can't be read now is looked at again: what was written meanwhile shows then.
        guard let version = currentVersion else { return }
        let before = state.withLock { state in
            defer { state.version = version }
            return state.version
        }
        if before != version { notify() }
    }

    private var currentVersion: Int64? { work.run { try? database?.dataVersion() } }
}
