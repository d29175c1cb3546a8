// SPDX-License-Identifier: Apache-2.0

// The changes that can concern a live query.

import ObjectGraph
import ObjectModel
import Predicates

struct LiveDependencies: Sendable {
    /// The changes of an entity's objects that can change a result.
    struct Interest: Sendable {
        /// The names of the properties that are read, or nil for any. Insertions and deletions always matter.
        var properties: Set<String>?
        /// Before or after the change, an object must have one of these values.
        var equality: LiveEquality?
    }

    /// By the index of the changed object's entity.
    private(set) var interests: [Int: Interest] = [:]
    /// The indices of the entities whose objects are shown. Any change of a shown object matters.
    private(set) var shown: Set<Int> = []
    /// The indices of the entities of members that are shown with their owners. Changes of objects that refer to a shown
    /// one matter.
    private(set) var members: Set<Int> = []
    /// Whether changes of any object matter.
    let isUnbounded: Bool
    /// Whether the result changes with time.
    let isVolatile: Bool
    /// Whether objects can be evaluated alone.
    let isLocal: Bool

    /// - Parameter access: The rules that restrict what is read, or nil. Results under rules are read, not evaluated.
    init(_ plan: LivePlan, in catalogue: Catalogue, for access: Access?) {
        let fetch = plan.fetch
        let entity = fetch.resource.entity
        let read = EntityDependencies(fetch, in: catalogue, for: access)
        isUnbounded = read.isUnbounded
        isVolatile = read.isVolatile
        let expressions = fetch.sortDescriptors.map(\.keyPath)
        isLocal =
            access == nil && !isUnbounded && !isVolatile && fetch.search == nil && fetch.selection.embedded.isEmpty
            && fetch.table == nil && expressions.allSatisfy { $0.isLocal(to: entity) }
            && fetch.predicate?.isLocal(to: entity) ?? true
        for (index, names) in read.properties { interests[index] = Interest(properties: names) }
        let equality = read.steps.isDisjoint(with: entity.kinds) ? LiveEquality(fetch.predicate, of: entity) : nil
        for kind in fetch.includesSubentities ? Array(entity.kinds) : [entity.index] {
            interests[kind, default: Interest(properties: [])].equality = equality
        }
        if fetch.search != nil {
            for kind in catalogue.model.entities[entity.rootIndex].kinds { interests[kind] = Interest() }
        }
        guard fetch.table == nil, fetch.result == .objects || fetch.result == .ids else { return }
        shown.formUnion(entity.kinds)
        show(fetch.selection, of: entity, in: catalogue)
    }

    private mutating func show(_ selection: Selection, of entity: EntityDescription, in catalogue: Catalogue) {
        for embedding in selection.embedded {
            for kind in catalogue.model.kinds(of: entity) {
                guard let property = catalogue[kind].property(named: embedding.property.name),
                    let relationship = property.relationship
                else { continue }
                let destination = catalogue.model.destination(of: relationship)
                shown.formUnion(destination.kinds)
                if relationship.isToMany { members.formUnion(destination.kinds) }
                if let selection = embedding.selection { show(selection, of: destination, in: catalogue) }
            }
        }
    }

    /// Whether changes of an object can matter to a result that isn't known.
    func mayShow(_ objectID: ManagedObjectID) -> Bool {
        let entity = objectID.entity.index
        return isUnbounded || shown.contains(entity) || members.contains(entity) || interests[entity] != nil
    }

    /// The indices of all entities that matter.
    var entities: Set<Int> { shown.union(members).union(interests.keys) }
}

/// A condition that a property has one of some values.
struct LiveEquality: Sendable {
    let name: String
    let values: Set<Value>

    /// The first such condition that all objects of a predicate satisfy, preferring relationships.
    init?(_ predicate: ObjectPredicate?, of entity: EntityDescription) {
        guard let predicate else { return nil }
        let conditions: [ObjectPredicate] = if case .and(let parts) = predicate { parts } else { [predicate] }
        let found = conditions.compactMap { Self($0, comparedIn: entity) }
        guard let first = found.first(where: { $0.isOfRelationship(in: entity) }) ?? found.first else { return nil }
        self = first
    }

    private init?(_ condition: ObjectPredicate, comparedIn entity: EntityDescription) {
        guard case .comparison(let comparison) = condition, comparison.modifier == .direct, comparison.options.isEmpty,
            case .keyPath(of: .evaluatedObject, let keys) = comparison.left, keys.count == 1,
            case .name(let name)? = keys.first, case .constant(let constant) = comparison.right,
            let property = entity.property(named: name)
        else { return nil }
        let values: [Value]
        switch (comparison.operator, constant) {
        case (.in, .array(let elements)): values = elements
        case (.equal, _): values = [constant]
        default: return nil
        }
        guard values.allSatisfy(property.hasOneForm) else { return nil }
        self.name = name
        self.values = Set(values)
    }

    private func isOfRelationship(in entity: EntityDescription) -> Bool {
        if case .relationship = entity.property(named: name) { true } else { false }
    }
}

extension PropertyDescription {
    /// Whether equal values of the property are identical: a number may be written in several ways.
    fileprivate func hasOneForm(_ value: Value) -> Bool {
        switch (self, value) {
        // What is derived may have been recomputed without being part of the change.
        case (.attribute(let attribute), _) where attribute.isDerived: false
        case (.attribute, .null): true
        case (.relationship(let relationship), .null), (.relationship(let relationship), .reference):
            !relationship.isToMany
        case (.attribute(let attribute), .string): attribute.type == .string
        case (.attribute(let attribute), .bool): attribute.type == .bool
        case (.attribute(let attribute), .integer): [AttributeType.int16, .int32, .int64].contains(attribute.type)
        case (.attribute(let attribute), .uuid): attribute.type == .uuid
        default: false
        }
    }
}
