// SPDX-License-Identifier: Apache-2.0

// Delivers what a hook selects.

import Dispatch
import Files
import FoundationEssentials
import JSON
import ObjectGraph
import Synchronization

/// Something about a hook for the log.
package struct HookEvent: Sendable {
    package enum Level: Sendable { case info, warning, error }

    package let level: Level
    package let hook: String
    package let message: String
}

/// What has happened to a hook since the start.
struct HookStatus: Sendable {
    struct Attempt: Sendable {
        let time: Date
        let status: Int?
        /// Why it failed, or nil.
        let reason: String?
    }

    var lastSuccess: Attempt?
    var lastFailure: Attempt?
    /// Why the hook can't read or write its stores, or nil.
    var obstacle: String?
}

/// Takes the steps of a hook's schedule, one after the other. It occupies a thread only while it does something.
final class HookRunner: Sendable {
    let hook: Hook
    let records: HookRecords
    private let source: HookSource
    private let send: HookSender
    private let report: @Sendable (HookEvent) -> Void
    private let queue: DispatchQueue
    private let state: Mutex<State>

    private struct State {
        var schedule: HookSchedule
        var status = HookStatus()
        var isRunning = false
        var isEnded = false
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
        self.hook = hook
        self.records = records
        self.source = source
        self.send = send
        self.report = report
        queue = DispatchQueue(label: "hook \(hook.name)")
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

    var progress: (schedule: HookSchedule, status: HookStatus) { state.withLock { ($0.schedule, $0.status) } }

    // MARK: Control

    /// Something may have been written. Called on any thread.
    func noticeChange() { change { $0.noticeChange() } }

    /// Changes the schedule, and takes the next step.
    func change(_ body: (inout HookSchedule) -> Void) {
        let starts = state.withLock { state in
            body(&state.schedule)
            guard !state.isRunning, !state.isEnded else { return false }
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
        let state = state.withLock(\.schedule.state)
        try records.update { $0.state = state }
    }

    /// Takes no further steps. The closure is called when the current one has ended and the position is written.
    func end(_ ended: @escaping @Sendable () -> Void) {
        state.withLock { $0.isEnded = true }
        queue.async { [self] in
            if let token = state.withLock(\.schedule.unwrittenPosition) { write(token) }
            ended()
        }
    }

    // MARK: Steps

    private func run() {
        while true {
            let step = state.withLock { state in
                let step = state.isEnded ? .wait(until: nil) : state.schedule.step(at: .now)
                if case .wait = step { state.isRunning = false }
                return step
            }
            switch step {
            case .read: read()
            case .send(let delivery): attempt(delivery)
            case .resend(let letter): resend(letter)
            case .giveUp(let delivery): giveUp(delivery)
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

    private func read() {
        let position = state.withLock { state in
            state.schedule.willRead()
            return state.schedule.position
        }
        useStores { content throws in
            let rule = try content.rules[hook.name]?.get()
            guard let rule else { return }
            var request = HistoryRequest(after: position)
            request.filter = rule.filter
            request.limit = 1
            request.changeLimit = Self.changeLimit
            do {
                let result = try content.coordinator.history(request)
                let delivery = try result.transactions.first.flatMap { transaction in
                    try HookDelivery(transaction, behind: result.token, of: hook, rule, content)
                }
                state.withLock {
                    $0.schedule.didRead(delivery, behind: result.token, hasMore: result.hasMore, at: .now)
                }
            } catch let error as GraphError where error.code == .historyTrimmed {
                try skip(from: position, content.coordinator)
            }
        }
    }

    /// Continues with the oldest transactions that are kept.
    private func skip(from position: HistoryToken, _ coordinator: PersistentStoreCoordinator) throws {
        let oldest = try coordinator.reachable(position)
        state.withLock { $0.schedule.skip(to: oldest, at: .now) }
        report(
            .error,
            "The history was trimmed or replaced before it was delivered: changes are lost. "
                + "Deliveries continue with the oldest that are kept."
        )
        keep { memory in
            memory.losses += 1
            memory.lastLoss = .now
        }
    }

    private func write(_ token: HistoryToken) {
        do throws(GraphError) {
            let written: Void? = try source.read { (content) throws(GraphError) in
                try content.coordinator.setHistoryConsumer(hook.consumer, to: token)
            }
            guard written != nil else { return state.withLock { $0.schedule.writeDidFail(at: .now) } }
            state.withLock { $0.schedule.didWrite(token, at: .now) }
        } catch {
            state.withLock { $0.schedule.writeDidFail(at: .now) }
            report(.warning, "The position can't be written, and is tried again: \(error)")
        }
    }

    /// Runs a closure with the stores. After a failure the schedule tries again.
    private func useStores(_ body: (HookSource.Content) throws -> Void) {
        do {
            if try source.read(body) != nil { return clearObstacle() }
            state.withLock { $0.schedule.storesAreReplaced(at: .now) }
        } catch {
            storesDidFail((error as? HookProblem)?.message ?? "\(error)")
        }
    }

    private func storesDidFail(_ reason: String) {
        let isNew = state.withLock { state in
            state.schedule.storeDidFail(at: .now, jitter: .random(in: 0...1))
            defer { state.status.obstacle = reason }
            return state.status.obstacle != reason
        }
        if isNew { report(.error, "Deliveries are held up: \(reason)") }
    }

    private func clearObstacle() {
        let had = state.withLock { state in
            defer { state.status.obstacle = nil }
            return state.status.obstacle != nil
        }
        if had { report(.info, "Deliveries go on.") }
    }

    private func attempt(_ delivery: HookDelivery) {
        let answer = answer(to: delivery.id, delivery.body)
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

    private func giveUp(_ delivery: HookDelivery) {
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
            try records.add(letter, body: delivery.body)
        } catch {
            state.withLock { $0.schedule.giveUpDidFail(at: .now) }
            return report(.error, "The dead letter \(delivery.id) can't be kept, so it is tried again: \(error.reason)")
        }
        state.withLock { $0.schedule.didGiveUp(at: .now) }
        keep { $0.failing = nil }
        report(.error, "The delivery \(delivery.id) became a dead letter after \(letter.attempts) attempts.")
    }

    private func resend(_ id: String) {
        defer { state.withLock { $0.schedule.didResend(id) } }
        guard let body = records.body(of: id), var letter = records.letters.first(where: { $0.id == id }) else {
            return
        }
        switch answer(to: id, body) {
        case .success:
            _ = try? records.remove(id)
            report(.info, "Delivered the dead letter \(id).")
        case .failure(let failure):
            letter.attempts += 1
            letter.status = failure.status
            letter.reason = failure.reason
            try? records.add(letter, body: body)
            report(.warning, "The dead letter \(id) failed again: \(failure.reason)")
        }
    }

    private struct Refusal: Error {
        let status: Int?
        let reason: String

        /// Nil if the receiver has accepted the delivery.
        init?(_ answer: HookAnswer) {
            switch answer {
            case .status(200..<300): return nil
            case .status(let status):
                self.status = status
                reason = "The receiver answered with \(status)."
            case .failed(let reason):
                status = nil
                self.reason = reason
            }
        }
    }

    /// Sends a request, and records the answer.
    private func answer(to delivery: String, _ body: [UInt8]) -> Result<Void, Refusal> {
        let seconds = Int64(Date.now.timeIntervalSince1970)
        let answer = send(HookRequest(hook, delivery: delivery, body: body, seconds: seconds))
        let refusal = Refusal(answer)
        state.withLock { state in
            if let refusal {
                state.status.lastFailure = .init(time: .now, status: refusal.status, reason: refusal.reason)
            } else if case .status(let status) = answer {
                state.status.lastSuccess = .init(time: .now, status: status, reason: nil)
            }
        }
        return refusal.map(Result.failure) ?? .success(())
    }

    /// Keeps something, or logs that it applies only until the end of the process.
    private func keep(_ change: (inout HookMemory) -> Void) {
        do throws(FileError) {
            try records.update(change)
        } catch {
            report(.warning, "The hook's state can't be written: \(error.reason)")
        }
    }

    private func report(_ level: HookEvent.Level, _ message: String) {
        report(HookEvent(level: level, hook: hook.name, message: message))
    }
}

extension HookDelivery {
    /// Nil if no change is selected.
    init?(
        _ transaction: HistoryTransaction,
        behind token: HistoryToken,
        of hook: Hook,
        _ rule: HookRule,
        _ content: HookSource.Content
    ) throws {
        var transaction = transaction
        transaction.changes = try rule.selected(transaction.changes, in: content.coordinator)
        guard !transaction.changes.isEmpty, let position = transaction.token[transaction.store] else { return nil }
        id = "\(hook.name)-\(HistoryToken(positions: [transaction.store: position]))"
        time = transaction.timestamp
        self.token = token
        let members = content.catalogue.json(transaction).object?.members ?? []
        let all = [("hook", .string(hook.name)), ("delivery", .string(id))] + members.map { ($0.name, $0.value) }
        body = JSONValue.object(JSONObject(all)).serializedBytes()
    }
}
