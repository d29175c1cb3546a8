// SPDX-License-Identifier: Apache-2.0

// Rows that are only shown, without an object, an ID or an array for each.

public import FoundationEssentials
public import Predicates

/// Rows that were read together, in a few buffers. They are neither cached nor shared with contexts.
///
/// 1. It never changes, so that any thread may use it.
/// 2. Each row has a field for each attribute of its entity, by slot, and then one for each to-one relationship.
/// 3. Its text is valid UTF-8, and so is the text of each field.
public final class RowPage: Sendable {
    /// A value, small enough to be copied without counting references.
    public enum Field: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case double(Double)
        case date(Date)
        case uuid(UUID)
        /// A range of `text`.
        case text(start: Int, count: Int)
        /// The destination of a to-one relationship: its key and the index of its entity.
        case object(key: Int64, entity: Int)
        /// The index of any other value in `values`.
        case value(Int)
    }

    struct Head: Sendable {
        let key: Int64
        let version: Int64
        /// The index of the entity.
        let entity: Int
        let firstField: Int
        let firstToOne: Int
    }

    let model: ManagedObjectModel
    let store: UUID
    let heads: [Head]
    let fields: [Field]
    /// The texts of all fields.
    public let text: [UInt8]
    let values: [Value]

    init(
        model: ManagedObjectModel,
        store: UUID,
        heads: [Head],
        fields: [Field],
        text: [UInt8],
        values: [Value]
    ) {
        self.model = model
        self.store = store
        self.heads = heads
        self.fields = fields
        self.text = text
        self.values = values
    }
}

extension RowPage {
    /// The rows of two pages of the same store.
    package func followed(by other: RowPage) -> RowPage {
        var rows = RowPageBuilder(model: model, store: store)
        rows.append(self)
        rows.append(other)
        return rows.page
    }
}

extension RowPage: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { heads.count }
    public subscript(place: Int) -> PageRow { PageRow(page: self, head: heads[place]) }

    /// The entities of some rows, each once.
    public func entities(of rows: Range<Int>) -> [EntityDescription] {
        var found: [Int] = []
        for head in heads[rows] where !found.contains(head.entity) { found.append(head.entity) }
        return found.map { model.entities[$0] }
    }
}

/// A row of a page.
public struct PageRow: Sendable {
    public let page: RowPage
    let head: RowPage.Head

    public var entity: EntityDescription { page.model.entities[head.entity] }
    public var version: Int64 { head.version }
    /// The number of the row in its store.
    public var key: Int64 { head.key }
    public var objectID: ManagedObjectID { page.objectID(key: head.key, of: entity) }

    /// The field of an attribute, by slot.
    public func field(_ slot: Int) -> RowPage.Field { page.fields[head.firstField + slot] }

    /// The value of an attribute, by slot.
    public func value(_ slot: Int) -> Value { page.value(field(slot)) }

    /// The key of the object that a to-one relationship refers to, and the index of its entity.
    public func destination(slot: Int) -> (key: Int64, entity: Int)? {
        guard case .object(let key, let entity) = page.fields[head.firstToOne + slot] else { return nil }
        return (key, entity)
    }

    /// The same row as an object of its own.
    public var snapshot: Snapshot {
        let entity = entity
        let toOnes = entity.toOnes.map { relationship in
            destination(slot: relationship.slot).map { page.objectID(key: $0.key, of: page.model.entities[$0.entity]) }
        }
        let row = Row(attributes: entity.attributes.map { value($0.slot) }, toOnes: toOnes)
        return Snapshot(objectID: objectID, version: version, row: row)
    }
}

extension RowPage {
    fileprivate func objectID(key: Int64, of entity: EntityDescription) -> ManagedObjectID {
        ManagedObjectID(entity: entity, store: store, reference: .integer(key))
    }

    fileprivate func value(_ field: Field) -> Value {
        switch field {
        case .null, .object: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .date(let date): .date(date)
        case .uuid(let uuid): .uuid(uuid)
        case .text(let start, let count): .string(String(decoding: text[start..<start + count], as: UTF8.self))
        case .value(let place): values[place]
        }
    }
}
