// SPDX-License-Identifier: Apache-2.0

// Changes made as a whole or not at all.

extension ManagedObjectContext {
    /// Runs a closure whose changes form one undo step. If it throws, they are reverted, and undo and redo stay as they
    /// were.
    ///
    ///     try context.asGroup {
    ///         for post in posts { try post.setValue(true, forKey: "isPublished") }
    ///     }
    ///
    /// The context must have an undo manager, which records the changes to revert.
    public func asGroup<Result>(_ body: () throws -> Result) throws -> Result {
        guard let undoManager else {
            preconditionFailure("asGroup(_:) was called in a context without an undo manager.")
        }
        try processPendingChanges()
        undoManager.beginGrouping()
        let lockedBefore = locked
        let contestedBefore = contested
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
            takeBack(undoManager.takeOpenGroup())
            locked = lockedBefore
            contested = contestedBefore
            pendingBound = boundBefore
            undoManager.endGrouping()
            throw error
        }
    }

    /// Runs a closure and, if it throws, restores the whole context: edits, refreshed rows, and undo steps.
    ///
    ///     try context.wholly {
    ///         context.rollback()
    ///         try keep(context)
    ///     }
    public func wholly<Result>(_ body: () throws -> Result) throws -> Result {
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
