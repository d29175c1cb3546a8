// SPDX-License-Identifier: Apache-2.0

// What a batch asks of one store, and what the store answers.

public import Predicates

/// A batch as stores see it: names resolved, values of the types that their properties have.
public struct StoreBatchRequest {
    public enum Operation {
        case insert(StoreBatchInsertion)
        case update(StoreBatchUpdate)
        /// The objects that a fetch finds.
        case delete(StoreFetchRequest)
        case deleteObjects([ManagedObjectID])
    }

    public let model: ManagedObjectModel
    public let operation: Operation
    /// The store refuses an update that finds more objects, and a deletion that takes more.
    public let maximum: Int?
    public let returnsObjectIDs: Bool
    /// Whether the store only finds out what the batch would come to, and keeps nothing of it.
    public var isRehearsal = false

    public init(model: ManagedObjectModel, operation: Operation, maximum: Int? = nil, returnsObjectIDs: Bool = true) {
        self.model = model
        self.operation = operation
        self.maximum = maximum
        self.returnsObjectIDs = returnsObjectIDs
    }
}

extension StoreBatchRequest {
    /// What contexts are told has made the changes.
    var source: SavedChanges.Source {
        switch operation {
        case .insert: .batchInsert
        case .update: .batchUpdate
        case .delete, .deleteObjects: .batchDelete
        }
    }

    /// The names of the properties that it sets in rows that are there.
    var setProperties: [String] {
        if case .update(let update) = operation { update.assignments.map(\.property.name) } else { [] }
    }
}

/// Rows to be made.
public struct StoreBatchInsertion {
    public let entity: EntityDescription
    /// What is done with a row that has the unique values of another.
    public let policy: MergePolicy.Kind
    /// Whether rows may keep references.
    public let keepsReferences: Bool
    /// The next row, or nil when there are no more.
    public let next: () throws -> Row?

    /// After rows of so many bytes a chunk of them ends, however few they are.
    package static let chunkBytes = 8 << 20
    /// How many rows are looked at together for the references that they are to keep: more might not fit into memory.
    public static let blockSize = 500

    /// What is given of one row.
    public struct Row: Sendable {
        /// Its place among the rows of the batch, counted from one.
        public let number: Int
        /// All values, defaults where nothing is given.
        public var row: ObjectGraph.Row
        /// The slots that something is given for.
        public var attributes: [Int] = []
        public var toOnes: [Int] = []
        /// The members of relationships that are to many on both sides.
        public var members: [RelationshipDescription: [ManagedObjectID]] = [:]
        /// The reference that its object had elsewhere, and keeps where it can.
        public var kept: KeptIdentity?
    }

    public init(
        entity: EntityDescription,
        policy: MergePolicy.Kind,
        keepsReferences: Bool = false,
        next: @escaping () throws -> Row?
    ) {
        self.entity = entity
        self.policy = policy
        self.keepsReferences = keepsReferences
        self.next = next
    }
}

/// New values for the rows that a predicate holds for.
public struct StoreBatchUpdate: Sendable {
    /// One property and what it is set to, which may be a constant.
    public struct Assignment: Hashable, Sendable {
        /// An attribute or a to-one relationship.
        public let property: PropertyDescription
        public let value: ObjectExpression
    }

    /// Which rows; its kind, order and window are of no account.
    public let rows: StoreFetchRequest
    public let assignments: [Assignment]
}

/// What came of a batch in one store.
public struct StoreBatchResult: Sendable {
    public let count: Int
    public let objectIDs: [ManagedObjectID]
    /// All rows that are different now, for contexts.
    public let changes: SavedChanges

    public init(count: Int, objectIDs: [ManagedObjectID], changes: SavedChanges) {
        self.count = count
        self.objectIDs = objectIDs
        self.changes = changes
    }
}
