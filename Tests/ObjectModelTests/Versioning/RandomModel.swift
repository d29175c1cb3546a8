// SPDX-License-Identifier: Apache-2.0

// Random models and random edits of them, reproducible from a seed.

import ObjectModel
import Predicates
import TestSupport

/// Makes models with unique names, and changes them step by step.
struct RandomModel {
    private var random: SeededGenerator
    private(set) var model = Model()
    private var counter = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        model.composites = [Composite(name: "Pair", attributes: [Attribute(name: "first", type: .double)])]
        for _ in 0..<Int.random(in: 1...5, using: &random) { addEntity() }
        for _ in 0..<10 { addProperty() }
    }

    /// Makes one change, possibly without effect, such as setting a flag to its current value.
    mutating func edit() {
        let edits: [(inout RandomModel) -> Void] = [
            { $0.addEntity() }, { $0.addProperty() }, { $0.addProperty() }, { $0.removeProperty() },
            { $0.removeEntity() }, { $0.editEntity() }, { $0.editAttribute() }, { $0.editAttribute() },
            { $0.editRelationship() }, { $0.editModel() },
        ]
        edits.randomElement(using: &random)!(&self)
    }

    private mutating func name(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    private mutating func entityIndex() -> Int? { model.entities.indices.randomElement(using: &random) }

    private mutating func addEntity() {
        let parent = random.chance(30) ? model.entities.randomElement(using: &random)?.name : nil
        model.entities.append(Entity(name: name("Entity"), parentName: parent))
    }

    private mutating func removeEntity() {
        guard model.entities.count > 1, let index = entityIndex() else { return }
        model.entities.remove(at: index)
    }

    private mutating func type() -> AttributeType {
        [.int16, .int64, .string, .bool, .date, .composite("Pair"), .transformable(transformer: nil)]
            .randomElement(using: &random)!
    }

    private mutating func addProperty() {
        guard let index = entityIndex() else { return }
        if random.chance(70) {
            let attribute = Attribute(name: name("attribute"), type: type(), isOptional: random.chance(50))
            model.entities[index].attributes.append(attribute)
        } else {
            let destination = model.entities.randomElement(using: &random)!.name
            let relationship = Relationship(
                name: name("relationship"),
                destinationName: destination,
                isToMany: random.chance(50),
                isOptional: true
            )
            model.entities[index].relationships.append(relationship)
        }
    }

    private mutating func removeProperty() {
        guard let index = entityIndex() else { return }
        if random.chance(50), !model.entities[index].attributes.isEmpty {
            model.entities[index].attributes.removeLast()
        } else if !model.entities[index].relationships.isEmpty {
            model.entities[index].relationships.removeLast()
        }
    }

    private mutating func editEntity() {
        guard let index = entityIndex() else { return }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: model.entities[index].isAbstract.toggle()
        case 1: model.entities[index].versionHashModifier = random.chance(50) ? nil : "2"
        case 2: model.entities[index].userInfo = random.chance(50) ? [:] : ["key": "value"]
        case 3:
            let attributes = model.entities[index].attributes.map(\.name)
            model.entities[index].uniquenessConstraints = random.chance(50) ? [] : attributes.prefix(2).map { [$0] }
        case 4:
            model.entities[index].renamingIdentifier =
                model.entities[index].renamingIdentifier
                ?? model.entities[index].name
            model.entities[index].name = name("Renamed")
        case 5: model.entities[index].attributes.shuffle(using: &random)
        default: model.entities[index].className = random.chance(50) ? nil : "Class"
        }
    }

    private mutating func editAttribute() {
        guard let entity = entityIndex(),
            let index = model.entities[entity].attributes.indices.randomElement(using: &random)
        else { return }
        var attribute = model.entities[entity].attributes[index]
        switch Int.random(in: 0..<9, using: &random) {
        case 0: attribute.isOptional.toggle()
        case 1: attribute.isTransient.toggle()
        case 2: attribute.type = type()
        case 3: attribute.type = .transformable(transformer: random.chance(50) ? nil : "Colour")
        case 4: attribute.defaultValue = random.chance(50) ? nil : 1
        case 5: attribute.derivation = random.chance(50) ? nil : "now()"
        case 6: attribute.isIndexed.toggle()
        case 7:
            attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
            attribute.name = name("renamed")
        default: attribute.maximumLength = random.chance(50) ? nil : 10
        }
        model.entities[entity].attributes[index] = attribute
    }

    private mutating func editRelationship() {
        guard let entity = entityIndex(),
            let index = model.entities[entity].relationships.indices.randomElement(using: &random)
        else { return }
        var relationship = model.entities[entity].relationships[index]
        switch Int.random(in: 0..<7, using: &random) {
        case 0: relationship.isOptional.toggle()
        case 1: relationship.isToMany.toggle()
        case 2: relationship.isOrdered.toggle()
        case 3: relationship.deleteRule = DeleteRule.allCases.randomElement(using: &random)!
        case 4: relationship.destinationName = model.entities.randomElement(using: &random)!.name
        case 5: relationship.maximumCount = random.chance(50) ? nil : Int.random(in: 0...3, using: &random)
        default: relationship.minimumCount = random.chance(50) ? nil : Int.random(in: 0...3, using: &random)
        }
        model.entities[entity].relationships[index] = relationship
    }

    private mutating func editModel() {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: model.versionIdentifiers = [name("v")]
        case 1: model.entities.shuffle(using: &random)
        case 2:
            model.composites[0].attributes = [Attribute(name: "first", type: random.chance(50) ? .double : .float)]
        default: model.configurations = [Configuration(name: name("C"), entityNames: [])]
        }
    }
}
