// SPDX-License-Identifier: Apache-2.0

// What other processes have written to a store.

/// What others have written to a store since it was last noticed.
public enum OtherWrites: Sendable {
    /// The transactions of others, from the history.
    case transactions([HistoryTransaction])
    /// Any row may have changed.
    case unknown
}

extension SavedChanges {
    /// The changes of a transaction, of which only the objects and the properties are known.
    init(_ transaction: HistoryTransaction) {
        self.init()
        source = .other
        var kinds: [ManagedObjectID: HistoryChange.Kind] = [:]
        for change in transaction.changes {
            let former = kinds[change.objectID]
            kinds[change.objectID] = former == .insert && change.kind == .update ? .insert : change.kind
        }
        for change in transaction.changes {
            guard let kind = kinds.removeValue(forKey: change.objectID) else { continue }
            switch kind {
            case .insert: add(CollectionOfOne(change.objectID), as: .inserted)
            case .update: add(CollectionOfOne(change.objectID), as: .updated)
            case .delete: add(CollectionOfOne(change.objectID), as: .deleted)
            }
        }
        for change in transaction.changes where change.kind == .update {
            guard let names = change.properties else {
                changedProperties.isIncomplete = true
                continue
            }
            changedProperties.add(names, of: change.objectID)
        }
    }
}
