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
        let (lockedBefore, contestedBefore, boundBefore) = (locked, contested, pendingBound)
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
            (locked, contested, pendingBound) = (lockedBefore, contestedBefore, boundBefore)
            undoManager.endGrouping()
            throw error
        }
    }

    /// Runs a closure of which nothing stays where it throws: no edit, no row that was read anew, no step of undo that was taken or
    /// given up.
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
