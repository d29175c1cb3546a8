// SPDX-License-Identifier: Apache-2.0

// The calls of `prepareForDeletion` that are under way: hooks that delete and insert objects, whose hooks do so in turn, come to an
// end, be it by an error.

/// Keeps the hooks of deletions from going on forever.
///
/// 1. An object whose hook runs is being deleted: to delete it again does nothing.
/// 2. Hooks within hooks run on one another's stack only so deep; then objects wait until the outermost hook has returned.
/// 3. Each hook runs for an object that wasn't deleted before. So hooks can go on without end only by inserting objects, or bringing
///    deleted ones back, that are deleted in turn and whose own hooks do the same: such insertions are limited.
struct DeletionHooks {
    /// The objects whose hooks run, the innermost last.
    private var running: [ManagedObject] = []
    private var waiting: [ManagedObject] = []
    /// The objects that hooks have inserted or brought back since the outermost deletion began.
    private var newcomers: Set<ManagedObject> = []
    private var insertionsOfNewcomers = 0

    private static let depthLimit = 50
    private static let insertionLimit = 10_000

    var isRunning: Bool { !running.isEmpty }

    /// Begins the hook of an object; false where it isn't to be called now.
    mutating func begin(_ object: ManagedObject) -> Bool {
        guard !running.contains(where: { $0 === object }) else { return false }
        guard running.count < Self.depthLimit else {
            waiting.append(object)
            return false
        }
        running.append(object)
        return true
    }

    /// Ends the innermost hook.
    mutating func end() { running.removeLast() }

    /// The next object that waits for its hook, once no other runs.
    mutating func takeWaiting() -> ManagedObject? {
        running.isEmpty && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    /// Takes note of an object that is inserted, or comes back.
    mutating func insert(_ object: ManagedObject) throws(GraphError) {
        guard let current = running.last else { return }
        if newcomers.contains(current) {
            insertionsOfNewcomers += 1
            guard insertionsOfNewcomers <= Self.insertionLimit else { throw .endlessDeletion(current.entity) }
        }
        newcomers.insert(object)
    }

    /// Forgets what hooks have inserted, when all deletions are done.
    mutating func finish() { (newcomers, insertionsOfNewcomers) = ([], 0) }
}

extension GraphError {
    fileprivate static func endlessDeletion(_ entity: EntityDescription) -> GraphError {
        GraphError(
            .endlessChanges,
            "prepareForDeletion() of \(entity.name) inserts objects that are deleted in turn, without end.",
            hint: "Insert nothing there that is deleted together with the object. Roll the context back to go on."
        )
    }
}
