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

    private func newIdentity(of resource: Resource) -> [(String, JSONValue)] {
        [("_id", reference(.temporaryName)), ("_entity", entityName(of: resource))]
    }

    func replaceSchema(of resource: Resource) -> JSONValue {
        // To-many relationships keep their members.
        let needed = neededRelationships(of: resource).filter { !$0.isToMany }
        return .closed(
            wholeParts(of: resource) + [reference(.objectIdentity)],
            [("_entity", entityName(of: resource))] + password(of: resource) + needed.map { ($0.name, schema(of: $0)) },
            required: needed.map(\.name)
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

    private func entityName(of resource: Resource) -> JSONValue {
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
    private func wholeParts(of resource: Resource) -> [JSONValue] {
        parts([.attributes], of: resource, relationships: .relationships)
    }

    /// The properties that a patch may have.
    private func patchParts(of resource: Resource) -> [JSONValue] {
        parts([.patchFields], of: resource, relationships: .relationships)
    }

    private func parts(
        _ parts: [ComponentNames.Part],
        of resource: Resource,
        relationships: ComponentNames.Part
    ) -> [JSONValue] {
        let hasRelationships = resource.properties.contains { $0.relationship != nil }
        return (parts + (hasRelationships ? [relationships] : [])).map { reference(resource, $0) }
    }

    /// The properties in bodies, for each use. Inherited ones are a reference.
    func fieldSchemas(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        let own = resource.ownProperties
        let attributes = own.compactMap(\.attribute).filter { $0.isWritten && permitsWriting($0.name, of: resource) }
        let relationships = own.compactMap(\.relationship).filter { permitsWriting($0.name, of: resource) }
        let parts: [(ComponentNames.Part, Members)] = [
            (
                .attributes,
                Members(schemas: self.attributes(attributes, for: .whole), required: needed(attributes, of: resource))
            ),
            (.relationships, Members(schemas: self.relationships(relationships))),
            (.rowReferences, rowReferences(relationships)),
            (.patchFields, Members(schemas: self.attributes(attributes, for: .part))),
            (.setFields, Members(schemas: setMembers(attributes, relationships))),
        ]
        let parent = parent(of: resource)
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

    private struct Members {
        var schemas: [(String, JSONValue)] = []
        var required: [String] = []
    }

    private func attributes(_ attributes: [AttributeDescription], for use: SchemaUse) -> [(String, JSONValue)] {
        attributes.map { (ResourceProperty.name(of: $0.name), schema(of: $0, for: use)) }
    }

    private func relationships(_ relationships: [RelationshipDescription]) -> [(String, JSONValue)] {
        relationships.map { (ResourceProperty.name(of: $0.name), schema(of: $0)) }
    }

    /// The names of attributes that a new object must have.
    private func needed(_ attributes: [AttributeDescription], of resource: Resource) -> [String] {
        guard appliesRules else { return [] }
        return attributes.filter { $0.isNeeded && !isForced($0.name, of: resource) }
            .map { ResourceProperty.name(of: $0.name) }
    }

    /// The relationships that a new object must have. A condensed description doesn't repeat inherited ones.
    private func neededRelationships(of resource: Resource) -> [RelationshipDescription] {
        guard appliesRules, !isCondensed else { return [] }
        return resource.properties.compactMap(\.relationship).filter {
            !$0.relationship.isOptional && !isForced($0.name, of: resource) && permitsWriting($0.name, of: resource)
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

    // MARK: Batches

    /// A row of a batch: attributes, and references to other objects.
    func rowSchema(of resource: Resource) -> JSONValue {
        .closed(
            parts([.attributes], of: resource, relationships: .rowReferences) + [reference(.rowIdentity)],
            [("_entity", ["const": .string(resource.entity.name)])]
        )
    }

    private func rowReferences(_ relationships: [RelationshipDescription]) -> Members {
        var members = Members()
        for relationship in relationships
        where !relationship.isToMany || relationship.isManyToMany || isOfContext {
            let name = ResourceProperty.name(of: relationship.name)
            let one = reference(catalogue.destination(of: relationship), .reference)
            let schema = relationship.isToMany ? JSONValue.list(of: one) : one
            let isNeeded = !relationship.relationship.isOptional && appliesRules
            members.schemas.append((name, isNeeded ? schema : schema.orNull))
            if isNeeded { members.required.append(name) }
        }
        return members
    }

    func batchUpdateSchema(of resource: Resource) -> JSONValue {
        let set = JSONValue.closed([reference(resource, .setFields)]).with("minProperties", 1)
        return .closed(
            [reference(.batchSelection), Self.oneWay(["where", "all"])],
            [("set", set)],
            required: ["set"]
        )
    }

    private func setMembers(
        _ attributes: [AttributeDescription],
        _ relationships: [RelationshipDescription]
    ) -> [(String, JSONValue)] {
        let values = self.attributes(attributes, for: .whole).map { name, schema in
            (name, JSONValue.any(of: [schema, reference(.expression)]))
        }
        return values
            + relationships.filter { !$0.isToMany }.map { relationship in
                let one = reference(catalogue.destination(of: relationship), .reference)
                let isOptional = relationship.relationship.isOptional || !appliesRules
                return (ResourceProperty.name(of: relationship.name), isOptional ? one.orNull : one)
            }
    }

    func batchDeleteSchema(of resource: Resource) -> JSONValue {
        .closed(
            [reference(.batchSelection), Self.oneWay(["where", "ids", "all"])],
            [("ids", JSONValue.list(of: reference(resource, .reference)).orNull)]
        )
    }

    /// The members that select a batch's objects and its result.
    static var batchSelection: JSONValue {
        let result: JSONValue = ["type": "string", "enum": ["count", "ids", "status"]]
        let all: JSONValue = [
            "type": ["boolean", "null"], "not": ["const": false],
            "description": "True to select all objects.",
        ]
        let dryRun: JSONValue = [
            "type": ["boolean", "null"], "description": "Returns what it would affect, and changes nothing.",
        ]
        let strict: JSONValue = [
            "type": ["boolean", "null"], "description": "Refuse the batch if access rules would leave out objects.",
        ]
        let members: JSONObject = [
            "where": ["type": ["string", "null"], "description": "A predicate."],
            "args": JSONValue.list(of: [:]).orNull, "vars": ["type": ["object", "null"]], "all": all,
            "result": result.orNull,
            "max": JSONValue.count.orNull.described("The maximum number of objects that may be affected."),
            "dryRun": dryRun, "strict": strict,
        ]
        return .schema("object", members)
    }

    /// Requires exactly one of some members.
    private static func oneWay(_ names: [String]) -> JSONValue {
        let something: JSONValue = ["not": ["type": "null"]]
        return [
            "oneOf": .array(names.map { .schema("object", required: [$0], JSONObject([($0, something)])) })
        ]
    }

    // MARK: Transactions

    func insertOperation(of resource: Resource) -> JSONValue {
        let values = JSONValue.closed(wholeParts(of: resource), newIdentity(of: resource))
        let needsValues = !needed(resource.properties.compactMap(\.attribute), of: resource).isEmpty
        var members: JSONObject = [
            "insert": ["type": "string", "enum": .array(names(of: resource))], "id": reference(.temporaryName),
            "values": values,
        ]
        if !isOfContext { members["keep"] = reference(.keptIdentity) }
        return JSONValue.schema("object", required: needsValues ? ["insert", "values"] : ["insert"], members).closed
    }

    func updateOperation(of resource: Resource) -> JSONValue {
        JSONValue.schema(
            "object",
            required: ["update"],
            [
                "update": reference(resource, .reference), "version": ["type": "integer", "minimum": 0],
                "values": .closed(patchParts(of: resource)),
            ]
        ).closed
    }

    private func names(of resource: Resource) -> [JSONValue] {
        resource.path == resource.entity.name
            ? [.string(resource.path)] : [.string(resource.entity.name), .string(resource.path)]
    }

    var transactionSchemas: [(String, JSONValue)] {
        let inserts = catalogue.resources.filter { !$0.entity.isAbstract && permits(.create, $0) }
            .map { reference($0, .insertOperation) }
        let updates = catalogue.resources.filter { permits(.update, $0) }.map { reference($0, .updateOperation) }
        let operations = JSONValue.any(of: inserts + updates + [reference(.deleteOperation)])
        let delete = JSONValue.schema(
            "object",
            required: ["delete"],
            ["delete": ["type": "string", "pattern": "^[^ ]+/[^ ]+$"], "version": .count]
        )
        let transaction = JSONValue.schema(
            "object",
            required: ["operations"],
            ["operations": .list(of: operations)]
        )
        let objects = JSONValue.any(of: catalogue.resources.map { reference($0) } + [["type": "null"]])
        let answer = JSONValue.schema(
            "object",
            required: ["ids"],
            [
                "ids": ["type": "object", "additionalProperties": ["type": "string"]],
                "updated": JSONValue.list(of: ["type": "string"])
                    .described(
                        "The names in `ids` of objects that existed before: with `Prefer: merge=object` or the like."
                    ),
                "items": .list(of: objects),
                "_changed": .list(of: reference(.change)),
            ],
            "One item per operation, null for a deletion; omitted with `Prefer: return=minimal`."
        )
        return [
            (SharedSchema.deleteOperation.rawValue, delete.closed),
            (SharedSchema.transaction.rawValue, transaction.closed), (SharedSchema.transactionAnswer.rawValue, answer),
        ]
    }
}
