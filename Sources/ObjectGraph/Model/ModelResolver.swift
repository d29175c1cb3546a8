// SPDX-License-Identifier: Apache-2.0

// Turns a checked model into descriptions: puts entities after their parents, gives slots, finds inverses.

import ObjectModel
import Predicates

struct ModelResolver {
    private let model: Model
    private let transformers: [String: any AttributeTransformer]
    /// The entities in the order of their hierarchies, each directly before those below it.
    private var order: [Entity] = []
    private var kinds: [Range<Int>] = []
    private var roots: [Int] = []
    private var index: [String: Int] = [:]

    init(_ model: Model, transformers: [String: any AttributeTransformer]) {
        self.model = model
        self.transformers = transformers
        let children = Dictionary(grouping: model.entities) { $0.parentName }
        // Without recursion: a hierarchy may be as deep as a model cares to be.
        var pending: [(entity: Entity, root: Int?)] = (children[nil] ?? []).reversed().map { ($0, nil) }
        var depths: [Int] = []
        var depth: [String: Int] = [:]
        while let (entity, root) = pending.popLast() {
            let place = order.count
            index[entity.name] = place
            depth[entity.name] = entity.parentName.flatMap { depth[$0] }.map { $0 + 1 } ?? 0
            depths.append(depth[entity.name] ?? 0)
            order.append(entity)
            roots.append(root ?? place)
            pending += (children[entity.name] ?? []).reversed().map { ($0, root ?? place) }
        }
        kinds = Self.kinds(depths: depths)
    }

    /// Each entity's own place and those of the deeper ones that follow it.
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

    mutating func entities() -> [EntityDescription] {
        let slots = order.map { Slots(model.relationships(of: $0)) }
        let oneWay = Set(
            order.flatMap(\.relationships).filter { !$0.isTransient && model.inverse(of: $0) == nil }.map(
                \.destinationName
            )
        )
        var described: [EntityDescription] = []
        for (place, entity) in order.enumerated() {
            let parent = entity.parentName.flatMap { index[$0] }.map { described[$0] }
            described.append(
                EntityDescription(
                    entity,
                    index: place,
                    kinds: kinds[place],
                    rootIndex: roots[place],
                    attributes: attributes(of: entity, after: parent?.attributes ?? []),
                    relationships: relationships(of: entity, after: parent?.relationships ?? [], slots: slots),
                    fetchedProperties: (parent?.fetchedProperties ?? [])
                        + entity.fetchedProperties.map(FetchedPropertyDescription.init),
                    uniquenessConstraints: model.lineage(of: entity).flatMap(\.uniquenessConstraints),
                    isWithoutWayBack: model.lineage(of: entity).contains { oneWay.contains($0.name) }
                )
            )
        }
        return described
    }

    private func attributes(of entity: Entity, after inherited: [AttributeDescription]) -> [AttributeDescription] {
        inherited
            + entity.attributes.enumerated().map { offset, attribute in
                describe(attribute, slot: inherited.count + offset)
            }
    }

    private func describe(_ attribute: Attribute, slot: Int) -> AttributeDescription {
        let composite = attribute.type.compositeName.flatMap(model.composite(named:))
        // The check has seen to it that composites don't contain themselves and derivations parse.
        return AttributeDescription(
            attribute,
            slot: slot,
            elements: (composite?.attributes ?? []).enumerated().map { describe($1, slot: $0) },
            derivation: attribute.derivation.flatMap { try? ObjectExpression(template: $0) },
            transformer: attribute.type.transformerName.flatMap { transformers[$0] }
        )
    }

    private func relationships(
        of entity: Entity,
        after inherited: [RelationshipDescription],
        slots: [Slots]
    ) -> [RelationshipDescription] {
        let own = entity.relationships.map { relationship in
            let destination = index[relationship.destinationName] ?? 0
            let inverse = model.inverse(of: relationship).map { inverse in
                RelationshipDescription.Inverse(
                    name: inverse.name,
                    slot: slots[destination][inverse.name],
                    isToMany: inverse.isToMany,
                    isOrdered: inverse.isOrdered
                )
            }
            return RelationshipDescription(
                relationship,
                slot: slots[index[entity.name] ?? 0][relationship.name],
                inverse: inverse,
                destinationIndex: destination
            )
        }
        return inherited + own
    }

    /// Where the relationships of an entity stand, those to one and those to many counted apart.
    private struct Slots {
        private var slots: [String: Int] = [:]

        init(_ relationships: [Relationship]) {
            var (toOnes, toManys) = (0, 0)
            for relationship in relationships {
                slots[relationship.name] = relationship.isToMany ? toManys : toOnes
                if relationship.isToMany { toManys += 1 } else { toOnes += 1 }
            }
        }

        subscript(name: String) -> Int { slots[name] ?? 0 }
    }
}
