// SPDX-License-Identifier: Apache-2.0

// Closures of batches, notes and migrations, which stores call during a write, perhaps on another thread.

import Basics
import FoundationEssentials
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
        /// Changes the objects of a store that is being migrated. It may read.
        case migration = "the closure of a migration"
    }

    /// The coordinators that can't be called.
    fileprivate enum Scope {
        case one(ObjectIdentifier)
        /// Those with a store, except one.
        case allWith(UUID, except: ObjectIdentifier)
    }

    private let kind: Kind
    private let scope: Scope
    /// Tasks created by the closure inherit the task-local value but aren't restricted.
    private let thread = CurrentThread.identifier()
    private let isOver = Atomic(false)

    @TaskLocal private static var current: StoreCallback?

    private init(_ kind: Kind, for scope: Scope) {
        self.kind = kind
        self.scope = scope
    }

    /// Calls a closure during a write.
    static func run<Result>(
        _ kind: Kind,
        of coordinator: PersistentStoreCoordinator,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try StoreCallback(kind, for: .one(ObjectIdentifier(coordinator))).run(body)
    }

    /// Calls a closure during the migration of a store, which only the migration's own coordinator can write meanwhile.
    static func run<Result>(
        migrating store: UUID,
        by coordinator: PersistentStoreCoordinator,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try StoreCallback(.migration, for: .allWith(store, except: ObjectIdentifier(coordinator))).run(body)
    }

    private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        defer { isOver.store(true, ordering: .relaxed) }
        return try Self.$current.withValue(self, operation: body)
    }

    /// Whether this thread is in a closure that a store calls during a write.
    static var isRunning: Bool {
        guard let current else { return false }
        return current.thread == CurrentThread.identifier() && !current.isOver.load(ordering: .relaxed)
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

    /// Throws within the closure of a migration: a save that waits for the migration keeps all stores from being pinned.
    static func checkPinning(_ coordinator: PersistentStoreCoordinator) throws(GraphError) {
        guard let current, current.kind == .migration, current.holds(for: coordinator) else { return }
        throw .reentrant("A pinned read", within: current.kind.rawValue, hint: "Read the present state.")
    }

    private func holds(for coordinator: PersistentStoreCoordinator) -> Bool {
        scope.contains(coordinator) && thread == CurrentThread.identifier() && !isOver.load(ordering: .relaxed)
    }
}

extension StoreCallback.Scope {
    fileprivate func contains(_ coordinator: PersistentStoreCoordinator) -> Bool {
        switch self {
        case .one(let known): known == ObjectIdentifier(coordinator)
        case .allWith(let store, let known):
            known != ObjectIdentifier(coordinator) && coordinator.store(store) != nil
        }
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
