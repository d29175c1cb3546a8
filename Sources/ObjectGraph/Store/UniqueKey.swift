// SPDX-License-Identifier: Apache-2.0

// Values of uniqueness constraints.

import Predicates

/// A row's values for a uniqueness constraint: a store has no two rows with equal keys. Subentities inherit constraints
/// and share their keys.
public struct UniqueKey: Hashable, Sendable {
    public let constraint: [PropertyDescription]
    private let values: [Value]
    private let toOnes: [ManagedObjectID]

    /// Nil if one of the values is: nil never conflicts.
    public init?(_ constraint: [PropertyDescription], of row: Row) {
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
        self.constraint = constraint
        self.values = values
        self.toOnes = toOnes
    }
}
