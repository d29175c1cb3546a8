// SPDX-License-Identifier: Apache-2.0

// Changes that are made as a whole, or not at all.

extension ManagedObjectContext {
    /// Runs a closure whose changes are undone by one step. Where it throws they are taken back, and undo and redo stay as they were.
    ///
    ///     try context.asGroup {
    ///         for post in posts { try post.setValue(true, forKey: "isPublished") }
    ///     }
    ///
    /// The context must have an undo manager, which has the changes to be taken back.
    public func asGroup<Result>(_ body: () throws -> Result) throws -> Result {
        guard let undoManager else {
            preconditionFailure("asGroup(_:) was called in a context without an undo manager.")
        }
        try processPendingChanges()
        undoManager.beginGrouping()
        let lockedBefore = locked
        do {
            let result = try body()
            try processPendingChanges()
            undoManager.endGrouping()
            return result
        } catch {
            takeBack(undoManager.takeOpenGroup())
            locked = lockedBefore
            undoManager.endGrouping()
            throw error
        }
    }

    /// Makes edits that take others back, of which undo is to know nothing.
    private func takeBack(_ edits: [ContextEdit]) {
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        isTakingBack = true
        for edit in edits { perform(edit) }
        isTakingBack = false
        unpropagated.removeAll { !$0.isDeleted }
        for object in OrderedMembers(edits.map(\.object)).members { settle(object) }
        deferredErrors.endChanges()
    }
}
