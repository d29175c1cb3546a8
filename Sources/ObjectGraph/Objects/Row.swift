// SPDX-License-Identifier: Apache-2.0

// What a row holds, and the committed state that contexts and the row cache share.

public import Predicates

/// The values of one object by slot: its attributes, and the objects its to-one relationships lead to.
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

    /// What is left of an object whose row is gone.
    init(nilOf entity: EntityDescription) {
        attributes = Array(repeating: .null, count: entity.attributes.count)
        toOnes = Array(repeating: nil, count: entity.toOnes.count)
    }

    /// What a new object begins with.
    init(of entity: EntityDescription) {
        attributes = entity.attributes.map(\.initialValue)
        toOnes = Array(repeating: nil, count: entity.toOnes.count)
    }
}

/// What a store says of an object at one moment. It never changes; what changes gets a new one.
///
/// To-many relationships are not part of it, as they are not part of conflicts.
public final class Snapshot: Sendable {
    public let objectID: ManagedObjectID
    /// Counts the saves that changed the row; conflicts are found by it.
    public let version: Int64
    public let row: Row
    /// The slots of the derived attributes that a save has made others in a row that it didn't write otherwise, if the store says so.
    public let recomputedSlots: [Int]?
    /// How many bytes of the values are in files that are mapped into memory, which are in it only as far as they are looked at.
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

    /// The same state with other values of such attributes as no file has.
    func replacing(_ row: Row) -> Snapshot {
        Snapshot(objectID: objectID, version: version, row: row, mappedBytes: mappedBytes)
    }

    /// The same row, told as one in which nothing but derived values are others than in an earlier one.
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
