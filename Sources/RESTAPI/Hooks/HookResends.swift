// SPDX-License-Identifier: Apache-2.0

// The dead letters that a hook sends again.

/// A queue of dead letters, each of which is sent once. After a failure the next one waits as a failing delivery does.
struct HookResends: Sendable {
    typealias Instant = HookSchedule.Instant

    private var letters: ArraySlice<String> = []
    private var queued: Set<String> = []
    private var failures = 0
    private var delayedUntil: Instant?

    /// The first letter, unless it must wait.
    func first(at now: Instant) -> String? {
        if let delayedUntil, delayedUntil > now { return nil }
        return letters.first
    }

    /// When the first letter need wait no longer, or nil.
    var nextAttempt: Instant? { letters.isEmpty ? nil : delayedUntil }

    mutating func add(_ new: [String]) {
        if letters.isEmpty { endDelay() }
        for letter in new where queued.insert(letter).inserted { letters.append(letter) }
    }

    mutating func removeFirst() {
        if let letter = letters.popFirst() { queued.remove(letter) }
    }

    mutating func removeAll() { self = HookResends() }

    mutating func didFail(_ limits: HookLimits, at now: Instant, jitter: Double, retryAfter: Duration?) {
        failures += 1
        delayedUntil = now + limits.delay(afterFailures: failures, jitter: jitter, retryAfter: retryAfter)
    }

    /// The receiver accepts deliveries.
    mutating func endDelay() {
        failures = 0
        delayedUntil = nil
    }
}
