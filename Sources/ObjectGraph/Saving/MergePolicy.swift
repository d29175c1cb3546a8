// SPDX-License-Identifier: Apache-2.0

// What happens when others have changed what is to be saved.

/// How a save goes on where others were faster.
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

    /// A policy of one's own: for each conflict the row to be saved, or nil to take what the store has. What it throws ends
    /// the save, and so does a row that the object can't have.
    public init(resolving conflict: @escaping @Sendable (MergeConflict) throws -> Row?) {
        kind = .mergeByPropertyObjectTrump
        resolution = conflict
    }

    /// The save fails.
    public static let error = MergePolicy(.error)
    /// Property by property; where both sides changed one, the store's value stays.
    public static let mergeByPropertyStoreTrump = MergePolicy(.mergeByPropertyStoreTrump)
    /// Property by property; where both sides changed one, the object's value is saved.
    public static let mergeByPropertyObjectTrump = MergePolicy(.mergeByPropertyObjectTrump)
    /// All of the object's values are saved, changed or not.
    public static let overwrite = MergePolicy(.overwrite)
    /// The object's changes are dropped.
    public static let rollback = MergePolicy(.rollback)
}

/// A row that was changed in the store and in a context.
public struct MergeConflict: Sendable {
    public let objectID: ManagedObjectID
    /// What both sides went out from.
    public let base: Snapshot
    /// What the store has now; nil if the row was deleted there.
    public let stored: Snapshot?
    /// What the context has; nil if the object was deleted in it.
    public let edited: Row?
}
