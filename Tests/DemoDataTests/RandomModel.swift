// SPDX-License-Identifier: Apache-2.0

// Models with all kinds of values and relationships, the same for the same seed.

import FoundationEssentials
import ObjectModel
import Predicates
import TestSupport

/// Entities with bounds, patterns, constraints and relationships of all kinds, some of which can't be satisfied.
func randomModel(_ random: inout SeededGenerator) -> Model {
    let count = Int.random(in: 1...6, using: &random)
    let part = Composite(
        name: "Part",
        attributes: (0..<3).map { attribute("part\($0)", mayBeComposite: false, &random) }
    )
    var entities = (0..<count).map { index in
        Entity(
            name: ["User", "Post", "Tag", "Order", "Room", "Visit"][index],
            isAbstract: random.chance(10),
            parentName: index > 0 && random.chance(20) ? ["User", "Post", "Tag", "Order", "Room"][index - 1] : nil
        )
    }
    for index in entities.indices {
        let names = ["name", "title", "email", "createdAt", "price", "code", "isOpen", "position"].shuffled(
            using: &random
        )
        let prefix = index == 0 ? "" : "x\(index)"
        entities[index].attributes = names.prefix(Int.random(in: 0...6, using: &random)).map {
            attribute(prefix + $0, mayBeComposite: true, &random)
        }
        let plain = entities[index].attributes.filter { $0.type.compositeName == nil && !$0.isTransient }.map(\.name)
        if random.chance(50), let one = plain.randomElement(using: &random) {
            entities[index].uniquenessConstraints = [random.chance(50) ? [one] : Array(Set([one, plain[0]])).sorted()]
        }
    }
    for number in 0..<Int.random(in: 0...5, using: &random) {
        let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
        var forth = relationship("to\(number)", entities[other].name, &random)
        if random.chance(15) {
            entities[one].relationships.append(forth)
        } else if one == other, random.chance(30) {
            forth.inverseName = forth.name
            entities[one].relationships.append(forth)
        } else {
            forth.inverseName = "from\(number)"
            var back = relationship("from\(number)", entities[one].name, &random)
            back.inverseName = forth.name
            entities[one].relationships.append(forth)
            entities[other].relationships.append(back)
        }
    }
    return Model(entities: entities, composites: [part])
}

private func relationship(_ name: String, _ destination: String, _ random: inout SeededGenerator) -> Relationship {
    var relationship = Relationship(name: name, destinationName: destination)
    relationship.isToMany = random.chance(50)
    relationship.isOptional = random.chance(60)
    guard relationship.isToMany else { return relationship }
    relationship.isOrdered = random.chance(40)
    if random.chance(30) { relationship.minimumCount = Int.random(in: 0...3, using: &random) }
    if random.chance(30) {
        relationship.maximumCount = (relationship.minimumCount ?? 1) + Int.random(in: 1...3, using: &random)
    }
    return relationship
}

private func attribute(_ name: String, mayBeComposite: Bool, _ random: inout SeededGenerator) -> Attribute {
    var types: [AttributeType] = [
        .int16, .int32, .int64, .decimal, .double, .float, .string, .string, .string, .bool, .date, .binary, .uuid,
        .uri,
        .transformable(transformer: nil),
    ]
    if mayBeComposite { types.append(.composite("Part")) }
    var attribute = Attribute(name: name, type: types.randomElement(using: &random) ?? .string)
    attribute.isOptional = random.chance(40)
    attribute.isTransient = mayBeComposite && random.chance(8)
    switch attribute.type {
    case .string:
        if random.chance(40) { attribute.minimumLength = Int.random(in: 0...12, using: &random) }
        if random.chance(40) {
            attribute.maximumLength = (attribute.minimumLength ?? 0) + Int.random(in: 0...12, using: &random)
        }
        let patterns = ["[a-z0-9-]+", "#[0-9a-f]{6}", "[^@ ]+@[^@ ]+", "\\d{5}", "(red|green)", "[A-Z]{2}-[0-9]{1,4}"]
        if random.chance(25) { attribute.regularExpression = patterns.randomElement(using: &random) }
    case .int16, .int32, .int64:
        if random.chance(40) { attribute.minimumValue = .integer(Int64.random(in: -100...20_000, using: &random)) }
        if random.chance(30) { attribute.maximumValue = .integer(Int64.random(in: -100...30_000, using: &random)) }
    case .double, .float:
        if random.chance(40) { attribute.minimumValue = .double(Double.random(in: -5...5, using: &random)) }
        if random.chance(30) { attribute.maximumValue = .double(Double.random(in: 0...1_000, using: &random)) }
    case .decimal:
        if random.chance(40) {
            attribute.minimumValue = .decimal(Decimal(Int.random(in: -50...50, using: &random)) / 8)
        }
        if random.chance(30) { attribute.maximumValue = .decimal(Decimal(Int.random(in: 0...900, using: &random)) / 8) }
    case .date:
        let moment = Double.random(in: 0...900_000_000, using: &random)
        if random.chance(40) { attribute.minimumValue = .date(Date(timeIntervalSinceReferenceDate: moment)) }
        if random.chance(30) {
            attribute.maximumValue = .date(Date(timeIntervalSinceReferenceDate: moment + 1_000_000))
        }
    default: break
    }
    return attribute
}
