// SPDX-License-Identifier: Apache-2.0

// Many new objects, straight into a store.

public import FoundationEssentials
public import Predicates

/// New rows of an entity, inserted without objects being made of them. No hooks run; what the model demands holds.
///
///     let request = BatchInsertRequest("Tag", rows: [["name": "swift"], ["name": "server", "posts": [post.value]]])
///     try coordinator.execute(request)
///
/// What isn't given has its default. A to-one relationship takes a reference, one that is to many on both sides a list of
/// them. Under another merge policy than `error` a row that has the unique values of a stored one doesn't fail:
/// `mergeByPropertyObjectTrump` writes what the row gives into the stored one, `overwrite` all of its attributes,
/// `mergeByPropertyStoreTrump` and `rollback` leave the stored one as it is. So it is between rows of the same batch.
public struct BatchInsertRequest {
    public var entityName: String
    /// A row: its values by the names of their properties.
    public struct Row {
        public var values: [String: Value]
        /// The reference that its object had elsewhere, and keeps where it can.
        public var kept: KeptIdentity?

        public init(_ values: [String: Value], keeping kept: KeptIdentity? = nil) {
            (self.values, self.kept) = (values, kept)
        }
    }

    /// Gives row after row, and nil when there are no more.
    public var nextRow: () throws -> Row?
    /// Whether rows may keep references. They are taken in blocks of `StoreBatchInsertion.blockSize` then: a row gets no number that a later
    /// one of its block is to keep.
    public var keepsReferences: Bool
    /// How many rows are written at once, each such chunk by a transaction of its own. With nil all or none are inserted;
    /// then a store that can't take rows one by one has all of them in memory.
    public var chunkSize: Int?
    public var resultType = BatchResultType.status
    /// The batch is refused if there are more rows than that.
    public var maximum: Int?
    /// Whether it is only found out what the batch would come to: it is done as a whole, and taken back. No context is told.
    public var isRehearsal = false
    /// By their identifiers: the first that keeps the entity and can be written is inserted into; nil for all stores.
    public var affectedStores: Set<UUID>?

    /// Rows that come one after the other.
    public init(_ entityName: String, nextRow: @escaping () throws -> [String: Value]?) {
        self.init(rowsOf: entityName) { try nextRow().map { Row($0) } }
        keepsReferences = false
    }

    /// Rows that come one after the other, some of objects that are to keep the references that they had elsewhere.
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
