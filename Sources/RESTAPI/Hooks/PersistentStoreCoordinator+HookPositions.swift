// SPDX-License-Identifier: Apache-2.0

// The positions of hooks in the history of the stores.

import FoundationEssentials
import ObjectGraph

extension PersistentStoreCoordinator {
    /// The position of a consumer in the stores of this coordinator. In stores where it has none, it begins at their end.
    func position(ofConsumer name: String) throws -> (token: HistoryToken, isComplete: Bool) {
        let end = try currentHistoryToken()
        let known = try historyConsumers()[name]?.token
        var token = HistoryToken()
        for store in end.stores { token[store] = known?[store] ?? end[store] }
        return (token, end.stores.allSatisfy { known?[$0] != nil })
    }

    /// Moves a consumer, except back: where it is further, it stays.
    func advanceHistoryConsumer(_ name: String, to token: HistoryToken) throws(GraphError) {
        var next = token
        let known = try historyConsumers()[name]?.token
        for store in token.stores { next[store] = [token[store], known?[store]].compactMap(\.self).max() }
        try setHistoryConsumer(name, to: next)
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
