// SPDX-License-Identifier: Apache-2.0

// The stores that hooks read, which a change of the model replaces.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// The served stores and the hooks' rules. One hook reads or writes at a time; none while the stores are migrated.
final class HookSource: Sendable {
    struct Content: Sendable {
        let coordinator: PersistentStoreCoordinator
        let catalogue: Catalogue
        /// By the name of the hook.
        let rules: [String: Result<HookRule, HookProblem>]
    }

    private struct State {
        var content: Content?
        var isSuspended = false
    }

    private let state = Mutex(State())

    /// Runs a closure with the stores; nil while they are being replaced.
    func read<Value, Failure: Error>(
        _ body: (Content) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try state.withLock { (state) throws(Failure) in
            guard let content = state.content, !state.isSuspended else { return nil }
            return try body(content)
        }
    }

    /// - Parameter resuming: Whether the stores' migration has ended, if there was one.
    func replace(with content: Content?, resuming: Bool) {
        state.withLock { state in
            state.content = content
            if resuming { state.isSuspended = false }
        }
    }

    /// Whether hooks may use the stores.
    var isSuspended: Bool { state.withLock(\.isSuspended) }

    /// Waits until no hook uses the stores, and lets none use them.
    func suspend() { state.withLock { $0.isSuspended = true } }

    func resume() { state.withLock { $0.isSuspended = false } }
}

extension PersistentStoreCoordinator {
    /// The position of a consumer in the stores of this coordinator. In stores where it has none, it begins at their end.
    func position(ofConsumer name: String) throws -> (token: HistoryToken, isComplete: Bool) {
        let end = try currentHistoryToken()
        let known = try historyConsumers()[name]?.token
        var token = HistoryToken()
        for store in end.stores { token[store] = known?[store] ?? end[store] }
        return (token, end.stores.allSatisfy { known?[$0] != nil })
    }

    /// The position, moved to the oldest kept transactions of the stores whose histories don't reach back to it.
    func reachable(_ token: HistoryToken) throws -> HistoryToken {
        let end = try currentHistoryToken()
        var reachable = end
        for store in end.stores {
            if let position = token[store], try reaches(HistoryToken(positions: [store: position])) {
                reachable[store] = position
            } else {
                reachable[store] = try oldestPosition(in: store, end: end)
            }
        }
        return reachable
    }

    private func reaches(_ token: HistoryToken) throws -> Bool {
        var request = HistoryRequest(after: token)
        request.limit = 0
        do {
            _ = try history(request)
            return true
        } catch {
            guard error.code == .historyTrimmed else { throw error }
            return false
        }
    }

    /// The position before the oldest kept transaction of a store.
    private func oldestPosition(in store: UUID, end: HistoryToken) throws -> HistoryToken.Position? {
        var others = end
        others[store] = nil
        var request = HistoryRequest(after: others)
        request.limit = 1
        request.changeLimit = 1
        // Others may have been written since.
        while case let result = try history(request), let first = result.transactions.first {
            if first.store == store { return HistoryToken.Position(transaction: first.number - 1) }
            request.token = result.token
        }
        return end[store]
    }
}
