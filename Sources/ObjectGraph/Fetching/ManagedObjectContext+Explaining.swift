// SPDX-License-Identifier: Apache-2.0

// How fetches would be done in a context, where changes are pending.

/// What a context would ask of the stores, and what it would do itself.
public struct ContextFetchExplanation: Hashable, Sendable {
    public let stores: [FetchExplanation]
    /// How many new objects are compared with the request in memory.
    public let inserted: Int
    /// How many of the stores' rows are compared again in memory, or left out: they were changed or deleted in the context, or lead to
    /// objects that were.
    public let revised: Int
}

extension ManagedObjectContext {
    /// How a request would be done, without doing it. Where something pending concerns it, the stores are asked for more rows, and the
    /// answer is put together in memory.
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
