// SPDX-License-Identifier: Apache-2.0

// What a hook does next, without I/O and without a clock.

import ObjectGraph

/// The state of a hook.
///
///     reading ──found──▶ sending ──delivered──▶ reading
///                         ▲   │ failed
///        the delay is over│   ▼
///                        waiting ──too old, or too many attempts──▶ giving up ──didGiveUp──▶ reading
///     active ──pause──▶ paused ──resume──▶ active        active ──disable──▶ disabled ──resume──▶ active
///
/// 1. The position in the history passes a delivery only after it was received or has become a dead letter. So each
///    delivery is attempted at least once, and deliveries are received in order.
/// 2. Dead letters that are sent again alternate with deliveries.
/// 3. The position is written at most once a second while deliveries are received, or after a hundred of them, and once a
///    minute if nothing is selected. What was received after the last write is delivered again after a crash.
struct HookSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum State: String, Sendable {
        case active
        case paused
        /// The receiver doesn't exist any more.
        case disabled
    }

    enum Step: Equatable {
        case read
        case send(HookDelivery)
        /// To send a dead letter again.
        case resend(String)
        /// To make a dead letter of the delivery.
        case giveUp(HookDelivery)
        case write(HistoryToken)
        case wait(until: Instant?)
    }

    /// The failures of a delivery.
    struct Failures: Equatable, Sendable {
        let delivery: String
        var attempts: Int
        var since: Instant
    }

    private(set) var limits: HookLimits
    private(set) var state: State
    /// The position behind what was received or not selected.
    private(set) var position: HistoryToken
    private(set) var delivery: HookDelivery?
    private(set) var failures: Failures?
    /// When to try again, after a failure of the receiver or of the stores.
    private(set) var nextAttempt: Instant?
    /// Whether the delivery is to be given up.
    private var isGivenUp = false
    /// Whether something may have been written since the last read began.
    private var isOutdated = true
    private var storeFailures = 0
    private var resends = HookResends()
    /// Whether a dead letter precedes a delivery.
    private var isResendNext = true
    private var writtenAt: Instant
    /// When to write the position again, after a failure.
    private var nextWrite: Instant?
    /// The deliveries behind the written position, and since when there are some.
    private var unwritten: (deliveries: Int, since: Instant)?

    static let deliveriesPerWrite = 100
    private static let writeInterval = Duration.seconds(1)
    private static let idleWriteInterval = Duration.seconds(60)
    /// A consumer that doesn't report for long keeps nothing.
    private static let refreshInterval = Duration.seconds(24 * 60 * 60)

    /// - Parameter failures: The failures of a delivery in an earlier run.
    init(
        _ limits: HookLimits,
        state: State = .active,
        position: HistoryToken,
        failures: Failures? = nil,
        at now: Instant
    ) {
        self.limits = limits
        self.state = state
        self.position = position
        self.failures = failures
        writtenAt = now
    }

    func step(at now: Instant) -> Step {
        if let due = writeDue, due <= now { return .write(position) }
        guard state == .active else {
            // Nothing follows for a while, so the position needn't wait for other deliveries.
            guard unwritten != nil else { return .wait(until: nil) }
            if let nextWrite, nextWrite > now { return .wait(until: nextWrite) }
            return .write(position)
        }
        if let delivery, isGivenUp { return .giveUp(delivery) }
        let letter = resends.first(at: now)
        if let letter, isResendNext { return .resend(letter) }
        let step = deliveryStep(at: now)
        guard case .wait(let time) = step else { return step }
        if let letter { return .resend(letter) }
        return .wait(until: [time, resends.nextAttempt].compactMap(\.self).min())
    }

    private func deliveryStep(at now: Instant) -> Step {
        if let nextAttempt, nextAttempt > now { return .wait(until: [nextAttempt, writeDue].compactMap(\.self).min()) }
        if let delivery { return .send(delivery) }
        return isOutdated ? .read : .wait(until: writeDue)
    }

    private var writeDue: Instant? { positionDue.map { max($0, nextWrite ?? $0) } }

    private var positionDue: Instant? {
        guard let unwritten else {
            // While a delivery fails, the consumer gets older.
            return state == .active && delivery == nil ? writtenAt + Self.refreshInterval : nil
        }
        if unwritten.deliveries >= Self.deliveriesPerWrite { return unwritten.since }
        return unwritten.since + (unwritten.deliveries > 0 ? Self.writeInterval : Self.idleWriteInterval)
    }

    /// The position that isn't written yet, or nil.
    var unwrittenPosition: HistoryToken? { unwritten == nil ? nil : position }

    /// Continues with a changed hook: what was read must be read again.
    mutating func use(_ limits: HookLimits) {
        self.limits = limits
        delivery = nil
        isGivenUp = false
        isOutdated = true
        nextAttempt = nil
        storeFailures = 0
    }

    // MARK: Reading

    mutating func noticeChange() { isOutdated = true }

    mutating func willRead() { isOutdated = false }

    /// - Parameters:
    ///   - delivery: What was read, or nil if nothing was selected.
    ///   - hasMore: Whether there is more behind it.
    mutating func didRead(_ delivery: HookDelivery?, behind token: HistoryToken, hasMore: Bool, at now: Instant) {
        isOutdated = isOutdated || hasMore
        storeFailures = 0
        nextAttempt = nil
        self.delivery = delivery
        if let delivery {
            if failures?.delivery != delivery.id { failures = nil }
        } else {
            advance(to: token, deliveries: 0, at: now)
        }
    }

    /// Continues at another position, since the history doesn't reach back to the former one.
    mutating func skip(to token: HistoryToken, at now: Instant) {
        delivery = nil
        failures = nil
        isGivenUp = false
        isOutdated = true
        nextAttempt = nil
        position = token
        unwritten = (Self.deliveriesPerWrite, now)
    }

    /// - Parameter jitter: A random number from 0 to 1.
    mutating func storeDidFail(at now: Instant, jitter: Double) {
        storeFailures += 1
        isOutdated = true
        nextAttempt = now + limits.delay(afterFailures: storeFailures, jitter: jitter)
    }

    /// The stores are being migrated: reads them a little later.
    mutating func storesAreReplaced(at now: Instant) {
        isOutdated = true
        nextAttempt = now + .milliseconds(200)
    }

    /// Reads the stores at once, whatever has failed before.
    mutating func storesWereReplaced() {
        isOutdated = true
        storeFailures = 0
        if delivery == nil { nextAttempt = nil }
    }

    private mutating func advance(to token: HistoryToken, deliveries: Int, at now: Instant) {
        guard token != position || deliveries > 0 else { return }
        position = token
        unwritten = ((unwritten?.deliveries ?? 0) + deliveries, unwritten?.since ?? now)
    }

    // MARK: Writing the position

    /// - Parameter token: What was written.
    mutating func didWrite(_ token: HistoryToken, at now: Instant) {
        writtenAt = now
        nextWrite = nil
        if token == position { unwritten = nil }
    }

    /// Tries again a second later.
    mutating func writeDidFail(at now: Instant) {
        if unwritten == nil { writtenAt = now }
        unwritten = (1, now)
        nextWrite = now + Self.writeInterval
    }

    // MARK: Sending

    mutating func didDeliver(at now: Instant) {
        resends.endDelay()
        didEnd(at: now)
    }

    private mutating func didEnd(at now: Instant) {
        guard let delivered = delivery else { return }
        isResendNext = true
        delivery = nil
        failures = nil
        nextAttempt = nil
        isGivenUp = false
        isOutdated = true
        advance(to: delivered.token, deliveries: 1, at: now)
    }

    /// - Parameters:
    ///   - jitter: A random number from 0 to 1.
    ///   - retryAfter: How long the receiver asks to wait.
    mutating func didFail(at now: Instant, jitter: Double, retryAfter: Duration? = nil) {
        guard let delivery else { return }
        isResendNext = true
        var failed = failures ?? Failures(delivery: delivery.id, attempts: 0, since: now)
        failed.attempts += 1
        failures = failed
        isGivenUp = now - failed.since >= limits.giveUpAfter || failed.attempts >= limits.attempts ?? .max
        nextAttempt = now + limits.delay(afterFailures: failed.attempts, jitter: jitter, retryAfter: retryAfter)
    }

    /// The delivery has become a dead letter.
    mutating func didGiveUp(at now: Instant) { didEnd(at: now) }

    /// The dead letter can't be kept: the delivery is tried again later.
    mutating func giveUpDidFail(at now: Instant) {
        isGivenUp = false
        nextAttempt = now + limits.maximumDelay
    }

    // MARK: Sending dead letters again

    /// Sends each of some dead letters once, after those that wait already.
    mutating func resend(_ letters: [String]) { resends.add(letters) }

    mutating func willResend() {
        isResendNext = false
        resends.removeFirst()
    }

    mutating func didResend() { resends.endDelay() }

    mutating func resendDidFail(at now: Instant, jitter: Double, retryAfter: Duration? = nil) {
        resends.didFail(limits, at: now, jitter: jitter, retryAfter: retryAfter)
    }

    // MARK: States

    mutating func pause() { if state == .active { state = .paused } }

    mutating func disable() {
        state = .disabled
        resends.removeAll()
    }

    /// Continues at once, with the delivery's first attempt.
    mutating func resume() {
        state = .active
        failures = nil
        nextAttempt = nil
        isGivenUp = false
        storeFailures = 0
        resends.endDelay()
    }
}
