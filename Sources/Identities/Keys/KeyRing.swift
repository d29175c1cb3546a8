// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Files
package import FoundationEssentials
import Synchronization

/// The API keys that a server accepts: those of a file, which is read again when it changes.
///
///     let ring = try KeyRing(KeyFile(besides: store), now: .now) { log($0) }
///     let key = try ring.key(of: credential.token, now: .now)
///     ring.flush(now: .now)  // periodically, on a background thread
//
// 1. No file is accessed while the lock of the state is held: known keys wait for a file at most once a second.
// 2. The file is compared by one thread at a time: at most once a second for known keys, which are the former ones meanwhile.
// 3. An unknown key is refused only after a comparison that began when the key had been sent, so that a new key counts at
//    once. Threads that wait for it share one comparison, so that floods of unknown keys cost little.
// 4. Uses are written only by `flush`, and only to keys that the file still has.
package final class KeyRing: Sendable {
    private struct State {
        var keys: [[UInt8]: APIKey] = [:]
        /// What the keys are from; nil without a file.
        var content: KeyFile.Content?
        /// The state of the file and the time when it was read last, if it couldn't be used then.
        var broken: (state: OpenFile.State?, time: ContinuousClock.Instant)?
        var lastCheck: Date
        /// How many comparisons of the file have begun.
        var checks = 0
        /// The last uses by ID, and those of them that aren't in the file yet.
        var uses: [String: Date] = [:]
        var unwrittenUses: [String: Date] = [:]
        /// What was reported last, and hasn't been resolved since.
        var reported: IdentityError?
    }

    private static let checkInterval: TimeInterval = 1
    private static let useInterval: TimeInterval = 60
    /// For a file that couldn't be used: reading it for each unknown key would cost too much.
    private static let brokenInterval = Duration.milliseconds(20)

    private let file: KeyFile
    private let report: @Sendable (IdentityError) -> Void
    private let state: Mutex<State>
    /// Held while the file is compared and read.
    private let reading = Mutex(())

    /// Reads the file. If it doesn't exist, there are no keys yet.
    ///
    /// - Parameter report: Called once for each later mistake in the file, and for each failure to write it.
    package init(
        _ file: KeyFile,
        now: Date,
        report: @escaping @Sendable (IdentityError) -> Void
    ) throws(IdentityError) {
        self.file = file
        self.report = report
        let content = try file.read()
        state = Mutex(State(keys: Self.indexed(content), content: content, lastCheck: now))
    }

    /// The keys of the file, in the order of their names.
    package var keys: [APIKey] { state.withLock { $0.keys.values.sorted { ($0.label, $0.id) < ($1.label, $1.id) } } }

    /// The key with a secret. A token of another form is an unknown key.
    package func key(of secret: String, now: Date) throws(CredentialRefusal) -> APIKey {
        let begun = state.withLock(\.checks)
        refreshIfNeeded(now: now)
        do throws(CredentialRefusal) {
            return try knownKey(of: secret, now: now)
        } catch {
            guard error.code == .unknownKey, KeySecret.isSecret(secret) else { throw error }
            refresh(after: begun)
            return try knownKey(of: secret, now: now)
        }
    }

    /// Reads the file again if it has changed. `key(of:now:)` does that, too.
    package func refreshIfNeeded(now: Date) {
        let begun: Int? = state.withLock { state in
            // Also when the clock was set back.
            guard abs(now.timeIntervalSince(state.lastCheck)) >= Self.checkInterval else { return nil }
            state.lastCheck = now
            return state.checks
        }
        if let begun { refresh(after: begun) }
    }

    /// The key with a secret among those that were read last.
    private func knownKey(of secret: String, now: Date) throws(CredentialRefusal) -> APIKey {
        guard KeySecret.isSecret(secret) else { throw Self.unknown }
        let hash = KeySecret.hash(secret)
        let found = state.withLock { state -> APIKey? in
            guard let key = state.keys[hash], ConstantTime.areEqual(key.hash, hash) else { return nil }
            guard !key.hasExpired(at: now) else { return key }
            let last = state.uses[key.id] ?? key.lastUse
            if last.map({ now.timeIntervalSince($0) >= Self.useInterval }) ?? true {
                state.uses[key.id] = now
                state.unwrittenUses[key.id] = now
            }
            return key
        }
        guard let found else { throw Self.unknown }
        guard !found.hasExpired(at: now) else {
            throw CredentialRefusal(.expired, "The API key “\(found.label)” has expired.")
        }
        return found
    }

    /// Writes the last uses into the file. A server calls it periodically, and before it ends.
    package func flush(now: Date) {
        refreshIfNeeded(now: now)
        let uses = state.withLock { state in
            defer { state.unwrittenUses = [:] }
            return state.unwrittenUses
        }
        guard !uses.isEmpty else { return }
        do throws(IdentityError) {
            try file.record(uses)
            state.withLock { $0.reported = $0.broken == nil ? nil : $0.reported }
        } catch {
            state.withLock { $0.unwrittenUses.merge(uses) { max($0, $1) } }
            reportOnce(error)
        }
    }

    private static let unknown = CredentialRefusal(.unknownKey, "The request's API key isn't known, or was revoked.")

    private static func indexed(_ content: KeyFile.Content?) -> [[UInt8]: APIKey] {
        Dictionary((content?.keys ?? []).map { ($0.hash, $0) }) { first, _ in first }
    }

    /// Reads the file again if it has changed.
    ///
    /// - Parameter begun: How many comparisons had begun when this one became necessary. A later one does as well.
    private func refresh(after begun: Int) {
        reading.withLock { _ in
            let isNeeded = state.withLock { state in
                guard state.checks == begun else { return false }
                state.checks += 1
                return true
            }
            if isNeeded { compare() }
        }
    }

    private func compare() {
        let current = FileSystem.state(of: file.path)
        let (known, broken) = state.withLock { ($0.content?.state, $0.broken) }
        // What couldn't be read may be readable now, without another state: its owner or its permissions have changed.
        guard current != known || broken != nil else { return }
        if let broken, broken.state == current, broken.time.duration(to: .now) < Self.brokenInterval { return }
        do throws(IdentityError) {
            let content = try file.read()
            state.withLock { state in
                state.keys = Self.indexed(content)
                state.content = content
                state.broken = nil
                state.reported = nil
                let ids = Set(state.keys.values.map(\.id))
                state.uses = state.uses.filter { ids.contains($0.key) }
                state.unwrittenUses = state.unwrittenUses.filter { ids.contains($0.key) }
            }
        } catch {
            state.withLock { $0.broken = (current, .now) }
            reportOnce(error)
        }
    }

    private func reportOnce(_ error: IdentityError) {
        let isNew = state.withLock { state in
            defer { state.reported = error }
            return state.reported != error
        }
        if isNew { report(error) }
    }
}
