// SPDX-License-Identifier: Apache-2.0

// Random models with data of every kind, and random changes of them that a migration can follow.

import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

/// A model and its next versions.
struct EvolvingModel {
    private var random: SeededGenerator
    private var model = Model()
    private var count = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        model.composites = [
            Composite(
                name: "Place",
                attributes: [
                    Attribute(name: "name", type: .string, isOptional: true),
                    Attribute(name: "height", type: .double, isOptional: true),
                ]
            )
        ]
        for _ in 0..<Int.random(in: 2...4, using: &random) { addEntity() }
        for _ in 0..<8 { addAttribute() }
        for _ in 0..<5 { addRelationship() }
    }

    func resolved() throws -> ManagedObjectModel { try ManagedObjectModel(model) }

    /// The next version, which a migration from a version can be inferred to.
    mutating func evolve(from version: ManagedObjectModel) throws -> ManagedObjectModel {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let before = model
            change()
            let isPossible =
                (try? resolved()) != nil && hasMatchingInverses
                && ModelDiff(from: version.model, to: model).canBeInferred
            if !isPossible { model = before }
        }
        return try resolved()
    }

    /// Whether no store may find objects of another entity than a relationship's through its inverse.
    private var hasMatchingInverses: Bool {
        !model.issues().contains {
            [.relationshipInverseDestination, .relationshipInverseMutual, .relationshipInverseUnknown].contains($0.code)
        }
    }

    private mutating func change() {
        let changes: [(inout EvolvingModel) -> Void] = [
            { $0.addEntity() }, { $0.removeEntity() }, { $0.renameEntity() }, { $0.changeParent() },
            { $0.addAttribute() }, { $0.addAttribute() }, { $0.removeAttribute() }, { $0.changeAttribute() },
            { $0.changeAttribute() }, { $0.changeAttribute() }, { $0.moveAttribute() },
            { $0.addRelationship() }, { $0.removeRelationship() }, { $0.changeRelationship() },
            { $0.changeRelationship() }, { $0.changeRelationship() }, { $0.changeEntity() },
        ]
        changes.randomElement(using: &random)!(&self)
    }

    private mutating func name(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    private mutating func entity() -> Int { model.entities.indices.randomElement(using: &random)! }
}

// MARK: Entities

extension EvolvingModel {
    private mutating func addEntity() {
        let parent = random.chance(40) ? model.entities.randomElement(using: &random)?.name : nil
        model.entities.append(Entity(name: name("Entity"), parentName: parent))
    }

    private mutating func removeEntity() {
        guard model.entities.count > 1 else { return }
        let removed = model.entities.remove(at: entity())
        for place in model.entities.indices {
            if model.entities[place].parentName == removed.name {
                model.entities[place].parentName = removed.parentName
            }
            model.entities[place].relationships.removeAll { $0.destinationName == removed.name }
        }
    }

    private mutating func renameEntity() {
        let place = entity()
        let former = model.entities[place].name
        let name = name("Renamed")
        // Another entity may get the former name.
        let successor = random.chance(30) ? model.entities[place].attributes.filter { $0.derivation == nil } : nil
        defer { if let successor { model.entities.append(Entity(name: former, attributes: successor)) } }
        model.entities[place].renamingIdentifier = model.entities[place].renamingIdentifier ?? former
        model.entities[place].name = name
        for place in model.entities.indices {
            if model.entities[place].parentName == former { model.entities[place].parentName = name }
            for index in model.entities[place].relationships.indices
            where model.entities[place].relationships[index].destinationName == former {
                model.entities[place].relationships[index].destinationName = name
            }
        }
    }

    private mutating func changeParent() {
        model.entities[entity()].parentName =
            random.chance(40) ? nil : model.entities.randomElement(using: &random)?.name
    }

    private mutating func changeEntity() {
        let place = entity()
        let names = model.entities[place].attributes.map(\.name)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: model.entities[place].isAbstract.toggle()
        case 1: model.entities.shuffle(using: &random)
        default:
            let indexed = names.randomElement(using: &random)
            model.entities[place].fetchIndexes =
                indexed.map { [FetchIndex(name: "by\($0)", elements: [.ascending($0)])] } ?? []
        }
    }
}

// MARK: Attributes

extension EvolvingModel {
    private mutating func addAttribute() {
        let type: AttributeType =
            [
                .int16, .int32, .int64, .string, .bool, .date, .double, .float, .decimal, .uuid, .uri, .binary,
                .composite("Place"), .transformable(transformer: nil),
            ].randomElement(using: &random)!
        var attribute = Attribute(name: name("value"), type: type, isOptional: true)
        if type == .int16 || type == .int32 || type == .int64, random.chance(50) {
            attribute.defaultValue = 7
            attribute.isOptional = random.chance(50)
        }
        if type == .binary { attribute.allowsExternalStorage = random.chance(50) }
        if type == .string, random.chance(20) { attribute.isSearchIndexed = true }
        if type == .int64, random.chance(40) {
            let relationships = model.entities.flatMap(\.relationships).filter(\.isToMany)
            if let counted = relationships.randomElement(using: &random),
                let place = model.entities.firstIndex(where: { $0.relationships.contains(counted) })
            {
                attribute.derivation = "\(counted.name).@count"
                attribute.isOptional = true
                attribute.defaultValue = nil
                model.entities[place].attributes.append(attribute)
                return
            }
        }
        model.entities[entity()].attributes.append(attribute)
    }

    private mutating func attribute() -> (Int, Int)? {
        let place = entity()
        return model.entities[place].attributes.indices.randomElement(using: &random).map { (place, $0) }
    }

    private mutating func removeAttribute() {
        guard let (place, index) = attribute() else { return }
        let name = model.entities[place].attributes.remove(at: index).name
        model.entities[place].fetchIndexes.removeAll { $0.name == "by\(name)" }
    }

    /// Moves an attribute to the parent, or to each child.
    private mutating func moveAttribute() {
        guard let (place, index) = attribute() else { return }
        let entity = model.entities[place]
        let above = model.entities.firstIndex { $0.name == entity.parentName }
        let below = model.entities.indices.filter { model.entities[$0].parentName == entity.name }
        guard above != nil || !below.isEmpty else { return }
        let moved = model.entities[place].attributes.remove(at: index)
        model.entities[place].fetchIndexes = []
        for target in above.map({ [$0] }) ?? below { model.entities[target].attributes.append(moved) }
    }

    private mutating func changeAttribute() {
        guard let (place, index) = attribute() else { return }
        var attribute = model.entities[place].attributes[index]
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
            attribute.name = name("renamed")
            model.entities[place].fetchIndexes = []
        case 1, 2:
            let types: [AttributeType] = [.int32, .int64, .string, .double, .decimal]
            attribute.type = types.filter(attribute.type.isConvertible).randomElement(using: &random) ?? attribute.type
            if attribute.type == .string { attribute.defaultValue = attribute.defaultValue.map { _ in "7" } }
        case 3:
            guard attribute.derivation == nil, attribute.defaultValue != nil else { return }
            attribute.isOptional.toggle()
        case 4: attribute.allowsExternalStorage = attribute.type == .binary && !attribute.allowsExternalStorage
        case 5: attribute.isSearchIndexed = attribute.type == .string && !attribute.isSearchIndexed
        default: if attribute.derivation == nil { attribute.isIndexed.toggle() }
        }
        model.entities[place].attributes[index] = attribute
    }
}

// MARK: Relationships

extension EvolvingModel {
    private mutating func addRelationship() {
        let one = entity()
        let other = entity()
        var relationship = Relationship(
            name: name("link"),
            destinationName: model.entities[other].name,
            isToMany: random.chance(60),
            isOptional: true
        )
        relationship.isOrdered = relationship.isToMany && random.chance(30)
        guard random.chance(85) else {
            model.entities[one].relationships.append(relationship)
            return
        }
        if one == other, random.chance(30) {
            relationship.inverseName = relationship.name
            model.entities[one].relationships.append(relationship)
            return
        }
        var inverse = Relationship(
            name: name("back"),
            destinationName: model.entities[one].name,
            isToMany: random.chance(60),
            isOptional: true
        )
        inverse.isOrdered = inverse.isToMany && random.chance(30)
        relationship.inverseName = inverse.name
        inverse.inverseName = relationship.name
        model.entities[one].relationships.append(relationship)
        model.entities[other].relationships.append(inverse)
    }

    private mutating func relationship() -> (Int, Int)? {
        let place = entity()
        return model.entities[place].relationships.indices.randomElement(using: &random).map { (place, $0) }
    }

    private mutating func removeRelationship() {
        guard let (place, index) = relationship() else { return }
        let removed = model.entities[place].relationships.remove(at: index)
        for other in model.entities.indices where model.entities[other].name == removed.destinationName {
            model.entities[other].relationships.removeAll { $0.name == removed.inverseName }
        }
    }

    private mutating func changeRelationship() {
        guard let (place, index) = relationship() else { return }
        var relationship = model.entities[place].relationships[index]
        switch Int.random(in: 0..<6, using: &random) {
        case 4:
            // A destination above or below. An inverse would still lead from other entities.
            guard relationship.inverseName == nil else { return }
            let parent = model.entities.first { $0.name == relationship.destinationName }?.parentName
            let child = model.entities.first { $0.parentName == relationship.destinationName }?.name
            relationship.destinationName = parent ?? child ?? relationship.destinationName
        case 5:
            // Another inverse of the same destination. Which order the members of a new pair get isn't defined.
            guard !relationship.isOrdered else { return }
            let others = model.entities.first { $0.name == relationship.destinationName }?.relationships ?? []
            let entity = model.entities[place].name
            let former = relationship.inverseName
            guard
                let other = others.filter({ $0.destinationName == entity && !$0.isOrdered }).randomElement(
                    using: &random
                )
            else {
                return
            }
            relationship.inverseName = other.name
            for target in model.entities.indices where model.entities[target].name == relationship.destinationName {
                for index in model.entities[target].relationships.indices {
                    let name = model.entities[target].relationships[index].name
                    if name == other.name {
                        model.entities[target].relationships[index].inverseName = relationship.name
                    }
                    if name == former, name != other.name {
                        model.entities[target].relationships[index].inverseName = nil
                    }
                }
            }
            for index in model.entities[place].relationships.indices
            where model.entities[place].relationships[index].inverseName == other.name
                && model.entities[place].relationships[index].name != relationship.name
            {
                model.entities[place].relationships[index].inverseName = nil
            }
        case 0:
            let former = relationship.name
            relationship.renamingIdentifier = relationship.renamingIdentifier ?? former
            relationship.name = name("renamed")
            if relationship.inverseName == former { relationship.inverseName = relationship.name }
            for other in model.entities.indices where model.entities[other].name == relationship.destinationName {
                for index in model.entities[other].relationships.indices
                where model.entities[other].relationships[index].inverseName == former {
                    model.entities[other].relationships[index].inverseName = relationship.name
                }
            }
        case 1, 2:
            relationship.isToMany.toggle()
            relationship.isOrdered = relationship.isToMany && random.chance(30)
        default: relationship.isOrdered = relationship.isToMany && !relationship.isOrdered
        }
        model.entities[place].relationships[index] = relationship
    }
}
