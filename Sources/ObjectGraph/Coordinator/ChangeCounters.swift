// SPDX-License-Identifier: Apache-2.0

// Detects that something has changed since the last check, without reading rows.

import FoundationEssentials
import Synchronization

/// Counts writes for each hierarchy of entities.
///
/// 1. A hierarchy is counted after the write can be read everywhere, the row cache included, and before it is
///    acknowledged: a caller that reads the counter first and the rows then gets nothing older than the counter.
/// 2. Counters only grow, so a sum of counters changes whenever one of them does.
final class ChangeCounters: Sendable {
    private final class Counter: Sendable {
        let count = Atomic<UInt64>(0)
    }

    /// By the index of an entity in the model; entities of a hierarchy share one.
    private let counters: [Counter]

    init(_ model: ManagedObjectModel) {
        let roots = model.entities.map { _ in Counter() }
        counters = model.entities.map { roots[$0.rootIndex] }
    }

    func sum(of entities: some Sequence<EntityDescription>) -> UInt64 {
        entities.reduce(0) { $0 &+ counters[$1.index].count.load(ordering: .acquiring) }
    }

    /// - Parameter kept: The entities of a store of which any object may have changed.
    func count(_ changes: SavedChanges, _ kept: (UUID) -> Set<Int>) {
        var roots: Set<Int> = []
        for change in changes.list {
            switch change {
            case .inserted(let row), .updated(_, let row), .deleted(let row), .recomputed(let row):
                roots.insert(row.objectID.entity.rootIndex)
            case .members(let change):
                roots.insert(change.owner.entity.rootIndex)
                for member in change.added { roots.insert(member.entity.rootIndex) }
                for member in change.removed { roots.insert(member.entity.rootIndex) }
            case .row(let objectID, _): roots.insert(objectID.entity.rootIndex)
            case .rows(let range, _): roots.insert(range.entity.rootIndex)
            case .unknownStore(let store): count(kept(store))
            }
        }
        for root in roots { increment(root) }
    }

    /// Counts some entities, each at least once.
    func count(_ entities: Set<Int>) {
        for index in entities { increment(index) }
    }

    private func increment(_ index: Int) { counters[index].count.add(1, ordering: .releasing) }
}

extension PersistentStoreCoordinator {
    /// A number that changes after each change of an object of some entities, or of their super- and subentities: an
    /// insertion, update, deletion or change of relationships, by a save, a batch, or another program once its write is
    /// noticed.
    ///
    ///     let before = coordinator.changeCounter(of: [posts])   // first this, then read
    ///     …
    ///     if coordinator.changeCounter(of: [posts]) == before { /* what was read is current */ }
    ///
    /// A row's to-one references are part of the row: to observe a user's posts, ask for users and posts. Pairs of a
    /// many-to-many relationship count on both sides. The call is cheap. Together with `epoch`, the number is valid
    /// across processes.
    public func changeCounter(of entities: some Sequence<EntityDescription>) -> UInt64 {
        changeCounters.sum(of: entities)
    }
}
