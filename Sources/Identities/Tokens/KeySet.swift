// SPDX-License-Identifier: Apache-2.0

import Files
package import FoundationEssentials
import SourceText
import Synchronization

/// The keys of tokens in a file, or at a URL, which are read again: files when they change, URLs every five minutes, and
/// sooner when a token has a key that isn't known.
///
///     let keys = try KeySet(url: "https://id.example/jwks", allowedHosts: ["id.example"], fetch: get, report: log)
///     let verifier = TokenVerifier(settings, keys: keys)
///     keys.refreshIfNeeded(now: .now)  // about each second, on a background thread
//
// 1. One thread at a time reads, without the lock. Others use the former keys meanwhile.
// 2. `keys(id:now:)` reads only if there have never been any keys, and `knownKeys(id:now:)` never.
// 3. What can't be read or has no usable key replaces nothing.
package final class KeySet: TokenKeySource {
    /// Gets the document at a URL. It must not follow redirects, and limits time and size.
    package typealias Fetch = @Sendable (_ url: String) throws -> [UInt8]

    private enum Origin {
        case file(String, isSecret: Bool)
        case url(String, Fetch)
    }

    private struct State {
        var keys: [TokenKey] = []
        /// How often the keys were replaced.
        var version = 0
        /// Of a file.
        var fileState: OpenFile.State?
        var lastAttempt: Date?
        var lastSuccess: Date?
        /// Whether a token had a key that isn't known.
        var isKeyMissing = false
        var isRefreshing = false
        var reported: IdentityError?
    }

    /// How long fetched keys are used without another look, in seconds.
    private static let lifetime: TimeInterval = 300
    /// How long fetched keys are used if fetching fails.
    private static let longestLifetime: TimeInterval = 86_400
    private static let fetchInterval: TimeInterval = 30
    private static let fileInterval: TimeInterval = 1

    private let origin: Origin
    private let report: @Sendable (IdentityError) -> Void
    private let state = Mutex(State())

    /// Reads the keys of a file.
    ///
    /// - Parameters:
    ///   - isSecret: Whether the content of the file is a secret for HS256.
    ///   - report: Called once for each later mistake in the file.
    package init(
        file path: String,
        isSecret: Bool = false,
        now: Date,
        report: @escaping @Sendable (IdentityError) -> Void
    ) throws(IdentityError) {
        origin = .file(path, isSecret: isSecret)
        self.report = report
        let state = FileSystem.state(of: path)
        let keys = try Self.keys(ofFile: path, isSecret: isSecret)
        self.state.withLock {
            $0 = State(keys: keys, fileState: state, lastAttempt: now, lastSuccess: now)
        }
    }

    /// Uses the keys at a URL. They are fetched when they are first needed, or by `refreshIfNeeded`.
    ///
    /// - Parameters:
    ///   - allowedHosts: The hosts of which keys are accepted, with a port unless it is 443.
    ///   - report: Called when fetching begins to fail.
    package init(
        url: String,
        allowedHosts: [String],
        fetch: @escaping Fetch,
        report: @escaping @Sendable (IdentityError) -> Void
    ) throws(IdentityError) {
        try KeySetURL.check(url, allowing: allowedHosts)
        origin = .url(url, fetch)
        self.report = report
    }

    package func keys(id: String?, now: Date) -> [TokenKey] {
        if state.withLock({ $0.lastSuccess == nil }) { refreshIfNeeded(now: now) }
        return knownKeys(id: id, now: now)
    }

    /// The same without reading, for threads that must not block.
    package func knownKeys(id: String?, now: Date) -> [TokenKey] {
        state.withLock { state in
            if case .url = origin, Self.seconds(from: state.lastSuccess, to: now) > Self.longestLifetime { return [] }
            let found = state.keys.keys(id: id, now: now)
            if found.isEmpty { state.isKeyMissing = true }
            return found
        }
    }

    /// Changes whenever the keys are replaced.
    package var version: Int { state.withLock(\.version) }

    /// Whether a token had a key that isn't known. A thread that may wait can refresh, and verify the token again.
    package var isKeyMissing: Bool { state.withLock { $0.isKeyMissing } }

    /// Reads the keys if it is time to.
    package func refreshIfNeeded(now: Date) {
        let isDue = state.withLock { state in
            guard !state.isRefreshing else { return false }
            let sinceAttempt = Self.seconds(from: state.lastAttempt, to: now)
            switch origin {
            case .file: guard sinceAttempt >= Self.fileInterval else { return false }
            case .url:
                let isOld = Self.seconds(from: state.lastSuccess, to: now) >= Self.lifetime
                guard sinceAttempt >= Self.fetchInterval, isOld || state.isKeyMissing else { return false }
            }
            state.isRefreshing = true
            state.lastAttempt = now
            return true
        }
        if isDue { refresh(now: now) }
    }

    private func refresh(now: Date) {
        do throws(IdentityError) {
            switch origin {
            case .file(let path, let isSecret):
                let current = FileSystem.state(of: path)
                if current == state.withLock({ $0.fileState }) {
                    state.withLock { $0.isRefreshing = false }
                    return
                }
                // Also of a broken file, so that it is read again only when it has changed.
                state.withLock { $0.fileState = current }
                end(with: try Self.keys(ofFile: path, isSecret: isSecret), now: now)
            case .url(let url, let fetch):
                end(with: try Self.keys(at: url, fetch), now: now)
            }
        } catch {
            let isNew = state.withLock { state in
                state.isRefreshing = false
                defer { state.reported = error }
                return state.reported != error
            }
            if isNew { report(error) }
        }
    }

    private func end(with keys: [TokenKey], now: Date) {
        state.withLock { state in
            state.keys = keys
            state.version += 1
            state.lastSuccess = now
            state.isKeyMissing = false
            state.isRefreshing = false
            state.reported = nil
        }
    }

    private static func keys(ofFile path: String, isSecret: Bool) throws(IdentityError) -> [TokenKey] {
        isSecret ? [try .secret(fromFile: path)] : try TokenKey.keys(fromFile: path)
    }

    private static func keys(at url: String, _ fetch: Fetch) throws(IdentityError) -> [TokenKey] {
        let bytes: [UInt8]
        do {
            bytes = try fetch(url)
        } catch {
            throw IdentityError(.unreachable, "The keys can't be fetched: \(error)".asSentenceEnd, place: url)
        }
        do throws(IdentityError) {
            return try TokenKey.keys(in: bytes, allowingSecrets: false)
        } catch {
            throw error.at(url)
        }
    }

    /// Infinite if it has never been. Positive even if the clock was set back, so that nothing waits for it.
    private static func seconds(from date: Date?, to now: Date) -> TimeInterval {
        date.map { abs(now.timeIntervalSince($0)) } ?? .infinity
    }
}
