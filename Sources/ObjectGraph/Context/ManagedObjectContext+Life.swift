// SPDX-License-Identifier: Apache-2.0

// How a context is entered, and how it ends.

extension ManagedObjectContext {
    /// Runs a closure that may use the context, and processes what it changed.
    func entered<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        try confinement.entered {
            defer { deferredErrors.endClosure() }
            if automaticallyMergesChanges { try mergeSavedChanges() }
            let result = try body(self)
            try processPendingChanges()
            return result
        }
    }

    /// Lets go of everything. Objects that somebody still has trap when they are used.
    func end() {
        confinement.end()
        registered = [:]
        (inserted, updated, deleted) = (PendingObjects(), PendingObjects(), PendingObjects())
        (unpropagated, event, observers, newer) = ([], ContextEvent(), [:], [:])
        (locked, contested) = (PendingObjects(), [:])
        (undoManager, trail) = (nil, nil)
    }
}
