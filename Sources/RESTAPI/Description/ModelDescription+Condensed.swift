// SPDX-License-Identifier: Apache-2.0

// A short description of models with much inheritance, where describing everything for each entity would be very long.

import JSON
import ObjectGraph
import ObjectModel

/// A condensed description is about as long as the model:
///
/// 1. An inherited property is described with the entity that declares it: its parameters and paths there, its schemas
///    by reference.
/// 2. An entity's objects are its own or those of its direct subentities, recursively.
/// 3. Where all names of a hierarchy would be listed, any name is allowed. Where each relationship would need schemas
///    of its own, no inverse is considered.
extension ModelDescription {
    /// The limit on inherited properties of all entities for a full description, which has each of them about ten
    /// times.
    static let inheritedLimit = 10_000

    /// The properties that are described with a resource.
    func described(_ resource: Resource) -> [ResourceProperty] {
        isCondensed ? resource.ownProperties : resource.properties
    }

    /// The bodies that insert objects of subentities, which name their entities.
    func newObjects(below resource: Resource) -> [JSONValue] {
        if isCondensed { return children[resource.entity.index].map { reference($0, .createAny) } }
        return concreteKinds(of: resource).filter { $0 != resource }.map { reference($0, .createKind) }
    }

    /// The schemas of an entity that only a condensed description has.
    func condensedUnions(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        guard parent(of: resource) != nil else { return [] }
        return [
            (.createAny, .any(of: condensedKinds(of: resource, part: .createKind, below: .createAny))),
            (.updateAny, .any(of: condensedKinds(of: resource, part: .update, below: .updateAny))),
        ]
    }

    /// Objects of the entity itself, and of each direct subentity's hierarchy.
    func condensedKinds(
        of resource: Resource,
        part: ComponentNames.Part,
        below others: ComponentNames.Part
    ) -> [JSONValue] {
        let own = resource.entity.isAbstract ? [] : [reference(resource, part)]
        return own + children[resource.entity.index].map { reference($0, others) }
    }

    /// An object of an entity that has subentities.
    func condensedUnion(of resource: Resource) -> JSONValue {
        ["oneOf": .array(condensedKinds(of: resource, part: .itself, below: .object))]
    }
}

extension Catalogue {
    /// The number of properties and entities that all entities inherit from superentities or have below them.
    var inheritedCount: Int {
        resources.reduce(0) { $0 + $1.properties.count - $1.ownProperties.count + $1.entity.kinds.count - 1 }
    }

    /// The resources of direct subentities, by entity index.
    var children: [[Resource]] {
        var children = Array(repeating: [Resource](), count: resources.count)
        for resource in resources {
            guard let parent = resource.entity.entity.parentName.flatMap(model.entity(named:)) else { continue }
            children[parent.index].append(resource)
        }
        return children
    }
}
