// SPDX-License-Identifier: Apache-2.0

// Explains fetches in a context with pending changes.

/// The parts of a fetch that stores execute and those that the context does in memory.
public struct ContextFetchExplanation: Hashable, Sendable {
    public let stores: [FetchExplanation]
    /// The number of new objects that are compared with the request in memory.
    public let inserted: Int
    /// The number of the stores' rows that are evaluated again or left out in memory: they were changed or deleted in
    /// the context, or refer to such objects.
    public let revised: Int
}

extension ManagedObjectContext {
    /// Explains a request without executing it. If pending changes affect it, the stores are asked for more rows, and
    /// the result is assembled in memory.
    public func explain(
        _ request: FetchRequest<ManagedObject>,
        for result: FetchExplanation.Result = .objects
    ) throws(GraphError) -> ContextFetchExplanation {
        confinement.check()
        let plain = try request.plain(for: result, in: model)
        let (asked, overlay) = try prepare(plain, includingPending: request.includesPendingChanges)
        let coordinator = source.coordinator
        guard let overlay else {
            return ContextFetchExplanation(stores: try coordinator.explain(asked, for: result), inserted: 0, revised: 0)
        }
        let stores: [FetchExplanation]
        if let table = asked.table {
            let isMadeOfAll = table.isGrouped || table.isDistinct
            stores = try coordinator.explain(isMadeOfAll ? asked.forRowsOfTable : overlay.widened(asked), for: .objects)
        } else {
            let needsRows = result != .count && asked.isOrdered
            stores = try coordinator.explain(overlay.widened(asked), for: needsRows ? .objects : .objectIDs)
        }
        return ContextFetchExplanation(stores: stores, inserted: overlay.insertedCount, revised: overlay.revisedCount)
    }
}
