// SPDX-License-Identifier: Apache-2.0

// Whether anything has changed since it was looked last, without looking at rows.

import FoundationEssentials
import Synchronization

/// Counts what is written, for each hierarchy of entities.
///
/// 1. A hierarchy is counted after what was written can be read everywhere, the row cache included, and before the write is
///    acknowledged: whoever takes the counter first and reads then has nothing older than the counter says.
/// 2. Counters only grow, so that the sum of several is another one whenever one of them is.
final class ChangeCounters: Sendable {
    private final class Counter: Sendable {
        let count = Atomic<UInt64>(0)
    }

    /// By the place of an entity in the model; entities of a hierarchy share one.
    private let counters: [Counter]

    init(_ model: ManagedObjectModel) {
        let roots = model.entities.map { _ in Counter() }
        counters = model.entities.map { roots[$0.rootIndex] }
    }

    func sum(of entities: some Sequence<EntityDescription>) -> UInt64 {
        entities.reduce(0) { $0 &+ counters[$1.index].count.load(ordering: .acquiring) }
    }

    /// - Parameter kept: the entities of a store of which anything may have changed.
    func count(_ changes: SavedChanges, _ kept: (UUID) -> Set<Int>) {
        var roots: Set<Int> = []
        for change in changes.list {
            switch change {
            case .inserted(let row), .updated(_, let row), .deleted(let row), .recomputed(let row):
                roots.insert(row.objectID.entity.rootIndex)
            case .members(let change): roots.formUnion(change.objects.lazy.map(\.entity.rootIndex))
            case .row(let objectID, _): roots.insert(objectID.entity.rootIndex)
            case .rows(let range, _): roots.insert(range.entity.rootIndex)
            case .unknownStore(let store): count(kept(store))
            }
        }
        for root in roots { increment(root) }
    }

    /// Counts some entities, each once or more often.
    func count(_ entities: Set<Int>) {
        for index in entities { increment(index) }
    }

    private func increment(_ index: Int) { counters[index].count.add(1, ordering: .releasing) }
}

extension PersistentStoreCoordinator {
    /// A number that is another one after each change of an object of some entities, or of one above or below them: inserted, updated,
    /// deleted, or related otherwise, by a save, a batch, or another program once that is noticed.
    ///
    ///     let before = coordinator.changeCounter(of: [posts])   // first this, then read
    ///     …
    ///     if coordinator.changeCounter(of: [posts]) == before { /* what was read is what there is */ }
    ///
    /// What a row tells counts as a change of the row: who reads a user's posts asks for users and posts. Pairs of a relationship to
    /// many on both sides count on both. Asking costs next to nothing. With `epoch` the number says the same to other processes.
    public func changeCounter(of entities: some Sequence<EntityDescription>) -> UInt64 {
        changeCounters.sum(of: entities)
    }
}
