// SPDX-License-Identifier: Apache-2.0

// Inheritance of all entities, computed in one walk so that look-ups don't climb long chains of parents.
//
// 1. The walk goes down from the roots and enters each entity once; the time of entry is its number. An entity's
//    descendants have the numbers from its own up to the time it is left.
// 2. Each inheritable name has a history: the nearest declaring entity at each time.
// 3. Entities that are their own ancestors are treated as roots.

struct EntityHierarchy {
    /// The entities that are their own ancestors.
    let cyclic: Set<String>
    private let model: Model
    private var spans: [String: Range<Int>] = [:]
    private var properties = History<String>()
    private var constraints = History<Set<String>>()

    init(_ model: Model) {
        self.model = model
        cyclic = Self.cyclicNames(in: model)
        walk()
    }

    /// The property that an entity declares or inherits under this name.
    func property(named name: String, of entity: Entity) -> Property? {
        entity.properties.first { $0.name == name }
            ?? declarer(of: name, above: entity)?.properties.first { $0.name == name }
    }

    /// The inverse of a relationship, and the entity that declares it.
    func inverse(of relationship: Relationship) -> (entity: Entity, relationship: Relationship)? {
        guard let name = relationship.inverseName, let destination = model.entity(named: relationship.destinationName),
            case .relationship(let inverse) = property(named: name, of: destination)
        else { return nil }
        let isOwn = destination.relationships.contains { $0.name == name }
        return (isOwn ? destination : declarer(of: name, above: destination) ?? destination, inverse)
    }

    /// The nearest ancestor that declares a property of this name.
    func declarer(of name: String, above entity: Entity) -> Entity? {
        time(above: entity).flatMap { properties.holder(of: name, at: $0) }.map { model.entities[$0] }
    }

    /// A descendant that declares a property of this name.
    func declarer(of name: String, below entity: Entity) -> Entity? {
        spans[entity.name].flatMap { properties.holder(of: name, in: $0) }.map { model.entities[$0] }
    }

    /// Whether an ancestor has a uniqueness constraint over the same properties.
    func inheritsConstraint(over names: Set<String>, _ entity: Entity) -> Bool {
        time(above: entity).flatMap { constraints.holder(of: names, at: $0) } != nil
    }

    /// Whether an entity is the other one or inherits from it.
    func isEntity(_ name: String, kindOf other: String) -> Bool {
        guard let span = spans[name], let whole = spans[other] else { return false }
        return whole.contains(span.lowerBound)
    }

    private func time(above entity: Entity) -> Int? {
        guard let parent = entity.parentName, !cyclic.contains(entity.name) else { return nil }
        return spans[parent]?.lowerBound
    }

    private mutating func walk() {
        var children: [String: [Int]] = [:]
        var roots: [Int] = []
        var seen: Set<String> = []
        for (index, entity) in model.entities.enumerated() where seen.insert(entity.name).inserted {
            if let parent = entity.parentName, model.entity(named: parent) != nil, !cyclic.contains(entity.name) {
                children[parent, default: []].append(index)
            } else {
                roots.append(index)
            }
        }
        var time = 0
        var steps = roots.reversed().map { Step(entity: $0, isEntering: true) }
        while let step = steps.popLast() {
            let entity = model.entities[step.entity]
            let names = Set(entity.properties.map(\.name))
            let groups = Set(entity.uniquenessConstraints.map(Set.init))
            if step.isEntering {
                spans[entity.name] = time..<time
                for name in names { properties.enter(step.entity, with: name, at: time) }
                for group in groups { constraints.enter(step.entity, with: group, at: time) }
                time += 1
                steps.append(Step(entity: step.entity, isEntering: false))
                for child in (children[entity.name] ?? []).reversed() {
                    steps.append(Step(entity: child, isEntering: true))
                }
            } else {
                spans[entity.name] = spans[entity.name]!.lowerBound..<time
                for name in names { properties.leave(with: name, at: time) }
                for group in groups { constraints.leave(with: group, at: time) }
            }
        }
    }

    private static func cyclicNames(in model: Model) -> Set<String> {
        var cyclic: Set<String> = []
        var known: Set<String> = []
        for entity in model.entities where !known.contains(entity.name) {
            var line: [String] = []
            var next: String? = entity.name
            while let name = next, let entity = model.entity(named: name), known.insert(name).inserted {
                line.append(name)
                next = entity.parentName
            }
            if let next, let start = line.firstIndex(of: next) { cyclic.formUnion(line[start...]) }
        }
        return cyclic
    }
}

/// A step of the walk.
private struct Step {
    let entity: Int
    let isEntering: Bool
}

/// The nearest declaring entity over time, or nil while there is none.
private struct History<Key: Hashable> {
    private var steps: [Key: [(time: Int, holder: Int?)]] = [:]
    private var holders: [Key: [Int]] = [:]

    mutating func enter(_ entity: Int, with key: Key, at time: Int) {
        holders[key, default: []].append(entity)
        steps[key, default: []].append((time, entity))
    }

    mutating func leave(with key: Key, at time: Int) {
        holders[key]?.removeLast()
        steps[key, default: []].append((time, holders[key]?.last))
    }

    func holder(of key: Key, at time: Int) -> Int? {
        guard let steps = steps[key] else { return nil }
        let end = Self.end(of: steps, through: time)
        return end > 0 ? steps[end - 1].holder : nil
    }

    /// The first entity that declares the key within a time span, after its beginning.
    func holder(of key: Key, in span: Range<Int>) -> Int? {
        guard let steps = steps[key] else { return nil }
        let next = Self.end(of: steps, through: span.lowerBound)
        return next < steps.count && steps[next].time < span.upperBound ? steps[next].holder : nil
    }

    /// The number of steps up to and including a time.
    private static func end(of steps: [(time: Int, holder: Int?)], through time: Int) -> Int {
        var range = 0..<steps.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = steps[middle].time <= time ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
