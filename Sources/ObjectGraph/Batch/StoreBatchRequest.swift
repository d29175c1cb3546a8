// SPDX-License-Identifier: Apache-2.0

// A batch as passed to one store, and its result.

public import Predicates

/// A resolved batch: names are looked up, values have their properties' types.
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
    /// The largest number of objects of an update or deletion; the store refuses a larger batch.
    public let maximum: Int?
    public let returnsObjectIDs: Bool
    /// Whether the store rolls the batch back after evaluating it.
    public var isRehearsal = false

    public init(model: ManagedObjectModel, operation: Operation, maximum: Int? = nil, returnsObjectIDs: Bool = true) {
        self.model = model
        self.operation = operation
        self.maximum = maximum
        self.returnsObjectIDs = returnsObjectIDs
    }
}

extension StoreBatchRequest {
    /// The origin of the changes, for contexts.
    var source: SavedChanges.Source {
        switch operation {
        case .insert: .batchInsert
        case .update: .batchUpdate
        case .delete, .deleteObjects: .batchDelete
        }
    }

    /// The names of the properties that it sets in existing rows.
    var setProperties: [String] {
        if case .update(let update) = operation { update.assignments.map(\.property.name) } else { [] }
    }
}

/// Rows to insert.
public struct StoreBatchInsertion {
    public let entity: EntityDescription
    /// Resolves violations of uniqueness.
    public let policy: MergePolicy.Kind
    /// Whether rows may keep references.
    public let keepsReferences: Bool
    /// The next row, or nil at the end.
    public let next: () throws -> Row?

    /// The size in bytes at which a chunk of rows ends, however few they are.
    package static let chunkBytes = 8 << 20
    /// The number of rows whose kept references are resolved together, to limit memory.
    public static let blockSize = 500

    /// The given values of one row.
    public struct Row: Sendable {
        /// Its number among the rows of the batch, from one.
        public let number: Int
        /// All values, with defaults for missing ones.
        public var row: ObjectGraph.Row
        /// The slots of given values.
        public var attributes: [Int] = []
        public var toOnes: [Int] = []
        /// The members of many-to-many relationships.
        public var members: [RelationshipDescription: [ManagedObjectID]] = [:]
        /// The reference that its object had elsewhere, kept if possible.
        public var kept: RetainedReference?
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

/// New values for the rows that match a predicate.
public struct StoreBatchUpdate: Sendable {
    /// A property and the expression for its new value.
    public struct Assignment: Hashable, Sendable {
        /// An attribute or a to-one relationship.
        public let property: PropertyDescription
        public let value: ObjectExpression
    }

    /// The rows to update; kind, order and window are ignored.
    public let rows: StoreFetchRequest
    public let assignments: [Assignment]
}

/// The result of a batch in one store.
public struct StoreBatchResult: Sendable {
    public let count: Int
    public let objectIDs: [ManagedObjectID]
    /// All changed rows, for contexts.
    public let changes: SavedChanges

    public init(count: Int, objectIDs: [ManagedObjectID], changes: SavedChanges) {
        self.count = count
        self.objectIDs = objectIDs
        self.changes = changes
    }
}
