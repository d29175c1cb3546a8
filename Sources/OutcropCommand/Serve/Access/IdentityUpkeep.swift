// SPDX-License-Identifier: Apache-2.0

// Reads keys again in the background, so that requests don't wait for files and networks.

import Dispatch
import FoundationEssentials
import Identities
import Synchronization

/// Reads the files of API keys and of tokens' keys about each second, fetches keys at URLs, and writes the last uses of API
/// keys about each minute.
///
/// What may wait for others, such as a network or a lock, has a queue of its own, so that revoked keys count at once.
final class IdentityUpkeep: Sendable {
    private let identities: ServedIdentities
    private let fileQueue = DispatchQueue(label: "files of keys")
    private let slowQueue = DispatchQueue(label: "keys at URLs, and uses of keys")
    private let isEnded = Atomic(false)
    private let lastFlush = Mutex(ContinuousClock.now)

    private static let fileInterval = DispatchTimeInterval.milliseconds(250)
    private static let slowInterval = DispatchTimeInterval.seconds(1)
    private static let flushInterval = Duration.seconds(60)

    init(_ identities: ServedIdentities) { self.identities = identities }

    func start() {
        repeatedly(on: fileQueue, every: Self.fileInterval) { $0.refreshFiles() }
        repeatedly(on: slowQueue, every: Self.slowInterval) { upkeep in
            upkeep.refreshSlowly()
            upkeep.flushIfDue()
        }
    }

    /// Ends, and writes the last uses.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        identities.keys?.flush(now: .now)
    }

    private func repeatedly(
        on queue: DispatchQueue,
        every interval: DispatchTimeInterval,
        _ work: @escaping @Sendable (IdentityUpkeep) -> Void
    ) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !isEnded.load(ordering: .relaxed) else { return }
            work(self)
            repeatedly(on: queue, every: interval, work)
        }
    }

    private func refreshFiles() {
        identities.keys?.refreshIfNeeded(now: .now)
        guard let tokens = identities.tokens, !tokens.isRemote else { return }
        tokens.refreshIfNeeded(now: .now)
    }

    private func refreshSlowly() {
        guard let tokens = identities.tokens, tokens.isRemote else { return }
        tokens.refreshIfNeeded(now: .now)
    }

    private func flushIfDue() {
        let isDue = lastFlush.withLock { last in
            guard ContinuousClock.now - last >= Self.flushInterval else { return false }
            last = .now
            return true
        }
        if isDue { identities.keys?.flush(now: .now) }
    }
}
