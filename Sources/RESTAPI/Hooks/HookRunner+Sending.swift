// SPDX-License-Identifier: Apache-2.0

// The steps of a hook that send deliveries, or give them up.

import Files
import FoundationEssentials
import Synchronization

extension HookRunner {
    func attempt(_ delivery: HookDelivery, of hook: Hook) {
        let answer = answer(to: delivery.id, delivery.body, of: hook)
        let former = state.withLock(\.schedule.failures)
        switch answer {
        case .success:
            state.withLock { $0.schedule.didDeliver(at: .now) }
            // An earlier run may have given it up.
            _ = try? records.remove(delivery.id)
            guard let former else { return }
            keep { $0.failing = nil }
            report(.info, "Delivered \(delivery.id), after \(former.attempts) failures.")
        case .failure(let failure) where failure.status == 410:
            state.withLock { $0.schedule.disable() }
            keep { $0.state = .disabled }
            report(.error, "The receiver doesn't want deliveries any more (410): the hook is disabled.")
        case .failure(let failure):
            let failures = state.withLock { state in
                state.schedule.didFail(at: .now, jitter: .random(in: 0...1))
                return state.schedule.failures
            }
            guard former == nil, let failures else { return }
            keep { memory in
                memory.failing = HookMemory.Failing(
                    delivery: delivery.id,
                    attempts: failures.attempts,
                    since: .now
                )
            }
            report(.warning, "The delivery \(delivery.id) failed, and is tried again: \(failure.reason)")
        }
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

    func resend(_ id: String, of hook: Hook) {
        defer { state.withLock { $0.schedule.didResend(id) } }
        guard let body = records.body(of: id), var letter = records.letters.first(where: { $0.id == id }) else {
            return
        }
        switch answer(to: id, body, of: hook) {
        case .success:
            _ = try? records.remove(id)
            report(.info, "Delivered the dead letter \(id).")
        case .failure(let failure):
            letter.attempts += 1
            letter.status = failure.status
            letter.reason = failure.reason
            try? records.add(letter, body: body, limit: hook.limits.deadLetters)
            report(.warning, "The dead letter \(id) failed again: \(failure.reason)")
        }
    }

    /// Sends a request, and records the answer.
    private func answer(to delivery: String, _ body: [UInt8], of hook: Hook) -> Result<Void, HookRefusal> {
        let seconds = Int64(Date.now.timeIntervalSince1970)
        let answer = send(HookRequest(hook, delivery: delivery, body: body, seconds: seconds))
        let refusal = HookRefusal(answer)
        state.withLock { state in
            if let refusal {
                state.status.lastFailure = .init(time: .now, status: refusal.status, reason: refusal.reason)
            } else if case .status(let status) = answer {
                state.status.lastSuccess = .init(time: .now, status: status, reason: nil)
            }
        }
        return refusal.map(Result.failure) ?? .success(())
    }
}
