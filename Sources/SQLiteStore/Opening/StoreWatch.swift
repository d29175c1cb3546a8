// SPDX-License-Identifier: Apache-2.0

// Notices writes of other processes and idle time.

import Dispatch
import SQLiteDriver
import Synchronization

/// Checks periodically whether other processes have written to a store's file and notifies listeners that any row may
/// have changed. After some idle checks it empties the log, which otherwise keeps its greatest length.
final class StoreWatch: Sendable {
    /// Weak, because the file is closed with the store, not at the end of a check.
    private weak let database: Database?
    private let interval: Duration?
    private let work = BackgroundWork()
    private let state = Mutex(State())

    private struct State {
        var listeners: [Listener] = []
        var isLooking = false
        /// The file's version at the last check, or nil if it couldn't be read.
        var version: Int64?
        /// The number of transactions, and the number of checks since it last changed.
        var commitCount = 0
        var idleLooks = 0
        /// Whether the log contains transactions of this store.
        var hasLog = false
        /// The file's place at the last check.
        var place = FilePlace.unchanged
        var notePlace: (@Sendable (FilePlace) -> Void)?
    }

    /// The number of checks without a write after which the log is emptied.
    private static let idleLooks = 5

    private struct Listener {
        weak let owner: (any AnyObject & Sendable)?
        let tell: @Sendable () -> Void
    }

    private static let shortestInterval: Duration = .milliseconds(1)

    init(_ database: Database, interval: Duration?) {
        self.database = database
        self.interval = interval.map { max($0, Self.shortestInterval) }
    }

    /// Adds a listener, which is notified as long as its owner is alive. The first one starts the checks.
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

    /// Sets a closure that is called when the file's place has changed, and at each check while the
    /// file is a replaced one.
    func onPlace(_ note: @escaping @Sendable (FilePlace) -> Void) { state.withLock { $0.notePlace = note } }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Notifies the listeners that any row may have changed.
    func notify() {
        for listener in state.withLock({ $0.listeners }) where listener.owner != nil { listener.tell() }
    }

    /// Waits for a running check and prevents further ones.
    func end() { work.end() }

    private func lookLater(_ interval: Duration) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval / .seconds(1)) { [weak self] in
            guard let self else { return }
            lookForFile()
            look()
            lookLater(interval)
        }
    }

    func lookForFile() {
        guard let place = work.run({ database?.filePlace }) else { return }
        let note = state.withLock { state in
            defer { state.place = place }
            // A replacing file that can't be opened now may be valid later.
            return state.place == place && place != .replaced ? nil : state.notePlace
        }
        note?(place)
    }

    private func look() {
        if isIdle, work.run({ try? database?.emptyLog() }) == true { state.withLock { $0.hasLog = false } }
        // An unreadable file is checked again later, which then shows what was written meanwhile.
        guard let version = currentVersion else { return }
        let before = state.withLock { state in
            defer { state.version = version }
            return state.version
        }
        if before != version { notify() }
    }

    /// Whether there is a log to which nothing was added for a while.
    private var isIdle: Bool {
        guard let database, database.configuration.access != .readOnly else { return false }
        let count = database.commitCount
        return state.withLock { state in
            if count != state.commitCount {
                state.commitCount = count
                state.idleLooks = 0
                state.hasLog = true
            }
            state.idleLooks += 1
            return state.hasLog && state.idleLooks > Self.idleLooks
        }
    }

    private var currentVersion: Int64? { work.run { try? database?.dataVersion() } }
}
