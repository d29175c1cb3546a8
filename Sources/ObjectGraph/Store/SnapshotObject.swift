// SPDX-License-Identifier: Apache-2.0

// Rows as objects for predicates and expressions, independent of their source.

public import Predicates

/// A row whose properties predicates and expressions access by name. A conforming type provides related rows.
public protocol SnapshotObject: KeyValueObject {
    var snapshot: Snapshot { get }

    /// Another row with the same source.
    func object(for snapshot: Snapshot) -> Self

    /// The row of a to-one destination, whose ID is in this row, or nil if it is missing.
    func destination(of relationship: RelationshipDescription, id objectID: ManagedObjectID) throws -> Snapshot?

    /// The rows of a to-many relationship's members, in order.
    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot]
}

extension SnapshotObject {
    public var reference: ObjectReference? { snapshot.objectID.objectReference }

    public func isUntyped(_ key: String) -> Bool { snapshot.objectID.entity.isUntyped(key) }

    public func operand(forKey key: String) throws -> Operand? {
        switch snapshot.objectID.entity.property(named: key) {
        case .attribute(let attribute): return .value(snapshot.row.attributes[attribute.slot])
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(try destinations(of: relationship).map { .object(object(for: $0)) })
        case .relationship(let relationship):
            guard let objectID = snapshot.row.toOnes[relationship.slot] else { return .null }
            // An object whose row is missing has no values, as in a context.
            let destination = try destination(of: relationship, id: objectID) ?? Snapshot.withoutValues(objectID)
            return .object(object(for: destination))
        case nil where key == "entity": return .value(.string(snapshot.objectID.entity.name))
        case nil where EntityDescription.kinds(of: key) != nil:
            let isKind = EntityDescription.kinds(of: key)?.contains(snapshot.objectID.entity.index) == true
            return isKind ? .object(self) : .null
        case .fetched, nil: return nil
        }
    }
}

extension Snapshot {
    fileprivate static func withoutValues(_ objectID: ManagedObjectID) -> Snapshot {
        let entity = objectID.entity
        let row = Row(attributes: entity.attributes.map { _ in .null }, toOnes: entity.toOnes.map { _ in nil })
        return Snapshot(objectID: objectID, version: 0, row: row)
    }
}
