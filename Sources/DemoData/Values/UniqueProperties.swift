// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel

/// Selects, for each uniqueness constraint of an entity, a property that gets distinct values.
struct UniqueProperties: Sendable {
    private(set) var attributes: Set<AttributeDescription> = []
    /// To-one relationships that must have distinct objects, for constraints without a suitable attribute.
    private(set) var exclusive: [RelationshipDescription] = []
    /// Whether only one object is possible, since no property of a constraint has two known values.
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

    /// How well distinct values of the type look natural; 1 for types with few values, 0 for none.
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
