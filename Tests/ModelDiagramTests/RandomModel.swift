// SPDX-License-Identifier: Apache-2.0

// Meaningless models, the same for the same seed.

import ObjectModel
import TestSupport

/// Pairs, one-way relationships, loops of both kinds, parents, and boxes of many heights.
func randomModel(entities count: Int, relationships: Int, seed: UInt64) -> Model {
    var generator = SeededGenerator(seed: seed)
    var entities = (0..<count).map { index in
        Entity(
            name: "Entity\(index)",
            isAbstract: Bool.random(using: &generator),
            parentName: index > 0 && Int.random(in: 0..<6, using: &generator) == 0
                ? "Entity\(Int.random(in: 0..<index, using: &generator))" : nil,
            attributes: (0..<Int.random(in: 0..<12, using: &generator)).map {
                Attribute(name: "attribute\($0)", type: .string)
            }
        )
    }
    guard count > 0 else { return Model() }
    for number in 0..<relationships {
        let one = Int.random(in: 0..<count, using: &generator)
        let isLoop = Int.random(in: 0..<12, using: &generator) == 0
        let other = isLoop ? one : Int.random(in: 0..<count, using: &generator)
        let kind = Int.random(in: 0..<6, using: &generator)
        var forth = Relationship(name: "to\(number)", destinationName: "Entity\(other)")
        forth.isToMany = Bool.random(using: &generator)
        forth.isOptional = Bool.random(using: &generator)
        forth.deleteRule = DeleteRule.allCases.randomElement(using: &generator) ?? .nullify
        if kind == 0 {
            entities[one].relationships.append(forth)
        } else if one == other, kind == 1 {
            forth.inverseName = forth.name
            entities[one].relationships.append(forth)
        } else {
            forth.inverseName = "from\(number)"
            var back = Relationship(
                name: "from\(number)",
                destinationName: "Entity\(one)",
                inverseName: "to\(number)"
            )
            back.isToMany = Bool.random(using: &generator)
            entities[one].relationships.append(forth)
            entities[other].relationships.append(back)
        }
    }
    return Model(entities: entities)
}
