// SPDX-License-Identifier: Apache-2.0

// The hooks of a server.

import Dispatch
import Files
import FoundationEssentials
import ObjectGraph
import Synchronization

/// Delivers changes to receivers. The hooks outlive an API: a change of the model replaces it.
///
///     let hooks = Hooks(folder: folder, send: sender) { log($0) }
///     let api = try API(coordinator, hooks: hooks)
///     try hooks.start([hook], with: api)
///     …
///     hooks.end(within: .seconds(10))
///
/// 1. There is one runner for a name at a time: a changed hook continues in the runner of the former one, and that of a
///    removed hook stays until its last step has ended. So a hook never makes two attempts at once.
/// 2. No lock is held while an attempt is waited for.
/// 3. Nothing starts after the end.
package final class Hooks: Sendable {
    private let folder: String?
    private let send: HookSender
    private let report: @Sendable (HookEvent) -> Void
    private let source = HookSource()
    private let state = Mutex(State())
    /// The runners that are ending with the server.
    private let ending = DispatchGroup()

    private struct State {
        /// In the order in which the hooks are listed.
        var runners: [HookRunner] = []
        /// The runners of removed hooks whose last steps haven't ended.
        var leaving: [HookRunner] = []
        /// Without a folder: by the name of the hook, also of removed ones.
        var records: [String: HookRecords] = [:]
        var observation: (coordinator: PersistentStoreCoordinator, number: CoordinatorObservation)?
        /// The API that was attached last.
        weak var api: API?
        var isEnded = false
    }

    /// Held while hooks or their stores are replaced.
    private let changing = Mutex(())

    /// - Parameter folder: Where dead letters and the hooks' states are kept; nil to keep them in memory.
    package init(
        folder: String?,
        send: @escaping HookSender,
        report: @escaping @Sendable (HookEvent) -> Void = { _ in }
    ) {
        self.folder = folder
        self.send = send
        self.report = report
    }

    /// The mistakes in hooks that only show with the model.
    package static func problems(of hooks: [Hook], in api: API) -> [(hook: Hook, problem: HookProblem)] {
        hooks.compactMap { hook in
            do throws(HookProblem) {
                _ = try HookRule(hook, in: api)
                return nil
            } catch {
                return (hook, error)
            }
        }
    }

    /// Starts hooks, and ends those that aren't listed. A hook that is listed without a change goes on, and a changed one
    /// goes on with the change when its present step has ended. A new one begins at the present end of the history.
    ///
    /// - Parameter api: The API to begin with, unless another one has been attached since.
    package func start(_ hooks: [Hook], with api: API) throws {
        try changing.withLock { _ in
            guard !state.withLock(\.isEnded) else { throw HooksUnavailable.ended }
            let api = state.withLock(\.api) ?? api
            // What may fail comes first, so that the former hooks go on.
            let runners = try source.exclusively { try hooks.map { try runner(of: $0, in: api.coordinator) } }
            guard let runners else { throw HooksUnavailable.changingModel }
            let removed = state.withLock { state in
                let removed = state.runners.filter { runner in !runners.contains { $0 === runner } }
                state.leaving.removeAll { runner in runners.contains { $0 === runner } }
                state.leaving += removed
                state.runners = runners
                return removed
            }
            attach(api, for: hooks, resuming: false)
            for (runner, hook) in zip(runners, hooks) { runner.use(hook) }
            for runner in removed {
                runner.end { [weak self] in self?.release(runner) }
            }
        }
    }

    /// The hook's runner, or a new one.
    private func runner(of hook: Hook, in coordinator: PersistentStoreCoordinator) throws -> HookRunner {
        let (known, kept) = state.withLock { state in
            ((state.runners + state.leaving).first { $0.name == hook.name }, state.records[hook.name])
        }
        if let known { return known }
        let (position, isComplete) = try coordinator.position(ofConsumer: hook.consumer)
        if !isComplete { try coordinator.setHistoryConsumer(hook.consumer, to: position) }
        let records =
            try kept
            ?? HookRecords(of: hook, in: folder) { path in
                report(HookEvent(level: .warning, hook: hook.name, message: "“\(path)” is damaged, and ignored."))
            }
        if folder == nil { state.withLock { $0.records[hook.name] = records } }
        return HookRunner(hook, at: position, records, source, send: send, report: report)
    }

    /// The last step of a removed hook has ended, unless the hook has come back meanwhile.
    private func release(_ runner: HookRunner) {
        changing.withLock { _ in
            state.withLock { $0.leaving.removeAll { $0 === runner } }
        }
    }

    /// The consumers of hooks that aren't listed, which keep history.
    package static func leftConsumers(besides hooks: [Hook], in api: API) throws -> [String] {
        let known = Set(hooks.map(\.consumer))
        return try api.coordinator.historyConsumers().keys
            .filter { $0.hasPrefix(Hook.consumerPrefix) && !known.contains($0) }.sorted()
    }

    /// Begins no further steps, and returns at once. The hooks write their positions when their present steps have ended.
    package func stop() {
        changing.withLock { _ in
            let (runners, observation) = state.withLock { state in
                defer {
                    state.isEnded = true
                    state.observation = nil
                }
                return (state.isEnded ? [] : state.runners + state.leaving, state.observation)
            }
            if let observation { observation.coordinator.remove(observation.number) }
            for runner in runners {
                ending.enter()
                runner.end { [ending] in ending.leave() }
            }
        }
    }

    /// Ends all hooks, and writes their positions. Attempts that take longer are repeated after the next start.
    package func end(within time: Duration) {
        stop()
        _ = ending.wait(timeout: .now() + max(0, time / .seconds(1)))
        source.replace(with: nil, resuming: false)
    }

    // MARK: For the API

    var runners: [HookRunner] { state.withLock(\.runners) }

    /// Uses the stores and the model of an API that continues another one.
    func attach(_ api: API) {
        changing.withLock { _ in
            guard !state.withLock(\.isEnded) else { return }
            attach(api, for: runners.map(\.hook), resuming: true)
        }
    }

    private func attach(_ api: API, for hooks: [Hook], resuming: Bool) {
        let rules = hooks.map { hook in
            (hook, Result { () throws(HookProblem) in try HookRule(hook, in: api) })
        }
        source.replace(
            with: HookSource.Content(
                coordinator: api.coordinator,
                catalogue: api.catalogue,
                rules: Dictionary(uniqueKeysWithValues: rules)
            ),
            resuming: resuming
        )
        let number = api.coordinator.observe { [weak self] _ in
            for runner in self?.runners ?? [] { runner.noticeChange() }
        }
        let former = state.withLock { state in
            defer {
                state.observation = (api.coordinator, number)
                state.api = api
            }
            return state.observation
        }
        if let former { former.coordinator.remove(former.number) }
        for runner in runners { runner.change { $0.storesWereReplaced() } }
    }

    /// Waits until no hook uses the stores, which are about to be migrated.
    func suspend() { source.suspend() }

    /// Goes on with the same stores.
    func resume() { source.resume() }
}
