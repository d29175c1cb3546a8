// SPDX-License-Identifier: Apache-2.0

// A delivery, made of a transaction.

import FoundationEssentials
import JSON
import ObjectGraph

/// A request that a hook sends until it is received or given up.
struct HookDelivery: Equatable, Sendable {
    /// The same in all attempts, also after a restart.
    let id: String
    /// When the transaction was made.
    let time: Date
    let body: [UInt8]
    /// The position behind it.
    let token: HistoryToken
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
