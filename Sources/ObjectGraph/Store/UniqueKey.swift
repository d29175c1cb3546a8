// SPDX-License-Identifier: Apache-2.0

// Values of uniqueness constraints.

package import Predicates

/// A row's values for a uniqueness constraint: a store has no two rows with equal keys. Subentities inherit constraints
/// and share their keys.
public struct UniqueKey: Hashable, Sendable {
    public let constraint: [PropertyDescription]
    private let parts: [Part]

    /// The value of a property.
    package enum Part: Hashable, Sendable {
        case value(Value)
        case destination(ManagedObjectID)
    }

    /// Nil if one of the values is: nil never conflicts.
    public init?(_ constraint: [PropertyDescription], of row: Row) {
        self.init(constraint) { property in
            switch property {
            case .attribute(let attribute): .value(row.attributes[attribute.slot])
            case .relationship(let relationship) where !relationship.isToMany:
                row.toOnes[relationship.slot].map { .destination($0) }
            case .relationship, .fetched: nil
            }
        }
    }

    /// Nil if one of the values is.
    package init?(_ constraint: [PropertyDescription], part: (PropertyDescription) -> Part?) {
        var parts: [Part] = []
        for property in constraint {
            guard let part = part(property), part != .value(.null) else { return nil }
            parts.append(part)
        }
        self.constraint = constraint
        self.parts = parts
    }
}

extension UniqueKey {
    /// A condition for all objects that have some keys of one constraint. If it has several properties, other objects
    /// may meet it as well.
    static func predicate(of keys: some Collection<UniqueKey>, _ constraint: [PropertyDescription]) -> ObjectPredicate {
        .all(
            of: constraint.enumerated().map { place, property in
                let values = OrderedMembers(keys.map { $0.parts[place] }).members.map(\.value)
                return .comparing(.keyPath(property.name), .in, .constant(.array(values)))
            }
        )
    }
}

extension ManagedObjectModel {
    /// The entity that declares a uniqueness constraint: superentities precede their subentities.
    func entity(of constraint: [PropertyDescription]) -> EntityDescription? {
        entities.first { $0.uniquenessConstraints.contains(constraint) }
    }
}

extension UniqueKey.Part {
    fileprivate var value: Value {
        switch self {
        case .value(let value): value
        case .destination(let objectID): objectID.value
        }
    }
}
