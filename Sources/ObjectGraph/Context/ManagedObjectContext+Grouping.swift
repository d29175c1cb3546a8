// SPDX-License-Identifier: Apache-2.0

// Changes made as a whole or not at all.

extension ManagedObjectContext {
    /// Runs a closure whose changes form one undo step. If it throws, they are reverted, and undo and redo stay as they
    /// were.
    ///
    ///     try context.withUndoGroup {
    ///         for post in posts { try post.setValue(true, forKey: "isPublished") }
    ///     }
    ///
    /// The context must have an undo manager, which records the changes to revert.
    public func withUndoGroup<Result>(_ body: () throws -> Result) throws -> Result {
        guard let undoManager else {
            preconditionFailure("withUndoGroup(_:) was called in a context without an undo manager.")
        }
        try processPendingChanges()
        undoManager.beginGrouping()
        let lockedBefore = pending.locked
        let contestedBefore = pending.contested
        let boundBefore = pendingBound
        groupDepth += 1
        defer {
            groupDepth -= 1
            if groupDepth == 0 { groupCheckpoint = nil }
        }
        do {
            let result = try body()
            try processPendingChanges()
            undoManager.endGrouping()
            return result
        } catch {
            groupCheckpoint?.restore(self)
            revert(undoManager.discardOpenGroup())
            pending.locked = lockedBefore
            pending.contested = contestedBefore
            pendingBound = boundBefore
            undoManager.endGrouping()
            throw error
        }
    }

    /// Runs a closure and, if it throws, restores the whole context: edits, refreshed rows, and undo steps.
    ///
    ///     try context.restoringOnFailure {
    ///         context.rollback()
    ///         try keep(context)
    ///     }
    public func restoringOnFailure<Result>(_ body: () throws -> Result) throws -> Result {
        try processPendingChanges()
        let before = ContextCheckpoint(of: self)
        do {
            return try body()
        } catch {
            before.restore(self)
            throw error
        }
    }

    /// Applies inverse edits without registering them for undo.
    private func revert(_ edits: [ContextEdit]) {
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        isReverting = true
        for edit in edits { perform(edit) }
        isReverting = false
        pending.unpropagated.removeAll { !$0.isDeleted }
        for object in OrderedMembers(edits.map(\.object)).members { markUnchangedIfAsSaved(object) }
        deferredErrors.endChanges()
    }
}
