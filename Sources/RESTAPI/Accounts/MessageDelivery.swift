// SPDX-License-Identifier: Apache-2.0

// Delivers the messages to accounts to a webhook.

import Dispatch
import FoundationEssentials
import Synchronization

/// Sends messages with signed requests, and those that fail again, until their tokens expire.
///
///     let delivery = MessageDelivery { log($0) }
///     delivery.use(MessageReceiver(hook, send: sender))
///     delivery.deliver(message)  // returns at once
///     …
///     delivery.end(within: .seconds(10))
///
/// 1. Messages are in memory alone, since they have tokens: those that aren't delivered are lost with the process.
/// 2. One attempt is made at a time, and no lock is held while it is waited for.
/// 3. Reports have neither names nor tokens.
package final class MessageDelivery: Sendable {
    private struct State {
        var receiver: MessageReceiver?
        var messages = PendingMessages()
        var isRunning = false
        var isEnding = false
        /// The time of the earliest timer, or nil.
        var alarm: ContinuousClock.Instant?
    }

    private let report: @Sendable (HookEvent) -> Void
    private let queue = DispatchQueue(label: "messages to accounts")
    private let state = Mutex(State())
    private let running = DispatchGroup()

    package init(report: @escaping @Sendable (HookEvent) -> Void = { _ in }) { self.report = report }

    /// Sends to another receiver from now on, also what has failed; to none if it is nil.
    package func use(_ receiver: MessageReceiver?) {
        let lost = state.withLock { state in
            state.receiver = receiver
            guard receiver == nil else { return 0 }
            defer { state.messages.removeAll() }
            return state.messages.count
        }
        reportLoss(of: lost)
        start()
    }

    /// Sends a message soon.
    package func deliver(_ message: AccountMessage) {
        let now = ContinuousClock.now
        let id = "\(MessageReceiver.name)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let end = now + .seconds(max(0, message.expires.timeIntervalSinceNow))
        let isKept = state.withLock { state in
            guard state.receiver != nil, !state.isEnding else { return false }
            return state.messages.add(message, id: id, until: end, at: now)
        }
        guard isKept else {
            return report(
                .error,
                "The message \(message.words) isn't sent: too many are waiting, or the server is ending."
            )
        }
        start()
    }

    /// Begins no further attempts except those of new messages, and waits for these.
    package func end(within time: Duration) {
        state.withLock { $0.isEnding = true }
        _ = running.wait(timeout: .now() + max(0, time / .seconds(1)))
        let lost = state.withLock { state in
            defer { state.messages.removeAll() }
            return state.messages.count
        }
        reportLoss(of: lost)
    }

    private func reportLoss(of count: Int) {
        guard count > 0 else { return }
        report(.warning, "\(count) messages to accounts weren't delivered. They can be asked for again.")
    }

    private func report(_ level: HookEvent.Level, _ message: String) {
        report(HookEvent(level: level, hook: MessageReceiver.name, message: message))
    }

    // MARK: Attempts

    private func start() {
        let begins = state.withLock { state in
            guard !state.isRunning, state.messages.count > 0 else { return false }
            state.isRunning = true
            return true
        }
        guard begins else { return }
        running.enter()
        queue.async { [self] in
            while let (message, receiver) = next() { attempt(message, receiver) }
            running.leave()
        }
    }

    /// The next message that is due. Without one, the run ends, and a timer begins another one.
    private func next() -> (PendingMessage, MessageReceiver)? {
        state.withLock { state in
            if let receiver = state.receiver, let message = state.messages.due(at: .now, onlyNew: state.isEnding) {
                return (message, receiver)
            }
            state.isRunning = false
            guard !state.isEnding, let time = state.messages.nextAttempt, time < state.alarm ?? .now + .seconds(86_400)
            else { return nil }
            state.alarm = time
            queue.asyncAfter(deadline: .now() + max(0, (time - .now) / .seconds(1))) { [weak self] in
                self?.state.withLock { $0.alarm = nil }
                self?.start()
            }
            return nil
        }
    }

    private func attempt(_ pending: PendingMessage, _ receiver: MessageReceiver) {
        guard let refusal = HookRefusal(receiver.send(pending, at: .now)) else {
            state.withLock { $0.messages.remove(pending.id) }
            return
        }
        let failures = state.withLock { state -> Int? in
            if refusal.isFinal {
                state.messages.remove(pending.id)
                return nil
            }
            return state.messages.didFail(
                pending.id,
                receiver.limits,
                at: .now,
                jitter: .random(in: 0...1),
                retryAfter: refusal.retryAfter
            )
        }
        switch failures {
        case nil: report(.error, "The message \(pending.message.words) was given up: \(refusal.reason)")
        case 1: report(.warning, "The message \(pending.message.words) failed, and is tried again: \(refusal.reason)")
        default: break
        }
    }
}

extension AccountMessage {
    /// What is said of it in the log.
    fileprivate var words: String { "of the kind “\(kind.rawValue)” to \(account)" }
}
