// SPDX-License-Identifier: Apache-2.0

// What a save asks of one store, and what the store answers.

/// The row operations of a save.
///
/// A store checks all of them before it does any: versions, and unique values as they are when all is done. Then rows are
/// deleted first, inserted and updated next, and members are changed last.
public struct StoreSaveRequest: Hashable, Sendable {
    /// A row to be made. Derived values in it are left to the store to compute.
    public struct Insertion: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// Its version: 1, unless there was a row before that others have deleted, or the object comes from another store.
        public let version: Int64
        public var row: Row
        /// Whether the object was to keep its reference, which no other insertion of such an object may have used.
        public let keepsReference: Bool

        public init(objectID: ManagedObjectID, version: Int64 = 1, row: Row, keepsReference: Bool = false) {
            self.objectID = objectID
            self.version = version
            self.row = row
            self.keepsReference = keepsReference
        }
    }

    /// A row to be changed. Its version is one more than the one that the change goes out from.
    public struct Update: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// The version that the change goes out from.
        public let version: Int64
        /// The whole row as it is to be.
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

    /// A row to be removed. The store takes the object out of all members; other rows that lead to it are the engine's to change.
    public struct Deletion: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let version: Int64

        public init(objectID: ManagedObjectID, version: Int64) {
            self.objectID = objectID
            self.version = version
        }
    }

    /// A row that must still be of a version, although nothing is changed in it.
    public typealias Lock = Deletion

    /// Members of a to-many relationship that the rows themselves don't tell: of one to many on both sides, or the order.
    ///
    /// Of two relationships to many one speaks for both, and the store changes the other's members as well. What the rows tell,
    /// the store finds by itself: whoever comes in by its own row comes last. An owner or a member whose row others have deleted
    /// is passed over; it is no conflict, since no version tells of it.
    public struct MembersChange: Hashable, Sendable {
        public let owner: ManagedObjectID
        public let relationship: RelationshipDescription
        /// In the order in which they came, to be last where the order counts. Some may be members already.
        public let added: [ManagedObjectID]
        public let removed: [ManagedObjectID]
        /// All members in their order, where that isn't told by what was removed and one member added at the end. Members that
        /// aren't in it, since others have added them, stay behind these.
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

        /// The owner, and the members that came or went.
        var objects: [ManagedObjectID] { [owner] + added + removed }
    }

    /// Members whose number the model limits, as they were when the number that the save comes to was found to be right. Where others
    /// have changed them, that is to be found anew. No version tells of it.
    public struct KnownMembers: Hashable, Sendable {
        public let owner: ManagedObjectID
        public let relationship: RelationshipDescription
        public let members: [ManagedObjectID]

        public init(owner: ManagedObjectID, relationship: RelationshipDescription, members: [ManagedObjectID]) {
            self.owner = owner
            self.relationship = relationship
            self.members = members
        }

        /// Whether these are the members, in whatever order.
        public func areStill(_ members: [ManagedObjectID]) -> Bool { Set(members) == Set(self.members) }
    }

    /// Where a row of the save leads to: another row, which must be there.
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

    public var isEmpty: Bool {
        insertions.isEmpty && updates.isEmpty && deletions.isEmpty && locks.isEmpty && members.isEmpty
    }
}

/// What came of a save.
public enum StoreSaveResult: Sendable {
    /// It is done; all rows that changed as they stand now, derived values computed. Among them are those in which only
    /// derived values are new, with the versions that they had.
    case saved([Snapshot])
    /// Nothing was written.
    case conflicts(StoreConflicts)
}

/// Why a store could not take a save as it was.
public struct StoreConflicts: Sendable {
    /// Rows that were changed or deleted since the save's versions: what is there now, nil where nothing is.
    public var rows: [ManagedObjectID: Snapshot?] = [:]
    /// Rows whose values must be unique and aren't.
    public var constraints: [ConstraintViolation] = []
    /// What the save leads to and isn't there any more.
    public var dangling: [StoreSaveRequest.Reference] = []
    /// Rows that lead to those which the save deletes, and that it knows nothing of: others have brought them there.
    public var newcomers: [Snapshot] = []
    /// Members that aren't those any more by which their number was found to be right: the present ones.
    public var members: [StoreSaveRequest.KnownMembers] = []

    public init() {}

    public var isEmpty: Bool {
        rows.isEmpty && constraints.isEmpty && dangling.isEmpty && newcomers.isEmpty && members.isEmpty
    }
}

extension StoreConflicts {
    /// Those of whom others know more than the save did.
    var overtaken: [ManagedObjectID] {
        Array(rows.keys) + dangling.map(\.destination) + newcomers.map(\.objectID)
    }

    /// The same conflicts, objects named as they are in their context.
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

/// Objects that have the same values where they must differ.
public struct ConstraintViolation: Sendable {
    public let constraint: [PropertyDescription]
    /// Those of the save.
    public let objects: [ManagedObjectID]
    /// The one that the store has already, if that is not itself part of the save.
    public let stored: Snapshot?

    public init(constraint: [PropertyDescription], objects: [ManagedObjectID], stored: Snapshot?) {
        self.constraint = constraint
        self.objects = objects
        self.stored = stored
    }
}
