// SPDX-License-Identifier: Apache-2.0

// Random models with random rules between their versions, and objects with random values.

import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

/// Two versions of a model, and rules from one to the other.
struct RuledModel {
    private var random: SeededGenerator
    private(set) var old = Model()
    private(set) var new = Model()
    private(set) var rules = MappingRules()
    /// The relationships of each entity, inherited ones included.
    private var toOnes: [String: [Relationship]] = [:]
    private var toManys: [String: [Relationship]] = [:]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let hasParent = random.chance(40)
        old.entities = ["Alpha", "Beta", "Gamma"].map { name in
            let parent = name == "Beta" && hasParent ? "Alpha" : nil
            return Entity(name: name, parentName: parent, attributes: parent == nil ? Self.attributes : [])
        }
        for number in 0..<Int.random(in: 1...4, using: &random) { addRelationship(number) }
        for entity in old.entities {
            let owners = [entity] + old.entities.filter { $0.name == entity.parentName }
            toOnes[entity.name] = owners.flatMap(\.relationships).filter { !$0.isToMany }
            toManys[entity.name] = owners.flatMap(\.relationships).filter(\.isToMany)
        }
        new = old
        for place in new.entities.indices where new.entities[place].parentName == nil { addRuledProperties(place) }
        for entity in new.entities { try addRules(entity) }
    }

    private static let attributes = [
        Attribute(name: "n", type: .int32, isOptional: true), Attribute(name: "m", type: .int64, defaultValue: 0),
        Attribute(name: "t", type: .string, isOptional: true), Attribute(name: "x", type: .double, isOptional: true),
        Attribute(name: "b", type: .bool, isOptional: true),
    ]

    private mutating func addRelationship(_ number: Int) {
        let one = old.entities.indices.randomElement(using: &random)!
        let other = old.entities.indices.randomElement(using: &random)!
        var relationship = Relationship(
            name: "link\(number)",
            destinationName: old.entities[other].name,
            isToMany: random.chance(40),
            isOptional: true
        )
        var inverse = Relationship(
            name: "back\(number)",
            destinationName: old.entities[one].name,
            isToMany: true,
            isOptional: true
        )
        inverse.isOrdered = random.chance(30)
        relationship.inverseName = inverse.name
        inverse.inverseName = relationship.name
        old.entities[one].relationships.append(relationship)
        old.entities[other].relationships.append(inverse)
    }

    /// Inserts objects and relates them.
    func fill(_ coordinator: PersistentStoreCoordinator, seed: UInt64) throws {
        try coordinator.withContext { context in
            var random = SeededGenerator(seed: seed)
            var objects: [ManagedObject] = []
            for _ in 0..<25 {
                let object = try context.insert(["Alpha", "Beta", "Gamma"].randomElement(using: &random)!)
                let small = Int64.random(in: -3...5, using: &random)
                let values: [String: [Value]] = [
                    "n": [.null, .integer(small)], "m": [.integer(small * 20_000)],
                    "t": [.null, "", "a", "Ab", "ärger", "12"], "x": [.null, 0.5, -2], "b": [.null, true, false],
                ]
                for (key, values) in values.sorted(by: { $0.key < $1.key }) {
                    try object.setValue(values.randomElement(using: &random)!, forKey: key)
                }
                objects.append(object)
            }
            for object in objects {
                for relationship in object.entity.relationships where relationship.name.hasPrefix("link") {
                    let destination = context.model.destination(of: relationship)
                    let others = objects.filter { $0.entity.isKind(of: destination) }.shuffled(using: &random)
                    if relationship.isToMany {
                        try object.setObjects(
                            Array(others.prefix(.random(in: 0...3, using: &random))),
                            of: relationship
                        )
                    } else if random.chance(70) {
                        try object.setObject(others.first, of: relationship)
                    }
                }
            }
            try context.save()
        }
    }
}

// MARK: Rules

extension RuledModel {
    private static let kinds: [(name: String, type: AttributeType)] = [
        ("number", .int64), ("small", .int16), ("text", .string), ("ratio", .double), ("flag", .bool),
    ]

    private mutating func addRuledProperties(_ place: Int) {
        for (name, type) in Self.kinds {
            var attribute = Attribute(name: name, type: type, isOptional: true)
            if type == .int64, random.chance(60) {
                attribute.defaultValue = 7
                attribute.isOptional = random.chance(50)
            }
            new.entities[place].attributes.append(attribute)
        }
        let destination = new.entities.randomElement(using: &random)!.name
        var pick = Relationship(name: "pick", destinationName: destination, isToMany: false, isOptional: true)
        if random.chance(60), let target = new.entities.firstIndex(where: { $0.name == destination }) {
            let name = "picked\(place)"
            pick.inverseName = name
            var inverse = Relationship(
                name: name,
                destinationName: new.entities[place].name,
                isToMany: true,
                isOptional: true
            )
            inverse.inverseName = pick.name
            new.entities[target].relationships.append(inverse)
        }
        new.entities[place].relationships.append(pick)
    }

    private mutating func addRules(_ entity: Entity) throws {
        var own = MappingRules.EntityRules()
        if random.chance(40) { own.filter = try ObjectPredicate(condition(entity.name)) }
        for (name, _) in Self.kinds where random.chance(60) {
            let text =
                switch name {
                case "number": integer(entity.name)
                case "small": random.chance(90) ? "n" : integer(entity.name)
                case "text": text(entity.name)
                case "ratio": random.chance(50) ? "x" : "x * 2"
                default: "TERNARY(\(condition(entity.name)), YES, NO)"
                }
            own.values[name] = try ObjectExpression(text)
        }
        if random.chance(60), let text = object(entity) { own.values["pick"] = try ObjectExpression(text) }
        rules.entities[entity.name] = own
    }

    /// An expression for the destination of `pick`, or nil if no relationship leads to its entity.
    private mutating func object(_ entity: Entity) -> String? {
        let owners = [entity] + new.entities.filter { $0.name == entity.parentName }
        let destination = owners.flatMap(\.relationships).first { $0.name == "pick" }?.destinationName
        let fitting = { (relationship: Relationship) in relationship.destinationName == destination }
        let expressions =
            (toOnes[entity.name] ?? []).filter(fitting).map(\.name)
            + (toManys[entity.name] ?? []).filter(fitting).flatMap { ["FIRST(\($0.name))", "LAST(\($0.name))"] }
        return expressions.randomElement(using: &random)
    }

    private mutating func integer(_ entity: String, depth: Int = 0) -> String {
        var choices = ["n", "m", "m * 2", "m - 1", "n + m", "CAST(t, 'NSNumber')"]
        for relationship in toOnes[entity] ?? [] { choices.append("\(relationship.name).n") }
        for relationship in toManys[entity] ?? [] {
            choices += ["\(relationship.name).@count", "\(relationship.name).@sum.n", "\(relationship.name).@max.m"]
        }
        if depth < 2, random.chance(30) {
            let first = integer(entity, depth: depth + 1)
            return "TERNARY(\(condition(entity)), \(first), \(integer(entity, depth: depth + 1)))"
        }
        return choices.randomElement(using: &random)!
    }

    private mutating func text(_ entity: String) -> String {
        var choices = ["t", "t + '-' + t", "uppercase:(t)", "CAST(m, 'NSString')", "TERNARY(t == nil, 'none', t)"]
        for relationship in toOnes[entity] ?? [] { choices.append("\(relationship.name).t") }
        return choices.randomElement(using: &random)!
    }

    private mutating func condition(_ entity: String) -> String {
        var choices = [
            "n > 1", "t != nil", "t BEGINSWITH[c] 'a'", "b == YES", "m BETWEEN {0, 60000}", "x < 1 OR n == nil",
        ]
        for relationship in toOnes[entity] ?? [] {
            choices += ["\(relationship.name) == nil", "\(relationship.name).n > 0"]
        }
        for relationship in toManys[entity] ?? [] {
            choices += ["\(relationship.name).@count > 0", "ANY \(relationship.name).t == 'a'"]
        }
        return choices.randomElement(using: &random)!
    }
}
