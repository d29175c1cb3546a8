// SPDX-License-Identifier: Apache-2.0

// The steps of a hook that send deliveries, or give them up.

import Files
import FoundationEssentials
import Synchronization

extension HookRunner {
    func attempt(_ delivery: HookDelivery, of hook: Hook) {
        let answer = answer(to: delivery.id, body: delivery.body, of: hook)
        let former = state.withLock(\.schedule.failures)
        switch answer {
        case .success:
            state.withLock { $0.schedule.didDeliver(at: .now) }
            // An earlier run may have given it up.
            removeLetter(delivery.id)
            guard let former else { return }
            keep { $0.failing = nil }
            report(.info, "Delivered \(delivery.id), after \(former.attempts) failures.")
        case .failure(let failure) where failure.isFinal: disable()
        case .failure(let failure):
            let failures = state.withLock { state in
                state.schedule.didFail(at: .now, jitter: .random(in: 0...1), retryAfter: failure.retryAfter)
                return state.schedule.failures
            }
            guard let failures else { return }
            keep { memory in
                let known = memory.failing.flatMap { $0.delivery == delivery.id ? $0.since : nil }
                memory.failing = HookMemory.Failing(
                    delivery: delivery.id,
                    attempts: failures.attempts,
                    since: known ?? .now
                )
            }
            guard former == nil else { return }
            report(.warning, "The delivery \(delivery.id) failed, and is tried again: \(failure.reason)")
        }
    }

    private func disable() {
        state.withLock { $0.schedule.disable() }
        keep { $0.state = .disabled }
        report(.error, "The receiver doesn't want deliveries any more (410): the hook is disabled.")
    }

    func giveUp(_ delivery: HookDelivery, of hook: Hook) {
        let progress = progress
        let letter = HookLetter(
            id: delivery.id,
            time: delivery.time,
            givenUp: .now,
            attempts: progress.schedule.failures?.attempts ?? 0,
            status: progress.status.lastFailure?.status,
            reason: progress.status.lastFailure?.reason ?? ""
        )
        do {
            try records.add(letter, body: delivery.body, limit: hook.limits.deadLetters)
        } catch {
            state.withLock { $0.schedule.giveUpDidFail(at: .now) }
            return report(.error, "The dead letter \(delivery.id) can't be kept, so it is tried again: \(error.reason)")
        }
        state.withLock { $0.schedule.didGiveUp(at: .now) }
        keep { $0.failing = nil }
        report(.error, "The delivery \(delivery.id) became a dead letter after \(letter.attempts) attempts.")
    }

    /// Sends a dead letter again, unless it was removed.
    func resend(_ id: String, of hook: Hook) {
        state.withLock { $0.schedule.willResend() }
        guard var letter = records.letter(ofDelivery: id) else { return }
        guard let body = records.body(of: id) else {
            return report(.warning, "The dead letter \(id) can't be read.")
        }
        switch answer(to: id, body: body, of: hook) {
        case .success:
            state.withLock { $0.schedule.didResend() }
            removeLetter(id)
            report(.info, "Delivered the dead letter \(id).")
        case .failure(let failure) where failure.isFinal: disable()
        case .failure(let failure):
            state.withLock { state in
                state.schedule.resendDidFail(at: .now, jitter: .random(in: 0...1), retryAfter: failure.retryAfter)
            }
            letter.attempts += 1
            letter.status = failure.status
            letter.reason = failure.reason
            keepFiles { () throws(FileError) in try records.replace(letter, body: body) }
            report(.warning, "The dead letter \(id) failed again: \(failure.reason)")
        }
    }

    private func removeLetter(_ id: String) {
        keepFiles { () throws(FileError) in try records.remove(id) }
    }

    /// Sends a request, and records the answer.
    private func answer(to delivery: String, body: [UInt8], of hook: Hook) -> Result<Void, HookRefusal> {
        let seconds = Int64(Date.now.timeIntervalSince1970)
        let answer = send(HookRequest(hook, delivery: delivery, body: body, seconds: seconds))
        let refusal = HookRefusal(answer)
        state.withLock { state in
            if let refusal {
                state.status.lastFailure = .init(time: .now, status: refusal.status, reason: refusal.reason)
            } else if case .status(let status, _) = answer {
                state.status.lastSuccess = .init(time: .now, status: status, reason: nil)
            }
        }
        return refusal.map(Result.failure) ?? .success(())
    }
}
