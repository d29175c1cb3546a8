// SPDX-License-Identifier: Apache-2.0

// Entering and ending a context.

extension ManagedObjectContext {
    /// Merges what is queued, if the context merges automatically; runs a closure that may use the context; and
    /// processes its changes.
    func performAndProcess<Result>(
        mergingFirst: Bool = true,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try confinement.withAccess {
            defer { deferredErrors.endClosure() }
            if mergingFirst, automaticallyMergesChanges { try mergeSavedChanges() }
            let result = try body(self)
            try processPendingChanges()
            return result
        }
    }

    /// Releases everything. Objects that are still referenced trap when they are used.
    func end() {
        confinement.end()
        registered = [:]
        pending = PendingRecords()
        event = ContextEvent()
        observers = [:]
        undoManager = nil
        archiveTracker = nil
    }
}
