// SPDX-License-Identifier: Apache-2.0

// A small graph as values, and as objects of a context.

import ObjectGraph
import Predicates

/// Objects that lead to each other and to no others.
struct Island: Sendable {
    struct Object: Sendable {
        let entity: EntityDescription
        var values: [(attribute: AttributeDescription, value: Value)]
    }

    /// That one object leads to another, by their places among the objects.
    struct Link: Sendable {
        let relationship: RelationshipDescription
        let from: Int
        let to: Int
    }

    var objects: [Object] = []
    var links: [Link] = []

    func insert(into context: ManagedObjectContext) throws(GraphError) {
        var inserted: [ManagedObject] = []
        inserted.reserveCapacity(objects.count)
        for object in objects {
            let new = try context.insert(object.entity)
            for (attribute, value) in object.values { try new.setValue(value, of: attribute) }
            inserted.append(new)
        }
        for link in links {
            let (from, to) = (inserted[link.from], inserted[link.to])
            if link.relationship.isToMany {
                try from.add(to, to: link.relationship)
            } else {
                try from.setObject(to, of: link.relationship)
            }
        }
    }
}
