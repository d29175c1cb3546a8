// SPDX-License-Identifier: Apache-2.0

// Pairs relationships with their inverses, so that each pair becomes one link.

import Basics
import ObjectModel

/// The links among some entities. A relationship with another destination has only a row.
struct RelationshipPairing {
    private let entities: [Entity]
    /// The first entity of each name, and in each entity the first relationship of each name.
    private let indexes: [String: Int]
    private let relationshipIndexes: [[String: Int]]

    /// Bounds the search for inherited relationships, which is repeated for each relationship.
    private static let deepestHierarchy = 100

    private struct Place: Hashable {
        var entity: Int
        var relationship: Int
    }

    init(of entities: [Entity]) {
        self.entities = entities
        indexes = Self.firstIndexes(of: entities.map(\.name))
        relationshipIndexes = entities.map { Self.firstIndexes(of: $0.relationships.map(\.name)) }
    }

    /// The lines from parents first, then relationships in the model's order.
    var links: [DiagramGraph.Link] {
        var links: [DiagramGraph.Link] = []
        for (index, entity) in entities.enumerated() {
            guard let parent = entity.parentName.flatMap({ indexes[$0] }), parent != index else { continue }
            links.append(
                DiagramGraph.Link(
                    kind: .inheritance,
                    start: .init(box: parent, row: nil, shape: .triangle),
                    end: .init(box: index, row: nil, shape: .plain)
                )
            )
        }
        var drawn: Set<Place> = []
        for (index, entity) in entities.enumerated() {
            for (row, relationship) in entity.relationships.enumerated() {
                let place = Place(entity: index, relationship: row)
                guard !drawn.contains(place), let destination = indexes[relationship.destinationName] else { continue }
                drawn.insert(place)
                if let partner = partner(of: place), self.partner(of: partner) == place {
                    drawn.insert(partner)
                    links.append(pair(place, partner))
                } else {
                    let shape: DiagramLayout.Line.Shape = relationship.isToMany ? .doubleArrow : .arrow
                    links.append(
                        DiagramGraph.Link(
                            kind: .oneWay,
                            start: .init(box: index, row: row, shape: .plain),
                            end: .init(box: destination, row: nil, shape: shape)
                        )
                    )
                }
            }
        }
        return links
    }

    private func pair(_ one: Place, _ other: Place) -> DiagramGraph.Link {
        let first = self[one]
        let second = self[other]
        let isReversed =
            first.isToMany == second.isToMany
            ? first.deleteRule != .cascade && second.deleteRule == .cascade : second.isToMany
        let (owner, owned) = isReversed ? (other, one) : (one, other)
        return DiagramGraph.Link(
            kind: .relationship,
            start: .init(box: owner.entity, row: owner.relationship, shape: self[owned].shape),
            end: .init(box: owned.entity, row: owned.relationship, shape: self[owner].shape)
        )
    }

    private subscript(_ place: Place) -> Relationship {
        entities[place.entity].relationships[place.relationship]
    }

    /// The relationship that another names as its inverse, if the destination declares or inherits it.
    private func partner(of place: Place) -> Place? {
        let relationship = self[place]
        guard let name = relationship.inverseName else { return nil }
        var seen: Set<Int> = []
        var next = indexes[relationship.destinationName]
        while let entity = next, seen.count < Self.deepestHierarchy, seen.insert(entity).inserted {
            if let row = relationshipIndexes[entity][name] { return Place(entity: entity, relationship: row) }
            next = entities[entity].parentName.flatMap { indexes[$0] }
        }
        return nil
    }

    private static func firstIndexes(of names: [String]) -> [String: Int] {
        Dictionary(keepingFirst: names.enumerated().map { ($1, $0) })
    }
}
