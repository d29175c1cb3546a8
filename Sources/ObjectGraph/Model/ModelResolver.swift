// SPDX-License-Identifier: Apache-2.0

// Resolves a checked model: orders entities by hierarchy, assigns slots, finds inverses.

import ObjectModel
import Predicates

struct ModelResolver {
    private let model: Model
    private let transformers: [String: any AttributeTransformer]
    /// The entities by hierarchy, each directly followed by its subentities.
    private var order: [Entity] = []
    private var kinds: [Range<Int>] = []
    private var parents: [Int?] = []
    private var index: [String: Int] = [:]

    init(_ model: Model, transformers: [String: any AttributeTransformer]) {
        self.model = model
        self.transformers = transformers
        let children = Dictionary(grouping: model.entities) { $0.parentName }
        // Iterative, since a hierarchy may have any depth.
        var pending: [Entity] = (children[nil] ?? []).reversed()
        var depths: [Int] = []
        while let entity = pending.popLast() {
            let parent = entity.parentName.flatMap { index[$0] }
            index[entity.name] = order.count
            depths.append(parent.map { depths[$0] + 1 } ?? 0)
            order.append(entity)
            parents.append(parent)
            pending += (children[entity.name] ?? []).reversed()
        }
        kinds = Self.kinds(depths: depths)
    }

    /// The range of each entity and its subentities.
    private static func kinds(depths: [Int]) -> [Range<Int>] {
        var ends = Array(repeating: depths.count, count: depths.count)
        var open: [Int] = []
        for (place, depth) in depths.enumerated() {
            while let last = open.last, depths[last] >= depth {
                ends[last] = place
                open.removeLast()
            }
            open.append(place)
        }
        return ends.enumerated().map { $0..<$1 }
    }

    func entities() -> [EntityDescription] {
        let counts = order.indices.reduce(into: [Count]()) { $0.append(count(ofEntityAt: $1, after: $0)) }
        let slots = slots(after: counts)
        let own = order.indices.map { properties(ofEntityAt: $0, after: counts, slots) }
        var names = PropertyNames<PropertyDescription>()
        for (place, properties) in own.enumerated() {
            for property in properties.all { names.add(property, named: property.name, in: kinds[place]) }
        }
        let oneWay = Set(
            order.flatMap(\.relationships).filter { !$0.isTransient && model.inverse(of: $0) == nil }.map(
                \.destinationName
            )
        )
        var described: [EntityDescription] = []
        for (place, entity) in order.enumerated() {
            described.append(
                EntityDescription(
                    entity,
                    below: parents[place].map { described[$0] },
                    index: place,
                    kinds: kinds[place],
                    own: own[place],
                    names: names,
                    mayHaveUnknownReferrers: oneWay.contains(entity.name)
                )
            )
        }
        return described
    }

    // MARK: Slots

    /// The number of an entity's properties by kind, including inherited ones.
    private struct Count {
        var attributes = 0
        var toOnes = 0
        var toManys = 0
    }

    private func count(ofEntityAt place: Int, after counts: [Count]) -> Count {
        var count = inherited(byEntityAt: place, counts)
        count.attributes += order[place].attributes.count
        let toManys = order[place].relationships.count { $0.isToMany }
        count.toManys += toManys
        count.toOnes += order[place].relationships.count - toManys
        return count
    }

    private func inherited(byEntityAt place: Int, _ counts: [Count]) -> Count {
        parents[place].map { counts[$0] } ?? Count()
    }

    /// The slots of all relationships, counting to-one and to-many ones separately.
    private func slots(after counts: [Count]) -> PropertyNames<Int> {
        var slots = PropertyNames<Int>()
        for (place, entity) in order.enumerated() {
            var count = inherited(byEntityAt: place, counts)
            for relationship in entity.relationships {
                let slot = relationship.isToMany ? count.toManys : count.toOnes
                slots.add(slot, named: relationship.name, in: kinds[place])
                if relationship.isToMany { count.toManys += 1 } else { count.toOnes += 1 }
            }
        }
        return slots
    }

    // MARK: Properties

    /// The properties that an entity doesn't inherit.
    private func properties(
        ofEntityAt place: Int,
        after counts: [Count],
        _ slots: PropertyNames<Int>
    ) -> OwnProperties {
        let entity = order[place]
        let inherited = inherited(byEntityAt: place, counts).attributes
        return OwnProperties(
            attributes: entity.attributes.enumerated().map { describe($1, slot: inherited + $0) },
            relationships: entity.relationships.map { describe($0, ofEntityAt: place, slots) },
            fetchedProperties: entity.fetchedProperties.map(FetchedPropertyDescription.init)
        )
    }

    private func describe(_ attribute: Attribute, slot: Int) -> AttributeDescription {
        let composite = attribute.type.compositeName.flatMap(model.composite(named:))
        // The model's check has ensured that composites aren't recursive and derivations parse.
        return AttributeDescription(
            attribute,
            slot: slot,
            elements: (composite?.attributes ?? []).enumerated().map { describe($1, slot: $0) },
            derivation: attribute.derivation.flatMap { try? ObjectExpression(template: $0) },
            transformer: attribute.type.transformerName.flatMap { transformers[$0] }
        )
    }

    private func describe(
        _ relationship: Relationship,
        ofEntityAt place: Int,
        _ slots: PropertyNames<Int>
    ) -> RelationshipDescription {
        let destination = index[relationship.destinationName] ?? 0
        return RelationshipDescription(
            relationship,
            slot: slots[relationship.name, ofEntityAt: place] ?? 0,
            inverse: model.inverse(of: relationship).map { inverse in
                RelationshipDescription.Inverse(
                    name: inverse.name,
                    slot: slots[inverse.name, ofEntityAt: destination] ?? 0,
                    isToMany: inverse.isToMany,
                    isOrdered: inverse.isOrdered
                )
            },
            destinationIndex: destination
        )
    }
}

/// The properties that an entity doesn't inherit, in the order of the model.
struct OwnProperties {
    let attributes: [AttributeDescription]
    let relationships: [RelationshipDescription]
    let fetchedProperties: [FetchedPropertyDescription]

    var all: [PropertyDescription] {
        attributes.map(PropertyDescription.attribute) + relationships.map(PropertyDescription.relationship)
            + fetchedProperties.map(PropertyDescription.fetched)
    }
}
