// SPDX-License-Identifier: Apache-2.0

// What makes objects differ where the model wants them to.

import ObjectGraph
import ObjectModel

/// For each constraint of an entity one property that is never the same twice.
struct UniqueCarriers: Sendable {
    private(set) var attributes: Set<AttributeDescription> = []
    /// To-one relationships of which no two objects may have the same, since the constraint has no attribute that could differ.
    private(set) var exclusive: [RelationshipDescription] = []
    /// Whether there can be one object only, since a constraint has nothing of which two values are known to differ.
    private(set) var allowOneOnly = false

    init(_ entity: EntityDescription) {
        for constraint in entity.uniquenessConstraints {
            var best: (attribute: AttributeDescription, fitness: Int)?
            var toOne: RelationshipDescription?
            for property in constraint {
                switch property {
                case .attribute(let attribute):
                    let fitness = Self.fitness(of: attribute)
                    if fitness > best?.fitness ?? 0 { best = (attribute, fitness) }
                case .relationship(let relationship) where !relationship.isToMany: toOne = toOne ?? relationship
                case .relationship, .fetched: break
                }
            }
            if let toOne, best?.fitness ?? 0 < 2 {
                exclusive.append(toOne)
            } else if let best {
                attributes.insert(best.attribute)
            } else {
                allowOneOnly = true
            }
        }
    }

    /// How well values can differ that still look natural; 1 for those that have few, 0 for none.
    private static func fitness(of attribute: AttributeDescription) -> Int {
        guard !attribute.isDerived, attribute.isPersistent else { return 0 }
        return switch attribute.type {
        case .uuid: 9
        case .date: 8
        case .string: 7
        case .uri: 6
        case .int64, .int32: 5
        case .decimal, .double: 4
        case .float: 3
        case .int16: 2
        case .bool: 1
        case .binary: 2
        case .transformable, .composite, .objectID, .undefined: 0
        }
    }
}
