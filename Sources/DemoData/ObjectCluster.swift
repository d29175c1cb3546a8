// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates

/// A small graph of objects that refer only to each other, as values.
struct ObjectCluster: Sendable {
    struct Object: Sendable {
        let entity: EntityDescription
        var values: [(attribute: AttributeDescription, value: Value)]
    }

    /// A link from one object to another, by their indexes.
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
            let from = inserted[link.from]
            let to = inserted[link.to]
            if link.relationship.isToMany {
                try from.add(to, to: link.relationship)
            } else {
                try from.setObject(to, of: link.relationship)
            }
        }
    }
}
