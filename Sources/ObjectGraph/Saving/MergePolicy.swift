// SPDX-License-Identifier: Apache-2.0

// How a save resolves conflicts with changes of others.

/// Resolves the conflicts of a save.
public struct MergePolicy: Sendable {
    /// The policies of Core Data, with their numbers.
    public enum Kind: Int, CaseIterable, Hashable, Sendable {
        case error = 0
        case mergeByPropertyStoreTrump = 1
        case mergeByPropertyObjectTrump = 2
        case overwrite = 3
        case rollback = 4
    }

    public let kind: Kind
    let resolution: (@Sendable (MergeConflict) throws -> Row?)?

    public init(_ kind: Kind) {
        self.kind = kind
        resolution = nil
    }

    /// A custom policy: the closure returns the row to save for each conflict, or nil to keep the stored one. An error
    /// that it throws, or an invalid row, ends the save.
    public init(resolving conflict: @escaping @Sendable (MergeConflict) throws -> Row?) {
        kind = .mergeByPropertyObjectTrump
        resolution = conflict
    }

    /// The save fails.
    public static let error = MergePolicy(.error)
    /// Resolves each property; if both sides changed one, the store's value stays.
    public static let mergeByPropertyStoreTrump = MergePolicy(.mergeByPropertyStoreTrump)
    /// Resolves each property; if both sides changed one, the object's value is saved.
    public static let mergeByPropertyObjectTrump = MergePolicy(.mergeByPropertyObjectTrump)
    /// All of the object's values are saved, changed or not.
    public static let overwrite = MergePolicy(.overwrite)
    /// The object's changes are dropped.
    public static let rollback = MergePolicy(.rollback)
}

/// A row that was changed both in the store and in a context.
public struct MergeConflict: Sendable {
    public let objectID: ManagedObjectID
    /// The row that both sides' changes are based on.
    public let base: Snapshot
    /// The stored row, or nil if it was deleted.
    public let stored: Snapshot?
    /// The context's values, or nil if the object was deleted there.
    public let edited: Row?

    package init(objectID: ManagedObjectID, base: Snapshot, stored: Snapshot?, edited: Row?) {
        self.objectID = objectID
        self.base = base
        self.stored = stored
        self.edited = edited
    }
}
