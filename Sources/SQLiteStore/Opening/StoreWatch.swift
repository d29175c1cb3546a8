// SPDX-License-Identifier: Apache-2.0

// Notices writes of other processes and idle time.

import Basics
import Dispatch
import ObjectGraph
import SQLiteDriver
import Synchronization

/// Checks periodically whether other processes have written to a store's file, and notifies listeners of what they have
/// changed. After some idle checks it empties the log, which otherwise keeps its greatest length.
///
/// 1. The number of commits in the index of the log is checked often, and before reads (`noticeCommits()`): it is only a
///    look at shared memory.
/// 2. The file's version, which is exact, is checked at each interval.
final class StoreWatch: Sendable {
    /// Weak, because the file is closed with the store, not at the end of a check.
    private weak let database: Database?
    private let interval: Duration?
    private let work = BackgroundWork()
    private let state = Mutex(State())

    private struct State {
        var listeners: [Listener] = []
        var isChecking = false
        /// The file's version at the last check, or nil if it couldn't be read.
        var version: Int64?
        /// Whether the listeners were notified since the last check.
        var isNoticed = false
        /// The number of transactions, and the number of checks since it last changed.
        var commitCount = 0
        var idleChecks = 0
        /// Whether the log contains transactions of this store.
        var hasLog = false
        /// The file's place at the last check.
        var status = FileStatus.unchanged
        var reportStatus: (@Sendable (FileStatus) -> Void)?
    }

    /// The number of checks without a write after which the log is emptied.
    private static let idleChecks = 5

    private struct Listener {
        weak let owner: (any AnyObject & Sendable)?
        let notify: @Sendable (OtherWrites) -> Void
    }

    private static let shortestInterval: Duration = .milliseconds(1)
    /// How often the number of commits is checked.
    private static let commitInterval: Duration = .milliseconds(20)
    /// Held while what others have written is determined and notified, so that concurrent reads wait for one notification.
    private let noticing = Mutex<Void>(())
    private let noticingThread = Atomic<UInt>(0)
    /// Determines what others have written; it is set before listeners are added.
    private let follow = Mutex<(@Sendable () -> OtherWrites?)?>(nil)

    init(_ database: Database, interval: Duration?) {
        self.database = database
        self.interval = interval.map { max($0, Self.shortestInterval) }
    }

    /// Adds a listener, which is notified as long as its owner is alive. The first one starts the checks.
    func addListener(for owner: any AnyObject & Sendable, _ notify: @escaping @Sendable (OtherWrites) -> Void) {
        let isFirst = state.withLock { state in
            state.listeners.removeAll { $0.owner == nil || $0.owner === owner }
            state.listeners.append(Listener(owner: owner, notify: notify))
            defer { state.isChecking = true }
            return !state.isChecking
        }
        guard isFirst, let interval else { return }
        let version = currentVersion
        state.withLock { $0.version = version }
        scheduleCheck(interval)
        if interval > Self.commitInterval { scheduleCommitCheck() }
    }

    /// Sets a closure that is called when the file's place has changed, and at each check while the
    /// file is a replaced one.
    func onFileStatus(_ report: @escaping @Sendable (FileStatus) -> Void) {
        state.withLock { $0.reportStatus = report }
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Sets the closure that determines what others have written since its last call; nil for nothing.
    func onOtherWrites(_ follow: @escaping @Sendable () -> OtherWrites?) { self.follow.withLock { $0 = follow } }

    /// Notifies the listeners that any row may have changed.
    func notify() { notify(of: .unknown) }

    private func notify(of writes: OtherWrites) {
        for listener in state.withLock({ $0.listeners }) where listener.owner != nil { listener.notify(writes) }
    }

    /// Notifies the listeners of what others have written, and returns after that.
    func noticeCommits() {
        guard interval != nil, database?.hasUnseenCommits == true, state.withLock(\.isChecking) else { return }
        // An observer that reads is notified already.
        guard noticingThread.load(ordering: .relaxed) != CurrentThread.identifier() else { return }
        noticing.withLock { _ in
            guard database?.hasUnseenCommits == true else { return }
            state.withLock { $0.isNoticed = true }
            notice()
        }
    }

    private func notice() {
        noticingThread.store(CurrentThread.identifier(), ordering: .relaxed)
        defer { noticingThread.store(0, ordering: .relaxed) }
        let follow = follow.withLock(\.self)
        let found = work.run { (database?.logCommitCount, follow.map { $0() } ?? .unknown) }
        // Notified outside of the work, for which the end of the store waits: an observer may hold its last reference.
        guard let (count, writes) = found else { return }
        if let writes { notify(of: writes) }
        if let count { database?.noticeCommits(through: count) }
    }

    /// Waits for a running check and prevents further ones.
    func end() { work.end() }

    private func scheduleCheck(_ interval: Duration) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval / .seconds(1)) { [weak self] in
            guard let self else { return }
            checkFileStatus()
            check()
            scheduleCheck(interval)
        }
    }

    private func scheduleCommitCheck() {
        let time = Self.commitInterval / .seconds(1)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self, work.run({ true }) == true else { return }
            noticeCommits()
            scheduleCommitCheck()
        }
    }

    func checkFileStatus() {
        guard let status = work.run({ database?.fileStatus }) else { return }
        let report = state.withLock { state in
            defer { state.status = status }
            // A replacing file that can't be opened now may be valid later.
            return state.status == status && status != .replaced ? nil : state.reportStatus
        }
        report?(status)
    }

    private func check() {
        if isIdle, work.run({ try? database?.emptyLog() }) == true { state.withLock { $0.hasLog = false } }
        // An unreadable file is checked again later, which then shows what was written meanwhile.
        guard let version = currentVersion else { return }
        let isUnnoticed = state.withLock { state in
            defer {
                state.version = version
                state.isNoticed = false
            }
            return state.version != version && !state.isNoticed
        }
        if isUnnoticed { noticing.withLock { _ in notice() } }
    }

    /// Whether there is a log to which nothing was added for a while.
    private var isIdle: Bool {
        guard let database, database.configuration.access != .readOnly else { return false }
        let count = database.commitCount
        return state.withLock { state in
            if count != state.commitCount {
                state.commitCount = count
                state.idleChecks = 0
                state.hasLog = true
            }
            state.idleChecks += 1
            return state.hasLog && state.idleChecks > Self.idleChecks
        }
    }

    private var currentVersion: Int64? { work.run { try? database?.dataVersion() } }
}
