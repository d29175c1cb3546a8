// SPDX-License-Identifier: Apache-2.0

// The steps of a hook that read or write the stores.

import FoundationEssentials
import ObjectGraph
import Synchronization

extension HookRunner {
    func read(_ hook: Hook) {
        let position = state.withLock { state in
            state.schedule.willRead()
            return state.schedule.position
        }
        useStores { content throws in
            let rule = try content.rules[hook]?.get()
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

    func write(_ token: HistoryToken) {
        do throws(GraphError) {
            let written: Void? = try source.read { (content) throws(GraphError) in
                try content.coordinator.advanceHistoryConsumer(Hook.consumer(ofHook: name), to: token)
            }
            guard written != nil else { return state.withLock { $0.schedule.writeDidFail(at: .now) } }
            state.withLock { $0.schedule.didWrite(token, at: .now) }
        } catch {
            state.withLock { $0.schedule.writeDidFail(at: .now) }
            report(.warning, "The position can't be written, and is tried again: \(error)")
        }
    }

    /// What follows a position; nil if it can't be read at present.
    func backlog(behind position: HistoryToken) throws(GraphError) -> HookBacklog? {
        guard let content = source.content, let rule = try? content.rules[hook]?.get() else { return nil }
        var request = HistoryRequest(after: position)
        request.filter = rule.filter
        request.limit = HookBacklog.limit
        request.changeLimit = HookBacklog.changeLimit
        do throws(GraphError) {
            let result = try content.coordinator.history(request)
            let first = result.transactions.first
            return HookBacklog(count: result.transactions.count, hasMore: result.hasMore, since: first?.timestamp)
        } catch {
            // The hook finds out that the history was trimmed.
            guard error.code == .historyTrimmed else { throw error }
            return nil
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
}
