// SPDX-License-Identifier: Apache-2.0

// Closures of batches and notes, which stores call during a write, perhaps on another thread.

import Basics
import Glibc
import Synchronization

/// A closure that runs while a store is being written. A call to the same coordinator would deadlock with that write,
/// so it throws, the same for all kinds of stores.
final class StoreCallback: Sendable {
    enum Kind: String {
        /// Generates the rows of a batch. It may read.
        case rows = "the closure of a batch"
        /// Generates the content of a note.
        case note = "the closure of a note"
    }

    private let kind: Kind
    private let coordinator: ObjectIdentifier
    /// Tasks created by the closure inherit the task-local value but aren't restricted.
    private let thread = CurrentThread.identifier()
    private let isOver = Atomic(false)

    @TaskLocal private static var current: StoreCallback?

    private init(_ kind: Kind, of coordinator: PersistentStoreCoordinator) {
        self.kind = kind
        self.coordinator = ObjectIdentifier(coordinator)
    }

    /// Calls a closure during a write.
    static func run<Result>(
        _ kind: Kind,
        of coordinator: PersistentStoreCoordinator,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let callback = StoreCallback(kind, of: coordinator)
        defer { callback.isOver.store(true, ordering: .relaxed) }
        return try $current.withValue(callback, operation: body)
    }

    /// Throws within a closure that a write of the coordinator's stores calls.
    static func checkWriting(_ coordinator: PersistentStoreCoordinator) throws(GraphError) {
        guard let current, current.holds(for: coordinator) else { return }
        throw .reentrant("A write", within: current.kind.rawValue, hint: "Write before or after.")
    }

    /// Throws within the closure of a note.
    static func checkReading(_ coordinator: PersistentStoreCoordinator) throws(GraphError) {
        guard let current, current.kind == .note, current.holds(for: coordinator) else { return }
        throw .reentrant("A read", within: current.kind.rawValue, hint: "Read what the note needs before the save.")
    }

    private func holds(for coordinator: PersistentStoreCoordinator) -> Bool {
        self.coordinator == ObjectIdentifier(coordinator) && thread == CurrentThread.identifier()
            && !isOver.load(ordering: .relaxed)
    }
}

extension PendingNote {
    /// The same note, with a closure that can't call the coordinator.
    func guarded(by coordinator: PersistentStoreCoordinator) -> PendingNote {
        PendingNote(key: key, made: made, keptSince: keptSince) { outcome in
            try StoreCallback.run(.note, of: coordinator) { try note(of: outcome).content }
        }
    }
}
