// SPDX-License-Identifier: Apache-2.0

// Observers of commits, with the rows that were written.

package import FoundationEssentials
import Synchronization

/// The place of a commit in the history of a store.
package struct CommitPosition: Hashable, Sendable {
    package let store: UUID
    /// Nil if the store keeps no history.
    package let transaction: Int64?
}

/// The closures that are called with each commit, in the order of each store's commits, before the write returns.
///
/// They are called on the writing thread while the store is held, so they must neither block nor use stores.
final class CommitObservers: Sendable {
    typealias Observer = @Sendable (SavedChanges, CommitPosition?) -> Void

    private let observers = Mutex<[Int: Observer]>([:])
    private let last = Atomic(0)
    /// Whether there are observers, for commits without any.
    private let count = Atomic(0)

    func add(_ observer: @escaping Observer) -> Int {
        let number = last.add(1, ordering: .relaxed).newValue
        observers.withLock { observers in
            observers[number] = observer
            count.store(observers.count, ordering: .releasing)
        }
        return number
    }

    func remove(_ number: Int) {
        observers.withLock { observers in
            observers[number] = nil
            count.store(observers.count, ordering: .releasing)
        }
    }

    func notify(of changes: SavedChanges, at position: CommitPosition?) {
        guard count.load(ordering: .acquiring) > 0 else { return }
        for observer in observers.withLock({ Array($0.values) }) { observer(changes, position) }
    }
}

extension PersistentStoreCoordinator {
    /// Calls a closure with the changes of each commit, and its place in the history if that is known. It is called on
    /// the writing thread, must not block, and must not use stores.
    package func observeCommits(
        _ observer: @escaping @Sendable (SavedChanges, CommitPosition?) -> Void
    ) -> CommitObservation { CommitObservation(number: commitObservers.add(observer)) }

    package func remove(_ observation: CommitObservation) { commitObservers.remove(observation.number) }
}

/// An observation of commits, for removing it.
package struct CommitObservation: Hashable, Sendable {
    fileprivate let number: Int
}
