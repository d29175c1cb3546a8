// SPDX-License-Identifier: Apache-2.0

// What must not be there twice.

import Predicates

/// The values that a row has where a constraint wants them to be different from all others: a store has no two rows of
/// the same key. The constraints of an entity are those of the entities above it, too, with the same keys.
public struct UniqueKey: Hashable, Sendable {
    public let constraint: [PropertyDescription]
    private let values: [Value]
    private let toOnes: [ManagedObjectID]

    /// Nil where one of the values is: nil never conflicts.
    public init?(_ constraint: [PropertyDescription], _ row: Row) {
        var values: [Value] = []
        var toOnes: [ManagedObjectID] = []
        for property in constraint {
            switch property {
            case .attribute(let attribute): values.append(row.attributes[attribute.slot])
            case .relationship(let relationship) where !relationship.isToMany:
                guard let destination = row.toOnes[relationship.slot] else { return nil }
                toOnes.append(destination)
            case .relationship, .fetched: return nil
            }
        }
        guard !values.contains(.null) else { return nil }
        (self.constraint, self.values, self.toOnes) = (constraint, values, toOnes)
    }
}
