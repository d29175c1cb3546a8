// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import FoundationEssentials
import Synchronization

/// The sessions of a server's accounts, in memory and, if there is one, in a file that other servers may use too.
///
///     let sessions = try AccountSessions(SessionFile(besides: store), now: .now) { log($0) }
///     let (session, refreshToken) = try sessions.begin(for: account, now: .now)
//
// 1. Look-ups are in memory. The state of the file is compared at most once a second, and for a session that isn't known,
//    by one thread at a time.
// 2. A change is written before it is in memory.
// 3. Nothing waits for a file while the table is locked. `journal` is locked before `state`.
// 4. A change that was written has succeeded, also if obsolete lines can't be removed after it.
package final class AccountSessions: Sendable {
    private struct State {
        var table = SessionTable()
        var lastCheck: Date
        /// The number of sessions at which expired ones are searched for.
        var sweepCount = AccountSessions.firstSweep
        /// What was reported last, and hasn't been resolved since.
        var reported: IdentityError?
        /// Whether obsolete lines couldn't be removed the last time, and when to try that again.
        var hasFailedToTidy = false
        var nextTidying = Date.distantPast
    }

    /// How long a session lasts that isn't continued, in seconds.
    package static let lifetime: TimeInterval = 30 * 86_400
    /// The most sessions of an account. Others end when it signs in once more.
    package static let limit = 100
    private static let checkInterval: TimeInterval = 1
    /// How many lines of a file may be obsolete, besides as many as there are sessions.
    private static let obsoleteLines = 1_000
    private static let firstSweep = 1_000
    /// How long obsolete lines stay after they couldn't be removed.
    private static let tidyingPause: TimeInterval = 60

    private let journal: Mutex<SessionJournal?>
    private let report: @Sendable (IdentityError) -> Void
    private let state: Mutex<State>

    /// Sessions that end with the process.
    package init() {
        journal = Mutex(nil)
        report = { _ in }
        state = Mutex(State(lastCheck: .distantPast))
    }

    /// Reads a file. If it doesn't exist, there are no sessions yet.
    ///
    /// - Parameter report: Called once for each later mistake in the file.
    package init(
        _ file: SessionFile,
        now: Date,
        report: @escaping @Sendable (IdentityError) -> Void
    ) throws(IdentityError) {
        var journal = SessionJournal(file)
        var table = SessionTable()
        table.apply(try journal.news()?.entries ?? [])
        self.journal = Mutex(journal)
        self.report = report
        state = Mutex(State(table: table, lastCheck: now))
    }

    // MARK: Look-ups

    /// The number of sessions, also of those that have expired and weren't removed yet.
    package var count: Int { state.withLock { $0.table.count } }

    /// The session with an ID, unless it has ended.
    package func session(_ id: String, now: Date) -> AccountSession? {
        let isDue = state.withLock { state in
            // Also when the clock was set back.
            guard abs(now.timeIntervalSince(state.lastCheck)) >= Self.checkInterval else { return false }
            state.lastCheck = now
            return true
        }
        if isDue { refresh() }
        if let known = state.withLock({ $0.table[id] }) { return known.hasExpired(at: now) ? nil : known }
        guard !isDue else { return nil }
        // Another server may just have begun it.
        refresh()
        return state.withLock { $0.table[id] }.flatMap { $0.hasExpired(at: now) ? nil : $0 }
    }

    private func refresh() {
        do throws(IdentityError) {
            _ = try journal.withLockIfAvailable { journal throws(IdentityError) in try catchUp(&journal) }
        } catch {
            let isNew = state.withLock { state in
                defer { state.reported = error }
                return state.reported != error
            }
            if isNew { report(error) }
        }
    }

    private func catchUp(_ journal: inout SessionJournal?) throws(IdentityError) {
        guard let news = try journal?.news() else { return }
        state.withLock { state in
            if news.isComplete { state.table = SessionTable() }
            state.table.apply(news.entries)
            state.reported = nil
        }
    }

    // MARK: Changes

    /// Begins a session of an account.
    ///
    /// - Parameter account: The URI of its object.
    package func begin(
        for account: String,
        now: Date
    ) throws(IdentityError) -> (session: AccountSession, refreshToken: String) {
        let token = RefreshToken()
        let session = AccountSession(
            id: token.sessionID,
            account: account,
            created: now,
            used: now,
            expires: now + Self.lifetime,
            hash: token.hash
        )
        try change(now: now) { table in
            let surplus = table.sessions(of: account).dropLast(Self.limit - 1).map(\.id)
            return ((), (surplus.isEmpty ? [] : [.ended(surplus)]) + [.session(session)])
        }
        return (session, token.text)
    }

    /// Continues the session of a refresh token, and replaces the token. A token that isn't its session's current one is
    /// spent: it was copied, so the session ends.
    ///
    /// - Returns: Nil for a token that isn't valid.
    package func refresh(
        _ text: String,
        now: Date
    ) throws(IdentityError) -> (session: AccountSession, refreshToken: String)? {
        guard let token = RefreshToken(text) else { return nil }
        return try change(now: now) { table in
            guard var session = table[token.sessionID], !session.hasExpired(at: now) else { return (nil, []) }
            guard ConstantTime.areEqual(token.hash, session.hash) else { return (nil, [.ended([session.id])]) }
            let next = RefreshToken(of: session.id)
            session.hash = next.hash
            session.used = now
            session.expires = now + Self.lifetime
            return ((session, next.text), [.session(session)])
        }
    }

    package func end(_ id: String, now: Date) throws(IdentityError) {
        try change(now: now) { table in ((), table[id] == nil ? [] : [.ended([id])]) }
    }

    /// Ends the sessions of an account, except one.
    package func endAll(of account: String, except id: String? = nil, now: Date) throws(IdentityError) {
        try change(now: now) { table in
            let ids = table.sessions(of: account).map(\.id).filter { $0 != id }
            return ((), ids.isEmpty ? [] : [.ended(ids)])
        }
    }

    /// Writes and applies the entries that a closure makes of the current sessions.
    private func change<Result: Sendable>(
        now: Date,
        _ body: (SessionTable) -> (Result, [SessionEntry])
    ) throws(IdentityError) -> Result {
        try journal.withLock { journal throws(IdentityError) in
            let lock = try journal?.lock()
            defer { withExtendedLifetime(lock) {} }
            try catchUp(&journal)
            let (result, entries) = state.withLock { body($0.table) }
            if !entries.isEmpty {
                try journal?.append(entries)
                state.withLock { $0.table.apply(entries) }
            }
            tidy(&journal, now: now)
            return result
        }
    }

    /// Forgets expired sessions, and obsolete lines of the file, when there are many.
    private func tidy(_ journal: inout SessionJournal?, now: Date) {
        let current = state.withLock { state -> [AccountSession]? in
            let count = state.table.count
            let hasObsoleteLines = (journal?.lineCount ?? 0) > 2 * count + Self.obsoleteLines
            guard hasObsoleteLines || count > state.sweepCount, now >= state.nextTidying else { return nil }
            return state.table.all.filter { !$0.hasExpired(at: now) }
        }
        guard let current else { return }
        do throws(IdentityError) {
            try journal?.replace(with: current)
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailedToTidy = true }
                state.nextTidying = now + Self.tidyingPause
                return !state.hasFailedToTidy
            }
            if isFirst { report(error) }
            return
        }
        state.withLock { state in
            state.table = SessionTable()
            state.table.apply(current.map(SessionEntry.session))
            state.sweepCount = max(Self.firstSweep, 2 * current.count)
            state.hasFailedToTidy = false
            state.nextTidying = .distantPast
        }
    }
}
