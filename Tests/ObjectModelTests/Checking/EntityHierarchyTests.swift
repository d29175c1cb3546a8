// SPDX-License-Identifier: Apache-2.0

// Inheritance computed in one pass, compared with a walk up from each entity.

import TestSupport
import Testing

@testable import ObjectModel

@Suite("Entity hierarchies")
struct EntityHierarchyTests {
    /// Entities with random parents, which share a few property names.
    private func randomModel(_ generator: inout SeededGenerator) -> Model {
        let count = Int.random(in: 1...30, using: &generator)
        let ranks = (0..<count).shuffled(using: &generator)
        let entities = (0..<count).map { index in
            var entity = Entity(name: "E\(ranks[index])")
            if ranks[index] > 0, !generator.chance(20) {
                entity.parentName = "E\(Int.random(in: 0..<ranks[index], using: &generator))"
            }
            for name in ["a", "b", "c"] where generator.chance(25) {
                entity.attributes.append(Attribute(name: name, type: .string))
                if generator.chance(50) { entity.uniquenessConstraints.append([name, "a"]) }
            }
            return entity
        }
        return Model(entities: entities)
    }

    @Test("a hierarchy gives the same answers as a walk up from each entity", arguments: SeededGenerator.seeds(50))
    func answers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let model = randomModel(&generator)
        let hierarchy = EntityHierarchy(model)
        for entity in model.entities {
            let ancestors = model.ancestors(of: entity)
            for name in ["a", "b", "c", "d"] {
                #expect(hierarchy.property(named: name, of: entity) == model.property(named: name, of: entity))
                let declarer = ancestors.first { $0.attributes.contains { $0.name == name } }
                #expect(hierarchy.declarer(of: name, above: entity) == declarer)
                let isInherited = ancestors.contains { $0.uniquenessConstraints.contains { Set($0) == [name, "a"] } }
                #expect(hierarchy.inheritsConstraint(over: [name, "a"], entity) == isInherited)
                let below = model.entities.filter { other in
                    other != entity && model.isEntity(other.name, kindOf: entity.name)
                        && other.attributes.contains { $0.name == name }
                }
                let found = hierarchy.declarer(of: name, below: entity)
                #expect(found.map(below.contains) ?? below.isEmpty)
            }
            for other in model.entities {
                let isKind = model.isEntity(entity.name, kindOf: other.name)
                #expect(hierarchy.isEntity(entity.name, kindOf: other.name) == isKind)
            }
        }
    }

    @Test("entities in a cycle are their own ancestors, and entities below the cycle are not")
    func ring() {
        let model = Model {
            Entity("A", parent: "B")
            Entity("B", parent: "C") { Attribute("x", .string) }
            Entity("C", parent: "A")
            Entity("D", parent: "B")
            Entity("E", parent: "D")
            Entity("F", parent: "F")
        }
        let hierarchy = EntityHierarchy(model)
        #expect(hierarchy.cyclic == ["A", "B", "C", "F"])
        #expect(hierarchy.isEntity("E", kindOf: "B") && !hierarchy.isEntity("B", kindOf: "E"))
        #expect(hierarchy.property(named: "x", of: model.entities[4]) != nil)
    }

    @Test("a chain of 20,000 parents is checked completely", arguments: [false, true])
    func longLine(isRing: Bool) {
        let count = 20_000
        var model = Model(
            entities: (0..<count).map { index in
                Entity(
                    name: "E\(index)",
                    parentName: index > 0 ? "E\(index - 1)" : nil,
                    attributes: [Attribute(name: "a", type: .string), Attribute(name: "a\(index)", type: .string)],
                    relationships: [
                        Relationship(
                            name: "r\(index)",
                            destinationName: "E\(count - 1)",
                            inverseName: "r0",
                            isOptional: true
                        )
                    ],
                    fetchIndexes: [
                        FetchIndex(name: "i", elements: [.init(.property("a0")), .init(.property("none"))])
                    ],
                    uniquenessConstraints: [["a0"]]
                )
            }
        )
        if isRing { model.entities[0].parentName = "E\(count - 1)" }
        let codes = Dictionary(model.issues().map { ($0.code, 1) }, uniquingKeysWith: +)
        #expect(codes[.entityCycle] == (isRing ? count : nil))
        #expect(codes[.propertyInherited] == (isRing ? nil : count - 1))
        #expect(codes[.constraintInherited] == (isRing ? nil : count - 1))
        #expect(codes[.indexUnknown] == (isRing ? 2 * count - 1 : count))
    }
}
