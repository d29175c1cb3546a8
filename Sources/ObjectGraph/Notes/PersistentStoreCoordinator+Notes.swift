// SPDX-License-Identifier: Apache-2.0

// Notes among several stores: each is kept where the save is that it was made with.

public import FoundationEssentials
import Synchronization

extension PersistentStoreCoordinator {
    /// The note of a key that one of the stores keeps.
    ///
    /// - Parameter date: Since when it must have been made.
    public func note(_ key: String, since date: Date = .distantPast) throws(GraphError) -> StoreNote? {
        try StoreCallback.checkReading(self)
        for store in stores where store.keepsNotes {
            let note = try GraphError.wrapping { try store.note(key) }
            if let note, note.made >= date { return note }
        }
        return nil
    }

    /// The store that keeps a note with a save into one store, or none. One into several keeps it where it is decided: see `JointSaving`.
    ///
    /// - Parameter written: The store that the save has something to write to.
    func storeForNote(_ written: (any PersistentStore)?) throws(GraphError) -> any PersistentStore {
        if let store = written {
            guard store.keepsNotes else { throw .noteUnkept(store.identifier) }
            return store
        }
        guard let store = stores.first(where: { $0.keepsNotes && !$0.isReadOnly }) else { throw .noteOfNoStore }
        return store
    }

    /// Runs a closure whose saves and batches commit a mark with what they write, whichever thread or context makes them. One closure of
    /// a coordinator runs at a time.
    package func marking<Result>(_ mark: CommitMark, _ body: () throws -> Result) rethrows -> Result {
        activeMarks.withLock { $0 = [mark] }
        defer { activeMarks.withLock { $0 = [] } }
        return try body()
    }

    var marks: [CommitMark] { activeMarks.withLock(\.self) }

    /// Keeps the note of a batch that had nothing to do anywhere.
    func keep(_ note: PendingNote<BatchResult>) throws(GraphError) {
        let store = try storeForNote(nil)
        let pending = note.guarded(by: self).adapted { (_: [Snapshot]) in BatchResult() }
        func save() throws(GraphError) {
            _ = try GraphError.wrapping { try store.save(StoreSaveRequest(), commit: Commit(note: pending)) }
        }
        if store.savesTogether { return try save() }
        try saving.withLock { _ throws(GraphError) in try save() }
    }
}
