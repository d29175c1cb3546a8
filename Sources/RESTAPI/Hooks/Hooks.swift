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
package final class Hooks: Sendable {
    private let folder: String?
    private let send: HookSender
    private let report: @Sendable (HookEvent) -> Void
    private let source = HookSource()
    private let state = Mutex(State())

    private struct State {
        var runners: [HookRunner] = []
        var observation: (coordinator: PersistentStoreCoordinator, number: CoordinatorObservation)?
        /// The API that was attached last.
        weak var api: API?
    }

    /// Held while hooks are replaced.
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

    /// Starts hooks, and ends those that aren't listed. A hook that is listed without a change goes on. A new one begins at
    /// the present end of the history.
    ///
    /// - Parameter api: The API to begin with, unless another one has been attached since.
    package func start(_ hooks: [Hook], with api: API) throws {
        try changing.withLock { _ in
            guard !source.isSuspended else { throw Busy() }
            let api = state.withLock(\.api) ?? api
            let former = state.withLock(\.runners)
            let kept = former.filter { hooks.contains($0.hook) }
            // A changed hook continues where the former one has ended.
            wait(for: former.filter { !hooks.contains($0.hook) }, within: .seconds(30))
            defer { attach(api, resuming: false) }
            do {
                let runners = try hooks.map { hook in
                    try kept.first { $0.hook == hook } ?? runner(of: hook, in: api.coordinator)
                }
                state.withLock { $0.runners = runners }
            } catch {
                // The former hooks go on.
                let runners = former.map { ended in
                    if kept.contains(where: { $0 === ended }) { return ended }
                    let position = ended.progress.schedule.position
                    return HookRunner(ended.hook, at: position, ended.records, source, send: send, report: report)
                }
                state.withLock { $0.runners = runners }
                throw error
            }
        }
    }

    private func runner(of hook: Hook, in coordinator: PersistentStoreCoordinator) throws -> HookRunner {
        let (position, isComplete) = try coordinator.position(ofConsumer: hook.consumer)
        if !isComplete { try coordinator.setHistoryConsumer(hook.consumer, to: position) }
        let records = try HookRecords(of: hook, in: folder) { path in
            report(HookEvent(level: .warning, hook: hook.name, message: "“\(path)” is damaged, and ignored."))
        }
        return HookRunner(hook, at: position, records, source, send: send, report: report)
    }

    /// Thrown while the model is being changed.
    package struct Busy: Error, CustomStringConvertible {
        package let description = "The model is being changed. Try again later."
    }

    /// The consumers of hooks that aren't listed, which keep history.
    package static func leftConsumers(besides hooks: [Hook], in api: API) throws -> [String] {
        let known = Set(hooks.map(\.consumer))
        return try api.coordinator.historyConsumers().keys
            .filter { $0.hasPrefix(Hook.consumerPrefix) && !known.contains($0) }.sorted()
    }

    /// Ends all hooks, and writes their positions. Attempts that take longer are repeated after the next start.
    package func end(within time: Duration) {
        changing.withLock { _ in
            let (runners, observation) = state.withLock { state in
                defer { state.observation = nil }
                return (state.runners, state.observation)
            }
            if let observation { observation.coordinator.remove(observation.number) }
            wait(for: runners, within: time)
            source.replace(with: nil, resuming: false)
        }
    }

    private func wait(for runners: [HookRunner], within time: Duration) {
        let group = DispatchGroup()
        for runner in runners {
            group.enter()
            runner.end { group.leave() }
        }
        _ = group.wait(timeout: .now() + time / .seconds(1))
    }

    // MARK: For the API

    var runners: [HookRunner] { state.withLock(\.runners) }

    /// Uses the stores and the model of an API that continues another one.
    func attach(_ api: API) {
        changing.withLock { _ in attach(api, resuming: true) }
    }

    private func attach(_ api: API, resuming: Bool) {
        let runners = runners
        let rules = runners.map { runner in
            (
                runner.hook.name,
                Result { () throws(HookProblem) in try HookRule(runner.hook, in: api) }
            )
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
