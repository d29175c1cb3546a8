// SPDX-License-Identifier: Apache-2.0

// Notes with several stores: each is kept in the store of its save.

public import FoundationEssentials
import Synchronization

extension PersistentStoreCoordinator {
    /// The note of a key from any of the stores, or nil.
    ///
    /// - Parameter date: The earliest time of the note.
    public func note(_ key: String, since date: Date = .distantPast) throws(GraphError) -> StoreNote? {
        try StoreCallback.checkReading(self)
        for store in stores where store.keepsNotes {
            let note = try GraphError.wrapping { try store.note(key) }
            if let note, note.made >= date { return note }
        }
        return nil
    }

    /// The store that keeps a note of a save into at most one store. For several stores, it is the one that decides:
    /// see `JointSaveRun`.
    ///
    /// - Parameter written: The store that the save writes to.
    func storeForNote(_ written: (any PersistentStore)?) throws(GraphError) -> any PersistentStore {
        if let store = written {
            guard store.keepsNotes else { throw .noteUnkept(store.identifier) }
            return store
        }
        guard let store = stores.first(where: { $0.keepsNotes && !$0.isReadOnly }) else { throw .noteOfNoStore }
        return store
    }

    /// Keeps the note of a batch that changed nothing.
    func keep(_ note: PendingNote<BatchResult>) throws(GraphError) {
        let store = try storeForNote(nil)
        let pending = note.guarded(by: self).adapted { (_: [Snapshot]) in BatchResult() }
        func save() throws(GraphError) {
            _ = try GraphError.wrapping { try store.save(StoreSaveRequest(), commit: Commit(note: pending)) }
        }
        if store.acceptsConcurrentSaves { return try save() }
        try saving.withLock { _ throws(GraphError) in try save() }
    }
}
