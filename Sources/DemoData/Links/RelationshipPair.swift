// SPDX-License-Identifier: Apache-2.0

// A relationship with its inverse, if any.

import ObjectGraph
import ObjectModel

struct RelationshipPair: Sendable {
    /// The entities at one end, and how many objects each of their objects refers to.
    struct End: Sendable {
        /// The indexes of the entities that have objects.
        let entities: [Int]
        /// The number of objects required for saving.
        let required: Int
        /// The minimum number, unless the relationship is empty.
        let least: Int
        let most: Int
    }

    let relationship: RelationshipDescription
    let inverse: RelationshipDescription?
    let one: End
    let other: End

    /// Whether both ends are the same relationship.
    var isSymmetric: Bool { relationship == inverse }
    /// Whether objects are linked to others of the same kind.
    var isLoop: Bool { !Set(one.entities).isDisjoint(with: other.entities) }

    /// All pairs of a model.
    ///
    /// - Parameter exclusive: To-one relationships that must have distinct objects.
    static func all(of model: ManagedObjectModel, exclusive: Set<RelationshipDescription>) -> [RelationshipPair] {
        var seen: Set<RelationshipDescription> = []
        var pairs: [RelationshipPair] = []
        for entity in model.entities {
            for relationship in entity.relationships where seen.insert(relationship).inserted {
                let destination = model.destination(of: relationship)
                let inverse = relationship.inverse.flatMap { destination.relationship(named: $0.name) }
                if let inverse { seen.insert(inverse) }
                pairs.append(RelationshipPair(relationship, inverse, model, exclusive))
            }
        }
        return pairs
    }

    private init(
        _ relationship: RelationshipDescription,
        _ inverse: RelationshipDescription?,
        _ model: ManagedObjectModel,
        _ exclusive: Set<RelationshipDescription>
    ) {
        self.relationship = relationship
        self.inverse = inverse
        // With inheritance, the inverse's destination can include entities without the relationship.
        let sources = model.entities.filter { $0.relationships.contains(relationship) && !$0.isAbstract }
        let reached = model.destination(of: relationship)
        one = End(
            inverse.map { inverse in sources.filter { $0.isKind(of: model.destination(of: inverse)) } } ?? sources,
            relationship,
            mayShare: inverse.map { !exclusive.contains($0) } ?? true
        )
        other = End(
            model.kinds(of: reached).filter { entity in
                !entity.isAbstract && inverse.map { entity.relationships.contains($0) } ?? true
            },
            inverse,
            mayShare: !exclusive.contains(relationship)
        )
    }

    func link(from one: Int, to other: Int) -> ObjectCluster.Link {
        // Prefer the to-one side.
        if let inverse, relationship.isToMany, !inverse.isToMany {
            return ObjectCluster.Link(relationship: inverse, from: other, to: one)
        }
        return ObjectCluster.Link(relationship: relationship, from: one, to: other)
    }

    /// The end with fewer objects, and the factor between the two.
    var ratio: (isOneFewer: Bool, factor: Double)? {
        switch (one.most, other.most) {
        case (1, 1):
            // One partner for each object that requires one.
            one.required > 0 ? (true, 1) : other.required > 0 ? (false, 1) : nil
        case (1, let most): (false, Double(min(most, max(3, other.least))))
        case (let most, 1): (true, Double(min(most, max(3, one.least))))
        default: nil
        }
    }
}

extension RelationshipPair.End {
    fileprivate init(_ entities: [EntityDescription], _ description: RelationshipDescription?, mayShare: Bool) {
        self.entities = entities.map(\.index)
        let rules = description?.relationship
        let isRequired = rules.map { !$0.isOptional } ?? false
        let isToMany = rules?.isToMany ?? true
        least = isToMany ? max(0, rules?.minimumCount ?? 0) : 0
        required = isRequired ? max(1, least) : 0
        let bound = isToMany ? rules?.maximumCount ?? .max : 1
        // Zero means unbounded in old models.
        most = mayShare ? (bound < 1 ? .max : bound) : 1
    }
}
