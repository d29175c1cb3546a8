// SPDX-License-Identifier: Apache-2.0

// What is described of models whose entities inherit so much that all of it for each entity would be longer than the model by far.

import JSON
import ObjectGraph
import ObjectModel

/// A condensed description is as long as the model:
///
/// 1. What an entity inherits is described with the entity that declares it: its parameters and paths there, its schemas by reference.
/// 2. Objects of an entity are its own, or those of the entities directly below it, of which the same holds.
/// 3. What would have to name all of a hierarchy takes any name. What would need schemas of its own in each relationship asks for nothing
///    of relationships.
extension ModelDescription {
    /// How much entities may inherit, all in all, in a description that isn't condensed. It has each of it about ten times.
    static let inheritedLimit = 10_000

    /// The properties that are described with a resource.
    func described(_ resource: Resource) -> [ResourceProperty] {
        isCondensed ? resource.ownProperties : resource.properties
    }

    /// What makes objects of the entities below one, which say which they are of.
    func newObjects(below resource: Resource) -> [JSONValue] {
        if isCondensed { return children[resource.entity.index].map { reference($0, .createAny) } }
        return concreteKinds(of: resource).filter { $0 != resource }.map { reference($0, .createKind) }
    }

    /// A body with the properties of a resource and some members more, and with no others.
    func condensed(
        _ resource: Resource,
        _ fields: ComponentNames.Part,
        with members: JSONObject = JSONObject()
    ) -> JSONValue {
        [
            "allOf": [reference(resource, fields), .schema("object", members)],
            "unevaluatedProperties": false,
        ]
    }

    /// Schemas of an entity that there are in a condensed description alone.
    func condensedSchemas(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        let own = resource.ownProperties
        let bodies: [(ComponentNames.Part, Members)] = [
            (.createFields, members(of: own, .whole)), (.patchFields, members(of: own, .part)),
            (.rowFields, rowMembers(of: own)), (.setFields, Members(schemas: setMembers(of: own))),
        ]
        let parent = parent(of: resource)
        let fields = bodies.map { part, members -> (ComponentNames.Part, JSONValue) in
            let schema = JSONValue.schema("object", required: members.required, members.schemas)
            return (part, parent.map { ["allOf": [reference($0, part), schema]] } ?? schema)
        }
        guard parent != nil else { return fields }
        return fields + [
            (.createAny, .any(of: condensedKinds(of: resource, .createKind, below: .createAny))),
            (.updateAny, .any(of: condensedKinds(of: resource, .update, below: .updateAny))),
        ]
    }

    /// What stands for objects of an entity itself, and for those of the entities directly below it with all below these.
    func condensedKinds(
        of resource: Resource,
        _ part: ComponentNames.Part,
        below others: ComponentNames.Part
    ) -> [JSONValue] {
        let own = resource.entity.isAbstract ? [] : [reference(resource, part)]
        return own + children[resource.entity.index].map { reference($0, others) }
    }

    /// An object of an entity that has others below it.
    func condensedUnion(of resource: Resource) -> JSONValue {
        ["oneOf": .array(condensedKinds(of: resource, .itself, below: .object))]
    }
}

extension Catalogue {
    /// How many properties and entities there are that entities have from those above them, or below them.
    var inheritedCount: Int {
        resources.reduce(0) { $0 + $1.properties.count - $1.ownProperties.count + $1.entity.kinds.count - 1 }
    }

    /// The resources of the entities directly below each, by its place.
    var children: [[Resource]] {
        var children = Array(repeating: [Resource](), count: resources.count)
        for resource in resources {
            guard let parent = resource.entity.entity.parentName.flatMap(model.entity(named:)) else { continue }
            children[parent.index].append(resource)
        }
        return children
    }
}
