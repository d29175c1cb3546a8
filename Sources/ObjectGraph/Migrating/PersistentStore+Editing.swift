// SPDX-License-Identifier: Apache-2.0

// Calls the closures of a migration's stages.

import Synchronization

extension PersistentStore {
    /// Calls a closure of a stage with a context over the store, and saves what the closure leaves unsaved.
    ///
    /// - Parameters:
    ///   - model: The version that the store has at the moment.
    ///   - configuration: The configuration whose entities the store keeps; nil for all.
    package func edit(
        in model: ManagedObjectModel,
        configuration: String? = nil,
        by closure: MigrationStage.Closure
    ) throws -> MigrationReport.Edits {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(self, configuration: configuration)
        let edited = EditedObjects()
        let observation = coordinator.observe { notification in
            if case .didSave(let objectIDs) = notification { edited.add(objectIDs) }
        }
        defer { coordinator.remove(observation) }
        try StoreCallback.run(migrating: identifier, by: coordinator) {
            try coordinator.withContext { context in
                try closure(context)
                try context.save()
            }
        }
        return edited.edits
    }
}

/// The objects that saves and batches have changed.
private final class EditedObjects: Sendable {
    private struct State {
        var inserted: Set<ManagedObjectID> = []
        var updated: Set<ManagedObjectID> = []
        var deleted: Set<ManagedObjectID> = []
    }

    private let state = Mutex(State())

    func add(_ saved: SavedObjectIDs) {
        state.withLock { state in
            state.inserted.formUnion(saved.inserted)
            state.updated.formUnion(saved.updated)
            state.deleted.formUnion(saved.deleted)
        }
    }

    var edits: MigrationReport.Edits {
        state.withLock { state in
            MigrationReport.Edits(
                inserted: state.inserted.subtracting(state.deleted).count,
                updated: state.updated.subtracting(state.inserted).subtracting(state.deleted).count,
                deleted: state.deleted.subtracting(state.inserted).count
            )
        }
    }
}
