// SPDX-License-Identifier: Apache-2.0

// Finds the live queries that a change can concern.

import ObjectGraph
import Predicates

/// The numbers of live queries by what they depend on, so that a change costs what its queries cost, not what all do.
///
/// 1. A query is found by a change of an object that it shows, or of one that refers to such an object as a member.
/// 2. It is found by a change that its conditions, order or columns read: by entity, changed property, and if they
///    compare a property with constants, by that property's values before and after.
/// 3. Whatever isn't known of a change is assumed to concern a query.
struct LiveIndex: Sendable {
    private var entities: [Int: EntityReaders] = [:]
    private var objects: [ManagedObjectID: [Int]] = [:]
    private var showing: [Int: Set<Int>] = [:]
    private var members: [Int: Set<Int>] = [:]
    private var unbounded: Set<Int> = []

    mutating func add(_ number: Int, _ dependencies: LiveDependencies) {
        for (entity, interest) in dependencies.interests {
            entities[entity, default: EntityReaders()].add(number, interest)
        }
        for entity in dependencies.shown { showing[entity, default: []].insert(number) }
        for entity in dependencies.members { members[entity, default: []].insert(number) }
        if dependencies.isUnbounded { unbounded.insert(number) }
    }

    mutating func remove(_ number: Int, _ dependencies: LiveDependencies) {
        for (entity, interest) in dependencies.interests { entities[entity]?.remove(number, interest) }
        for entity in dependencies.shown { showing[entity]?.remove(number) }
        for entity in dependencies.members { members[entity]?.remove(number) }
        unbounded.remove(number)
    }

    /// Records that a query shows an object.
    mutating func show(_ objectID: ManagedObjectID, by number: Int) { objects[objectID, default: []].append(number) }

    mutating func hide(_ objectID: ManagedObjectID, by number: Int) {
        guard let place = objects[objectID]?.firstIndex(of: number) else { return }
        objects[objectID]?.remove(at: place)
        if objects[objectID]?.isEmpty == true { objects[objectID] = nil }
    }

    /// The queries that a changed row can concern.
    func queries(for change: LiveRowChange) -> Set<Int> {
        var found = unbounded
        let entity = change.objectID.entity.index
        if let shown = objects[change.objectID] { found.formUnion(shown) }
        entities[entity]?.find(change, &found)
        if let members = members[entity], !members.isEmpty {
            guard let owners = change.owners else { return found.union(members) }
            for owner in owners { if let shown = objects[owner] { found.formUnion(shown) } }
        }
        return found
    }

    /// The queries that changes of any objects of an entity can concern.
    ///
    /// - Parameter properties: The changed properties of updated objects; nil for other changes.
    func queries(forAllOf entity: Int, changing properties: Set<String>?) -> Set<Int> {
        var found = unbounded.union(showing[entity] ?? []).union(members[entity] ?? [])
        entities[entity]?.findAll(changing: properties, &found)
        return found
    }
}

/// The queries that read objects of an entity.
private struct EntityReaders: Sendable {
    /// By number, with the properties that they read; nil for all.
    private var unconditional: [Int: Set<String>?] = [:]
    /// By property and value, for queries that compare a property with constants.
    private var conditional: [String: [Value: [Int: Set<String>?]]] = [:]

    mutating func add(_ number: Int, _ interest: LiveDependencies.Interest) {
        guard let equality = interest.equality else {
            unconditional[number] = .some(interest.properties)
            return
        }
        for value in equality.values {
            conditional[equality.name, default: [:]][value, default: [:]][number] = .some(interest.properties)
        }
    }

    mutating func remove(_ number: Int, _ interest: LiveDependencies.Interest) {
        guard let equality = interest.equality else {
            unconditional[number] = nil
            return
        }
        for value in equality.values {
            conditional[equality.name]?[value]?[number] = nil
            if conditional[equality.name]?[value]?.isEmpty == true { conditional[equality.name]?[value] = nil }
        }
        if conditional[equality.name]?.isEmpty == true { conditional[equality.name] = nil }
    }

    func find(_ change: LiveRowChange, _ found: inout Set<Int>) {
        let changed = change.kind == .updated ? change.properties : nil
        Self.find(in: unconditional, changed, &found)
        for (name, readers) in conditional {
            if let values = change.values(of: name) {
                for value in values { if let readers = readers[value] { Self.find(in: readers, changed, &found) } }
            } else {
                for readers in readers.values { Self.find(in: readers, changed, &found) }
            }
        }
    }

    func findAll(changing properties: Set<String>?, _ found: inout Set<Int>) {
        Self.find(in: unconditional, properties, &found)
        for readers in conditional.values {
            for readers in readers.values { Self.find(in: readers, properties, &found) }
        }
    }

    private static func find(in readers: [Int: Set<String>?], _ changed: Set<String>?, _ found: inout Set<Int>) {
        guard let changed else {
            found.formUnion(readers.keys)
            return
        }
        for (number, properties) in readers where properties.map({ !$0.isDisjoint(with: changed) }) ?? true {
            found.insert(number)
        }
    }
}
