// SPDX-License-Identifier: Apache-2.0

// Schemas of request bodies.

import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// - Parameter inverse: The inverse of the relationship that the object is inserted into.
    func createSchema(of resource: Resource, without inverse: RelationshipDescription? = nil) -> JSONValue {
        creation(of: resource, without: inverse, required: [])
    }

    /// A new object that must name its entity.
    func createKindSchema(of resource: Resource, without inverse: RelationshipDescription? = nil) -> JSONValue {
        creation(of: resource, without: inverse, required: ["_entity"])
    }

    private func creation(
        of resource: Resource,
        without inverse: RelationshipDescription?,
        required: [String]
    ) -> JSONValue {
        // Within another object, the other side of a relationship may be set elsewhere in the same body.
        let needed = inverse == nil ? neededRelationships(of: resource) : []
        return .closed(
            wholeParts(of: resource),
            newIdentity(of: resource) + password(of: resource) + needed.map { ($0.name, schema(of: $0)) },
            required: needed.map(\.name) + required
        )
    }

    func newIdentity(of resource: Resource) -> [(String, JSONValue)] {
        [("_id", reference(.temporaryName)), ("_entity", entityName(of: resource))]
    }

    func replaceSchema(of resource: Resource) -> JSONValue {
        // To-many relationships keep their members. What rules set in new objects isn't set in this one.
        let needed = neededRelationships(of: resource, withForced: true).filter { !$0.isToMany }
        let forced = resource.properties.compactMap(\.attribute).filter { attribute in
            appliesRules && attribute.isNeeded && attribute.isWritten && isForced(attribute.name, of: resource)
                && permitsWriting(attribute.name, of: resource)
        }
        return .closed(
            wholeParts(of: resource) + [reference(.objectIdentity)],
            [("_entity", entityName(of: resource))] + password(of: resource) + needed.map { ($0.name, schema(of: $0)) },
            required: needed.map(\.name) + forced.map { ResourceProperty.name(of: $0.name) }
        )
    }

    func patchSchema(of resource: Resource) -> JSONValue {
        .closed(
            patchParts(of: resource) + [reference(.objectIdentity)],
            [("_entity", entityName(of: resource))] + password(of: resource)
        )
    }

    func updateSchema(of resource: Resource) -> JSONValue {
        .closed(
            patchParts(of: resource) + [reference(.objectIdentity)],
            [("_id", reference(resource, .reference)), ("_entity", entityName(of: resource))] + password(of: resource),
            required: ["_id"]
        )
    }

    func entityName(of resource: Resource) -> JSONValue {
        guard !isCondensed else {
            return ["type": "string", "description": .string("\(resource.entity.name), or one of its superentities.")]
        }
        var names = [resource.entity.name, resource.path]
        var above = parent(of: resource)
        while let next = above {
            names += [next.entity.name, next.path]
            above = parent(of: next)
        }
        var seen: Set<String> = []
        return ["type": "string", "enum": .array(names.filter { seen.insert($0).inserted }.map(JSONValue.string))]
    }

    // MARK: Properties

    /// The properties of a whole object.
    func wholeParts(of resource: Resource) -> [JSONValue] {
        parts(.attributes, of: resource, relationships: .relationships)
    }

    /// The properties that a patch may have.
    func patchParts(of resource: Resource) -> [JSONValue] {
        parts(.patchFields, of: resource, relationships: .relationships)
    }

    /// Attributes, and relationships if there are any.
    func parts(
        _ attributes: ComponentNames.Part,
        of resource: Resource,
        relationships: ComponentNames.Part
    ) -> [JSONValue] {
        let hasRelationships = resource.properties.contains { $0.relationship != nil }
        return ([attributes] + (hasRelationships ? [relationships] : [])).map { reference(resource, $0) }
    }

    /// The properties in bodies, for each use. Inherited ones are a reference, unless access rules have something else for them
    /// in this entity.
    func fieldSchemas(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        let parent = parent(of: resource).flatMap { inheritsRules(resource, from: $0) ? $0 : nil }
        let own = parent == nil ? resource.properties : resource.ownProperties
        let attributes = own.compactMap(\.attribute).filter { $0.isWritten && permitsWriting($0.name, of: resource) }
        let relationships = own.compactMap(\.relationship).filter { permitsWriting($0.name, of: resource) }
        let parts: [(ComponentNames.Part, Members)] = [
            (
                .attributes,
                Members(schemas: self.attributes(attributes, for: .whole), required: needed(attributes, of: resource))
            ),
            (.relationships, Members(schemas: self.relationships(relationships))),
            (.rowReferences, rowReferences(relationships, of: resource)),
            (.patchFields, Members(schemas: self.attributes(attributes, for: .part))),
            (.setFields, Members(schemas: setMembers(attributes, relationships))),
        ]
        return parts.map { part, members in
            (
                part,
                .extended(
                    parent.map { [reference($0, part)] } ?? [],
                    members.schemas,
                    required: members.required
                )
            )
        }
    }

    /// Whether access rules have the same for the properties of an entity as for those of its superentity.
    private func inheritsRules(_ resource: Resource, from parent: Resource) -> Bool {
        parent.properties.map(\.property.name).allSatisfy { name in
            permitsWriting(name, of: resource) == permitsWriting(name, of: parent)
                && isForced(name, of: resource) == isForced(name, of: parent)
        }
    }

    struct Members {
        var schemas: [(String, JSONValue)] = []
        var required: [String] = []
    }

    func attributes(_ attributes: [AttributeDescription], for use: SchemaUse) -> [(String, JSONValue)] {
        attributes.map { (ResourceProperty.name(of: $0.name), schema(of: $0, for: use)) }
    }

    private func relationships(_ relationships: [RelationshipDescription]) -> [(String, JSONValue)] {
        relationships.map { (ResourceProperty.name(of: $0.name), schema(of: $0)) }
    }

    /// The names of attributes that a new object must have.
    func needed(_ attributes: [AttributeDescription], of resource: Resource) -> [String] {
        guard appliesRules else { return [] }
        return attributes.filter { $0.isNeeded && !isForced($0.name, of: resource) }
            .map { ResourceProperty.name(of: $0.name) }
    }

    /// The relationships that a new object must have. A condensed description doesn't repeat inherited ones.
    ///
    /// - Parameter withForced: Whether to include what access rules set.
    private func neededRelationships(of resource: Resource, withForced: Bool = false) -> [RelationshipDescription] {
        guard appliesRules, !isCondensed else { return [] }
        return resource.properties.compactMap(\.relationship).filter {
            !$0.relationship.isOptional && (withForced || !isForced($0.name, of: resource))
                && permitsWriting($0.name, of: resource)
        }
    }

    /// The value that a relationship is set to.
    func schema(of relationship: RelationshipDescription) -> JSONValue {
        let destination = catalogue.destination(of: relationship)
        let isOptional = relationship.relationship.isOptional || !appliesRules
        guard relationship.isToMany else {
            let member = reference(destination, part: .member, in: relationship)
            return isOptional ? ["anyOf": [member, ["type": "null"]]] : member
        }
        let changes = reference(
            destination,
            part: relationship.isOrdered ? .orderedChanges : .changes,
            in: relationship
        )
        let all: JSONValue = ["anyOf": [members(of: relationship), changes]]
        return isOptional ? all.orNull : all
    }

    /// All members of a relationship.
    func members(of relationship: RelationshipDescription) -> JSONValue {
        let rules = relationship.relationship
        let members = JSONValue.list(
            of: reference(catalogue.destination(of: relationship), part: .member, in: relationship)
        )
        guard appliesRules else { return members }
        let least: JSONValue? = rules.isOptional ? .none : .integer(max(1, rules.minimumCount ?? 1))
        return members.with("minItems", least)
            .with("maxItems", rules.maximumCount.flatMap { $0 > 0 ? .integer($0) : nil })
    }
}
