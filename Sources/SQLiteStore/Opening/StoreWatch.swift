// SPDX-License-Identifier: Apache-2.0

// Noticing what other programs write into a store.

import Dispatch
import SQLiteDriver
import Synchronization

/// Looks now and then whether others have written to a store's file, for as long as somebody holds it, and tells whoever wants to
/// know that any row may have changed.
final class StoreWatch: Sendable {
    private let database: Database
    private let interval: Duration?
    private let state = Mutex(State())

    private struct State {
        var listeners: [@Sendable () -> Void] = []
        /// What the file said when it was looked at last; nil where it could not be read.
        var version: Int64?
    }

    init(_ database: Database, interval: Duration?) {
        (self.database, self.interval) = (database, interval)
    }

    /// Has a closure called from now on. With the first one it begins to look.
    func tell(_ listener: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.listeners.append(listener)
            return state.listeners.count == 1
        }
        guard isFirst, let interval else { return }
        let version = try? database.dataVersion()
        state.withLock { $0.version = version }
        lookLater(interval)
    }

    /// Tells that any row may have changed.
    func notify() {
        for listener in state.withLock({ $0.listeners }) { listener() }
    }

    private func lookLater(_ interval: Duration) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval / .seconds(1)) { [weak self] in
            guard let self else { return }
            look()
            lookLater(interval)
        }
    }

    private func look() {
        // A file that can't be read now is looked at again: what was written meanwhile shows then.
        guard let version = try? database.dataVersion() else { return }
        let before = state.withLock { state in
            defer { state.version = version }
            return state.version
        }
        if before != version { notify() }
    }
}
