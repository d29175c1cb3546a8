// SPDX-License-Identifier: Apache-2.0

// A save as passed to one store, and its result.

/// The row operations of a save.
///
/// A save is written completely or not at all. Unique values are compared as they are after the save. Rows are deleted,
/// inserted and updated, in this order, and members are changed last.
public struct StoreSaveRequest: Hashable, Sendable {
    /// A row to insert. The store computes its derived values.
    public struct Insertion: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// The initial version: 1, unless a row existed before that others have deleted, or the object comes from
        /// another store.
        public let version: Int64
        public var row: Row
        /// Whether the object keeps a reference, which no other insertion may have used.
        public let keepsReference: Bool

        public init(objectID: ManagedObjectID, version: Int64 = 1, row: Row, keepsReference: Bool = false) {
            self.objectID = objectID
            self.version = version
            self.row = row
            self.keepsReference = keepsReference
        }
    }

    /// A row to update. Its new version is the base version plus one.
    public struct Update: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// The version that the change is based on.
        public let version: Int64
        /// The whole row after the update.
        public var row: Row
        /// The slots that differ.
        public let attributes: [Int]
        public let toOnes: [Int]

        public init(objectID: ManagedObjectID, version: Int64, row: Row, attributes: [Int], toOnes: [Int]) {
            self.objectID = objectID
            self.version = version
            self.row = row
            self.attributes = attributes
            self.toOnes = toOnes
        }
    }

    /// A row to delete. The store removes the object from all to-many relationships; the engine changes other rows that
    /// refer to it.
    public struct Deletion: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let version: Int64

        public init(objectID: ManagedObjectID, version: Int64) {
            self.objectID = objectID
            self.version = version
        }
    }

    /// A row that the save doesn't change, but whose version must still be the given one.
    public typealias Lock = Deletion

    /// Members of a to-many relationship that aren't stored in rows: many-to-many members, or the order.
    ///
    /// Of two inverse to-many relationships one is named, and the store changes the other as well. The store derives
    /// members from rows by itself, and appends them at the end. An owner or a member whose row others have deleted is
    /// skipped; it is no conflict, since no version covers it.
    public struct MembersChange: Hashable, Sendable {
        public let owner: ManagedObjectID
        public let relationship: RelationshipDescription
        /// In order, to be appended to ordered relationships. Some may be members already; these stay in their places.
        public let added: [ManagedObjectID]
        public let removed: [ManagedObjectID]
        /// All members in order, unless the removals and one appended member determine it. Members that others have
        /// added and that aren't in it follow.
        public let order: [ManagedObjectID]?

        public init(
            owner: ManagedObjectID,
            relationship: RelationshipDescription,
            added: [ManagedObjectID] = [],
            removed: [ManagedObjectID] = [],
            order: [ManagedObjectID]? = nil
        ) {
            self.owner = owner
            self.relationship = relationship
            self.added = added
            self.removed = removed
            self.order = order
        }

        /// The owner, and the added and removed members.
        package var objects: [ManagedObjectID] { [owner] + added + removed }
    }

    /// The members at the time when their number was validated against the model's limits. If others have changed them,
    /// it must be validated again. No version covers this.
    public struct KnownMembers: Hashable, Sendable {
        public let owner: ManagedObjectID
        public let relationship: RelationshipDescription
        public let members: [ManagedObjectID]

        public init(owner: ManagedObjectID, relationship: RelationshipDescription, members: [ManagedObjectID]) {
            self.owner = owner
            self.relationship = relationship
            self.members = members
        }

        /// Whether these are still the members, in any order.
        public func stillMatch(_ members: [ManagedObjectID]) -> Bool { Set(members) == Set(self.members) }
    }

    /// A reference of a written row to another row, which must exist.
    public struct Reference: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let relationship: RelationshipDescription
        public let destination: ManagedObjectID
    }

    public var insertions: [Insertion] = []
    public var updates: [Update] = []
    public var deletions: [Deletion] = []
    public var locks: [Lock] = []
    public var members: [MembersChange] = []
    public var known: [KnownMembers] = []

    public init() {}

    public var isEmpty: Bool { writesNothing && locks.isEmpty }

    /// Whether it has at most locks.
    var writesNothing: Bool { insertions.isEmpty && updates.isEmpty && deletions.isEmpty && members.isEmpty }
}

/// The result of a save.
public enum StoreSaveResult: Sendable {
    /// The save was written. Contains all changed rows with derived values, including rows with only recomputed values,
    /// whose versions are unchanged.
    case saved([Snapshot])
    /// Nothing was written.
    case conflicts(StoreConflicts)
}

/// The reasons why a store rejected a save.
public struct StoreConflicts: Sendable {
    /// The rows that have changed since the versions in the request; nil for a deleted row.
    public var rows: [ManagedObjectID: Snapshot?] = [:]
    /// Rows that violate uniqueness.
    public var constraints: [ConstraintViolation] = []
    /// References of the save to rows that don't exist any more.
    public var dangling: [StoreSaveRequest.Reference] = []
    /// Rows of others that refer to rows which the save deletes.
    public var newReferrers: [Snapshot] = []
    /// The present members of relationships that changed since their number was validated.
    public var members: [StoreSaveRequest.KnownMembers] = []

    public init() {}

    public var isEmpty: Bool {
        rows.isEmpty && constraints.isEmpty && dangling.isEmpty && newReferrers.isEmpty && members.isEmpty
    }
}

extension StoreConflicts {
    /// The objects whose rows the save knew only in an outdated version.
    var overtaken: [ManagedObjectID] {
        Array(rows.keys) + dangling.map(\.destination) + newReferrers.map(\.objectID)
    }

    /// The same conflicts with the IDs that objects have in their context.
    func renaming(_ names: [ManagedObjectID: ManagedObjectID]) -> StoreConflicts {
        var renamed = self
        renamed.dangling = dangling.map { reference in
            StoreSaveRequest.Reference(
                objectID: names[reference.objectID] ?? reference.objectID,
                relationship: reference.relationship,
                destination: reference.destination
            )
        }
        renamed.constraints = constraints.map { violation in
            ConstraintViolation(
                constraint: violation.constraint,
                objects: violation.objects.map { names[$0] ?? $0 },
                stored: violation.stored
            )
        }
        return renamed
    }
}

/// Objects with the same values of properties that must be unique.
public struct ConstraintViolation: Sendable {
    public let constraint: [PropertyDescription]
    /// The conflicting objects of the save.
    public let objects: [ManagedObjectID]
    /// The stored object with these values, if it isn't part of the save.
    public let stored: Snapshot?

    public init(constraint: [PropertyDescription], objects: [ManagedObjectID], stored: Snapshot?) {
        self.constraint = constraint
        self.objects = objects
        self.stored = stored
    }
}
