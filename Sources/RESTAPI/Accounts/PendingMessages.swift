// SPDX-License-Identifier: Apache-2.0

// The messages to accounts that aren't delivered yet, without I/O and without a clock.

/// A message, and when it is tried next.
struct PendingMessage: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The same in all attempts.
    let id: String
    let message: AccountMessage
    /// When its token expires.
    let end: Instant
    fileprivate(set) var failures = 0
    fileprivate(set) var nextAttempt: Instant
}

/// Messages in the order in which they were added.
///
///     add ──▶ due ──delivered──▶ removed
///              ▲ │ failed
///     the delay│ ▼
///       is over  waiting ──the token expires first, or the receiver is gone──▶ removed
///
/// A message that waits holds up no others: they are for different people.
struct PendingMessages: Sendable {
    typealias Instant = ContinuousClock.Instant

    static let limit = 1_000

    private var messages: [PendingMessage] = []

    var count: Int { messages.count }

    /// When the next attempt is due; nil without messages.
    var nextAttempt: Instant? { messages.map(\.nextAttempt).min() }

    /// Adds a message, or returns false if there are too many.
    mutating func add(_ message: AccountMessage, id: String, until end: Instant, at now: Instant) -> Bool {
        guard messages.count < Self.limit else { return false }
        messages.append(PendingMessage(id: id, message: message, end: end, nextAttempt: now))
        return true
    }

    /// The message to be sent now, or nil.
    ///
    /// - Parameter onlyNew: Whether messages that have failed are left out.
    func due(at now: Instant, onlyNew: Bool = false) -> PendingMessage? {
        messages.first { $0.nextAttempt <= now && !(onlyNew && $0.failures > 0) }
    }

    mutating func remove(_ id: String) { messages.removeAll { $0.id == id } }

    mutating func removeAll() { messages = [] }

    /// Tries a message again after a delay. If its token expires before, the message is removed.
    ///
    /// - Parameter jitter: A random number from 0 to 1.
    /// - Returns: The number of its failures; nil if it was removed.
    mutating func didFail(
        _ id: String,
        _ limits: HookLimits,
        at now: Instant,
        jitter: Double,
        retryAfter: Duration?
    ) -> Int? {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
        messages[index].failures += 1
        let failures = messages[index].failures
        let delay = limits.delay(afterFailures: failures, jitter: jitter, retryAfter: retryAfter)
        guard now + delay < messages[index].end else {
            messages.remove(at: index)
            return nil
        }
        messages[index].nextAttempt = now + delay
        return failures
    }
}
