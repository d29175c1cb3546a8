// SPDX-License-Identifier: Apache-2.0

// Inserting many objects directly into a store.

public import FoundationEssentials
public import Predicates

/// Inserts rows of an entity without creating objects. No hooks run; the model's rules are checked.
///
///     let request = BatchInsertRequest("Tag", rows: [["name": "swift"], ["name": "server", "posts": [post.value]]])
///     try coordinator.execute(request)
///
/// Missing values have their defaults. A to-one relationship accepts a reference, a many-to-many one a list of
/// references. Under another merge policy than `error`, a row with the unique values of a stored one doesn't fail:
/// `mergeByPropertyObjectTrump` writes the given values into the stored row, `overwrite` all attributes,
/// `mergeByPropertyStoreTrump` and `rollback` leave the stored row as it is. The same applies between rows of the
/// batch.
public struct BatchInsertRequest {
    public var entityName: String
    /// A row: values by property name.
    public struct Row {
        public var values: [String: Value]
        /// The reference that its object had elsewhere, kept if possible.
        public var kept: RetainedReference?

        public init(_ values: [String: Value], keeping kept: RetainedReference? = nil) {
            self.values = values
            self.kept = kept
        }
    }

    /// Returns the next row, or nil at the end.
    public var nextRow: () throws -> Row?
    /// Whether rows may keep references. They are then read in blocks of `StoreBatchInsertion.blockSize`: no row of a
    /// block gets a number that a later row of it is to keep.
    public var keepsReferences: Bool
    /// The number of rows to write in each transaction. With nil, all rows or none are inserted; a store that doesn't
    /// stream inserts then has all of them in memory.
    public var chunkSize: Int?
    public var resultType = BatchResultType.status
    /// The largest number of rows; a larger batch is refused.
    public var maximum: Int?
    /// Whether the batch is only evaluated: it is executed as a whole and rolled back, and no context is notified.
    public var isRehearsal = false
    /// The identifiers of the stores to use; nil for all. The first writable one that keeps the entity gets the rows.
    public var affectedStores: Set<UUID>?

    /// Rows from a closure.
    public init(_ entityName: String, nextRow: @escaping () throws -> [String: Value]?) {
        self.init(rowsOf: entityName) { try nextRow().map { Row($0) } }
        keepsReferences = false
    }

    /// Rows from a closure, some of which keep references from elsewhere.
    public init(rowsOf entityName: String, nextRow: @escaping () throws -> Row?) {
        self.entityName = entityName
        self.nextRow = nextRow
        keepsReferences = true
    }

    public init(_ entityName: String, rows: [[String: Value]]) {
        var rows = rows.makeIterator()
        self.init(entityName) { rows.next() }
    }
}
