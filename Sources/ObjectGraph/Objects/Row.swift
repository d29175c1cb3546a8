// SPDX-License-Identifier: Apache-2.0

// Rows, and the immutable snapshots that contexts and the row cache share.

public import Predicates

/// The values of one object by slot: its attributes, and the destinations of its to-one relationships.
public struct Row: Hashable, Sendable {
    public var attributes: [Value]
    public var toOnes: [ManagedObjectID?]

    public init(attributes: [Value], toOnes: [ManagedObjectID?]) {
        self.attributes = attributes
        self.toOnes = toOnes
    }

    /// The value of an attribute.
    ///
    ///     if let views = conflict.objectID.entity.attribute(named: "views") { row[views] = 0 }
    public subscript(attribute: AttributeDescription) -> Value {
        get {
            precondition(attributes.indices.contains(attribute.slot), Self.foreign(attribute))
            return attributes[attribute.slot]
        }
        set {
            precondition(attributes.indices.contains(attribute.slot), Self.foreign(attribute))
            attributes[attribute.slot] = newValue
        }
    }

    private static func foreign(_ attribute: AttributeDescription) -> String {
        "The row has no “\(attribute.name)”. Take the attribute from the entity of the row's object."
    }

    /// The values of an object whose row is gone.
    init(nilOf entity: EntityDescription) {
        attributes = Array(repeating: .null, count: entity.attributes.count)
        toOnes = Array(repeating: nil, count: entity.toOnes.count)
    }

    /// The initial values of a new object.
    package init(of entity: EntityDescription) {
        attributes = entity.attributes.map(\.initialValue)
        toOnes = Array(repeating: nil, count: entity.toOnes.count)
    }
}

/// A row as a store had it at one time; immutable.
///
/// To-many relationships aren't part of it, nor of conflicts.
public final class Snapshot: Sendable {
    public let objectID: ManagedObjectID
    /// The number of saves that changed the row; used to detect conflicts.
    public let version: Int64
    public let row: Row
    /// The slots of the derived attributes that were recomputed in an otherwise unchanged row, if the store reports
    /// them.
    public let recomputedSlots: [Int]?
    /// The number of bytes of values in memory-mapped files, which occupy memory only when read.
    public let mappedBytes: Int

    public init(
        objectID: ManagedObjectID,
        version: Int64,
        row: Row,
        recomputedSlots: [Int]? = nil,
        mappedBytes: Int = 0
    ) {
        self.objectID = objectID
        self.version = version
        self.row = row
        self.recomputedSlots = recomputedSlots
        self.mappedBytes = mappedBytes
    }

    /// The same snapshot with other values of attributes that aren't mapped.
    func replacing(_ row: Row) -> Snapshot {
        Snapshot(objectID: objectID, version: version, row: row, mappedBytes: mappedBytes)
    }

    /// The same row, marked as having only recomputed derived values since an earlier one.
    public func recomputed(since former: Snapshot) -> Snapshot {
        let slots = row.attributes.indices.filter { row.attributes[$0] != former.row.attributes[$0] }
        return Snapshot(
            objectID: objectID,
            version: version,
            row: row,
            recomputedSlots: slots,
            mappedBytes: mappedBytes
        )
    }
}
