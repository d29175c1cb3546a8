// SPDX-License-Identifier: Apache-2.0

// Noticing what other programs write into a store, and when nobody writes any more.

import Dispatch
import SQLiteDriver
import Synchronization

/// Looks now and then whether others have written to a store's file, for as long as somebody holds it, and tells whoever wants to
/// know that any row may have changed. When nothing was written here for a while, it has the log emptied, which else stays as
/// long as it was at its longest.
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
        /// How many transactions there were, and for how many looks nothing was added to them.
        var commitCount = 0
        var idleLooks = 0
        /// Whether what they have written is in the log still.
        var hasLog = false
        /// Where the file was when it was looked at last.
        var place = FilePlace.unchanged
        var notePlace: (@Sendable (FilePlace) -> Void)?
    }

    /// After so many looks without anything written the log is emptied.
    private static let idleLooks = 5

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

    /// Has a closure called with each place of the file that differs from that of the look before, and at each look with a file
    /// that was replaced.
    func onPlace(_ note: @escaping @Sendable (FilePlace) -> Void) { state.withLock { $0.notePlace = note } }

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
            lookForFile()
            look()
            lookLater(interval)
        }
    }

    func lookForFile() {
        guard let place = work.run({ database?.filePlace }) else { return }
        let note = state.withLock { state in
            defer { state.place = place }
            // A file that can't be opened in the place of the store's own may be one later.
            return state.place == place && place != .replaced ? nil : state.notePlace
        }
        note?(place)
    }

    private func look() {
        if isIdle, work.run({ try? database?.emptyLog() }) == true { state.withLock { $0.hasLog = false } }
        // A file that can't be read now is looked at again: what was written meanwhile shows then.
        guard let version = currentVersion else { return }
        let before = state.withLock { state in
            defer { state.version = version }
            return state.version
        }
        if before != version { notify() }
    }

    /// Whether there is a log that nobody has added to for a while.
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
