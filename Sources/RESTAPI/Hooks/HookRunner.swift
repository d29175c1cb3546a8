// SPDX-License-Identifier: Apache-2.0

// Delivers what a hook selects.

import Dispatch
import Files
import FoundationEssentials
import ObjectGraph
import Synchronization

/// Takes the steps of a hook's schedule, one after the other. It occupies a thread only while it does something.
final class HookRunner: Sendable {
    let name: String
    let records: HookRecords
    let source: HookSource
    let send: HookSender
    let report: @Sendable (HookEvent) -> Void
    private let queue: DispatchQueue
    let state: Mutex<State>

    struct State {
        /// As it is used by the present step.
        var hook: Hook
        /// What the hook is changed to before the next step, or nil.
        var next: Hook?
        var schedule: HookSchedule
        var status = HookStatus()
        var isRunning = false
        var isEnding = false
        /// The time of the earliest timer, or nil.
        var alarm: HookSchedule.Instant?
    }

    /// A part of a transaction with more changes is a delivery of its own.
    static let changeLimit = 1_000

    init(
        _ hook: Hook,
        at position: HistoryToken,
        _ records: HookRecords,
        _ source: HookSource,
        send: @escaping HookSender,
        report: @escaping @Sendable (HookEvent) -> Void
    ) {
        name = hook.name
        self.records = records
        self.source = source
        self.send = send
        self.report = report
        queue = DispatchQueue(label: "hook \(name)")
        let memory = records.memory
        let now = ContinuousClock.now
        let failures = memory.failing.map { failing in
            let elapsed = max(0, Date.now.timeIntervalSince(failing.since))
            return HookSchedule.Failures(
                delivery: failing.delivery,
                attempts: failing.attempts,
                since: now - .seconds(elapsed)
            )
        }
        state = Mutex(
            State(
                hook: hook,
                schedule: HookSchedule(
                    hook.limits,
                    state: memory.state,
                    position: position,
                    failures: failures,
                    at: now
                )
            )
        )
    }

    var hook: Hook { state.withLock { $0.next ?? $0.hook } }

    var progress: (schedule: HookSchedule, status: HookStatus) { state.withLock { ($0.schedule, $0.status) } }

    // MARK: Control

    /// Continues with a hook of the same name when the present step has ended, also if the runner was about to end.
    func use(_ hook: Hook) {
        state.withLock { state in
            state.isEnding = false
            if hook != state.next ?? state.hook { state.next = hook }
        }
        change { _ in }
    }

    /// Something may have been written. Called on any thread.
    func noticeChange() { change { $0.noticeChange() } }

    /// Changes the schedule, and takes the next step.
    func change(_ body: (inout HookSchedule) -> Void) {
        let starts = state.withLock { state in
            body(&state.schedule)
            guard !state.isRunning, !state.isEnding else { return false }
            state.isRunning = true
            return true
        }
        if starts { queue.async { [self] in run() } }
    }

    func pause() throws(FileError) {
        change { $0.pause() }
        try remember()
    }

    func resume() throws(FileError) {
        change { $0.resume() }
        try remember()
    }

    private func remember() throws(FileError) {
        let schedule = state.withLock(\.schedule)
        try records.update { memory in
            memory.state = schedule.state
            if schedule.failures == nil { memory.failing = nil }
        }
    }

    /// Takes no further steps, unless `use` is called. The closure is called when the present one has ended and the
    /// position is written.
    func end(_ ended: @escaping @Sendable () -> Void) {
        state.withLock { $0.isEnding = true }
        queue.async { [self] in
            if let token = state.withLock({ $0.isEnding ? $0.schedule.unwrittenPosition : nil }) { write(token) }
            ended()
        }
    }

    // MARK: Steps

    private func run() {
        while true {
            let (step, hook) = state.withLock { state in
                if let next = state.next {
                    state.hook = next
                    state.next = nil
                    state.schedule.use(next.limits)
                }
                let step = state.isEnding ? .wait(until: nil) : state.schedule.step(at: .now)
                if case .wait = step { state.isRunning = false }
                return (step, state.hook)
            }
            switch step {
            case .read: read(hook)
            case .send(let delivery): attempt(delivery, of: hook)
            case .resend(let letter): resend(letter, of: hook)
            case .giveUp(let delivery): giveUp(delivery, of: hook)
            case .write(let token): write(token)
            case .wait(let time):
                if let time { wake(at: time) }
                return
            }
        }
    }

    /// Takes the next step at a time. An earlier timer does that too, and sets another one then.
    private func wake(at time: HookSchedule.Instant) {
        let isNew = state.withLock { state in
            if let alarm = state.alarm, alarm <= time { return false }
            state.alarm = time
            return true
        }
        guard isNew else { return }
        let delay = max(0, (time - .now) / .seconds(1))
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            state.withLock { state in
                if state.alarm == time { state.alarm = nil }
            }
            change { _ in }
        }
    }

    /// Keeps something, or logs that it applies only until the end of the process.
    func keep(_ change: (inout HookMemory) -> Void) {
        keepFiles { () throws(FileError) in try records.update(change) }
    }

    /// Writes the hook's files, or logs that they can't be written.
    func keepFiles(_ write: () throws(FileError) -> Void) {
        do throws(FileError) {
            try write()
        } catch {
            report(.warning, "The hook's state can't be written: \(error.reason)")
        }
    }

    func report(_ level: HookEvent.Level, _ message: String) {
        report(HookEvent(level: level, hook: name, message: message))
    }
}
