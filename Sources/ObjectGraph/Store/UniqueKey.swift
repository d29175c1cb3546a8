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
    /// Conditions for the objects that have some keys of one constraint, each for a fetch. If the constraint has several
    /// properties, the values of a key are compared together: compared one by one, they would match other objects too.
    static func predicates(
        of keys: some Collection<UniqueKey>,
        _ constraint: [PropertyDescription]
    ) -> [ObjectPredicate] {
        let counts = constraint.indices.map { place in Set(keys.map { $0.parts[place] }).count }
        let places = constraint.indices.sorted { (counts[$0], $0) < (counts[$1], $1) }
        guard let last = places.last else { return [] }
        // The property with the most values is a list in each condition, so there are few conditions.
        let others = places.dropLast()
        var lists: [[Part]: [Part]] = [:]
        var order = OrderedMembers<[Part]>()
        for key in keys {
            let shared = others.map { key.parts[$0] }
            order.append(shared)
            lists[shared, default: []].append(key.parts[last])
        }
        let conditions = order.members.map { shared -> ObjectPredicate in
            let equal = zip(others, shared).map { place, part in
                ObjectPredicate.comparing(.keyPath(constraint[place].name), .equal, .constant(part.value))
            }
            let list = Value.array(lists[shared, default: []].map(\.value))
            return .all(of: equal + [.comparing(.keyPath(constraint[last].name), .in, .constant(list))])
        }
        return stride(from: 0, to: conditions.count, by: conditionLimit).map { start in
            .any(of: Array(conditions[start...].prefix(conditionLimit)))
        }
    }

    private static var conditionLimit: Int { 200 }
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
