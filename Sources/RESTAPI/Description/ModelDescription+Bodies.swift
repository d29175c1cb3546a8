// SPDX-License-Identifier: Apache-2.0

// Schemas of request bodies.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// - Parameters:
    ///   - inverse: The inverse of the relationship that the object is inserted into.
    ///   - isNested: Whether it is for objects within others.
    func createSchema(
        of resource: Resource,
        without inverse: RelationshipDescription? = nil,
        isNested: Bool = false
    ) -> JSONValue {
        body(
            of: resource,
            for: .whole,
            adding: newIdentity(of: resource),
            needs: inverse == nil ? .all : .attributes,
            without: inverse,
            // Generators of clients don't know that what another schema has is required.
            isSelfContained: !isNested
        )
    }

    private func newIdentity(of resource: Resource) -> [(String, JSONValue)] {
        [("_id", temporaryName), ("_entity", entityName(of: resource))]
    }

    func createKindSchema(of resource: Resource, without inverse: RelationshipDescription? = nil) -> JSONValue {
        let schema = createSchema(of: resource, without: inverse, isNested: true)
        return schema.with("required", .array((schema["required"]?.array ?? []) + ["_entity"]))
    }

    func replaceSchema(of resource: Resource) -> JSONValue {
        body(of: resource, for: .whole, adding: identity(of: resource), needs: .single)
    }

    func patchSchema(of resource: Resource) -> JSONValue {
        body(of: resource, for: .part, adding: identity(of: resource))
    }

    func updateSchema(of resource: Resource) -> JSONValue {
        let own = [("_id", reference(resource, .reference))] + identity(of: resource).dropFirst()
        return body(of: resource, for: .part, adding: own).with("required", ["_id"])
    }

    /// The changes in an operation of a transaction, beside the object's reference.
    func valuesSchema(of resource: Resource) -> JSONValue { body(of: resource, for: .part, adding: []) }

    private var temporaryName: JSONValue {
        ["type": "string", "pattern": #"^\$.+"#, "description": "The object's temporary name within the body."]
    }

    private func identity(of resource: Resource) -> [(String, JSONValue)] {
        [
            (
                "_id",
                [
                    "type": "string", "readOnly": true,
                    "description": "Optional; if given, it must be the object of the path.",
                ]
            ), ("_entity", entityName(of: resource)),
            (
                "_version",
                ["type": "integer", "minimum": 0, "description": "The version that the change is based on."]
            ),
        ]
    }

    private func entityName(of resource: Resource) -> JSONValue {
        guard !isCondensed else {
            return ["type": "string", "description": .string("\(resource.entity.name), or one of its superentities.")]
        }
        var names: [String] = []
        for kind in model.kinds(of: resource.entity).map({ catalogue[$0] }) where kind == resource {
            names += [kind.entity.name, kind.path]
        }
        var above = parent(of: resource)
        while let next = above {
            names += [next.entity.name, next.path]
            above = parent(of: next)
        }
        var seen: Set<String> = []
        return ["type": "string", "enum": .array(names.filter { seen.insert($0).inserted }.map(JSONValue.string))]
    }

    /// Which mandatory properties a body must have.
    private enum RequiredMembers {
        case all
        /// To-many relationships keep their members.
        case single
        /// Relationships may be set elsewhere in the same body, on their other side.
        case attributes
    }

    private func body(
        of resource: Resource,
        for use: SchemaUse,
        adding own: [(String, JSONValue)],
        needs: RequiredMembers = .all,
        without inverse: RelationshipDescription? = nil,
        isSelfContained: Bool = false
    ) -> JSONValue {
        let fields = use == .whole ? ComponentNames.Part.createFields : .patchFields
        guard !isCondensed else { return condensed(resource, fields: fields, with: JSONObject(own)) }
        let members = members(of: resource.properties, for: use, needs: needs, without: inverse)
        if isSelfContained {
            let properties = JSONObject(own + members.schemas.members.map { ($0.name, $0.value) })
            return JSONValue.schema("object", required: members.required, properties).closed
        }
        var body: JSONObject = ["allOf": [reference(resource, fields)]]
        if !members.required.isEmpty { body["required"] = .array(members.required.map(JSONValue.string)) }
        if !own.isEmpty { body["properties"] = .object(JSONObject(own)) }
        body["unevaluatedProperties"] = false
        return .object(body)
    }

    /// The properties in bodies, which the bodies of an entity share.
    func fieldSchemas(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        [(.createFields, SchemaUse.whole), (.patchFields, .part)].map { part, use in
            (part, .schema("object", members(of: resource.properties, use).schemas))
        }
    }

    /// The members of a body that are properties.
    struct Members {
        var schemas = JSONObject()
        var required: [String] = []
    }

    private func members(
        of properties: [ResourceProperty],
        for use: SchemaUse,
        needs: RequiredMembers,
        without inverse: RelationshipDescription? = nil
    ) -> Members {
        var members = Members()
        for property in properties {
            switch property.property {
            case .attribute(let attribute):
                guard !attribute.isDerived, attribute.type != .objectID, attribute.type != .undefined else { continue }
                members.schemas[property.name] = schema(of: attribute, for: use)
                if use == .whole, attribute.isNeeded, appliesRules { members.required.append(property.name) }
            case .relationship(let relationship):
                members.schemas[property.name] = schema(of: relationship)
                // The object that contains the new one may be named, but needn't.
                if relationship.name == inverse?.name { continue }
                if use == .whole, appliesRules, !relationship.relationship.isOptional,
                    needs == .all || needs == .single && !relationship.isToMany
                {
                    members.required.append(property.name)
                }
            case .fetched: continue
            }
        }
        return members
    }

    /// The properties of a body in a condensed description: relationships may be set elsewhere.
    func members(of properties: [ResourceProperty], _ use: SchemaUse) -> Members {
        members(of: properties, for: use, needs: .attributes)
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
        let identity = shownIdentity(of: resource)
        guard !isCondensed else { return condensed(resource, fields: .rowFields, with: JSONObject(identity)) }
        var members = rowMembers(of: resource.properties)
        for (name, schema) in identity where members.schemas[name] == nil { members.schemas[name] = schema }
        return JSONValue.schema("object", required: members.required, members.schemas).closed
    }

    func rowMembers(of properties: [ResourceProperty]) -> Members {
        var members = Members()
        for property in properties {
            switch property.property {
            case .attribute(let attribute) where !attribute.isDerived && attribute.type != .objectID:
                members.schemas[property.name] = schema(of: attribute, for: .whole)
                if attribute.isNeeded, appliesRules { members.required.append(property.name) }
            case .relationship(let relationship)
            where !relationship.isToMany || relationship.isManyToMany || isOfContext:
                let one = reference(catalogue.destination(of: relationship), .reference)
                let schema = relationship.isToMany ? JSONValue.list(of: one) : one
                let isNeeded = !relationship.relationship.isOptional && appliesRules
                members.schemas[property.name] = isNeeded ? schema : schema.orNull
                if isNeeded { members.required.append(property.name) }
            default: continue
            }
        }
        return members
    }

    /// The members of a row copied from a response whose values the store computes again.
    private func shownIdentity(of resource: Resource) -> [(String, JSONValue)] {
        let ignored: JSONValue = ["description": "Accepted as it was returned, but ignored; the store assigns it."]
        return [("_id", ignored), ("_entity", ["const": .string(resource.entity.name)]), ("_version", ignored)]
    }

    func batchUpdateSchema(of resource: Resource) -> JSONValue {
        let set =
            isCondensed
            ? condensed(resource, fields: .setFields)
            : JSONValue.schema("object", setMembers(of: resource.properties)).closed
        let properties = JSONObject([("set", set.with("minProperties", 1))] + chosen)
        return [
            "allOf": [JSONValue.schema("object", required: ["set"], properties).closed, Self.oneWay(["where", "all"])]
        ]
    }

    func setMembers(of properties: [ResourceProperty]) -> JSONObject {
        let expression = JSONValue.schema("object", required: ["expression"], ["expression": "string"]).closed
        var set = JSONObject()
        for property in properties {
            switch property.property {
            case .attribute(let attribute) where !attribute.isDerived && attribute.type != .objectID:
                set[property.name] = ["anyOf": [schema(of: attribute, for: .whole), expression]]
            case .relationship(let relationship) where !relationship.isToMany:
                let one = reference(catalogue.destination(of: relationship), .reference)
                set[property.name] = relationship.relationship.isOptional || !appliesRules ? one.orNull : one
            default: continue
            }
        }
        return set
    }

    func batchDeleteSchema(of resource: Resource) -> JSONValue {
        let ids = JSONValue.list(of: reference(resource, .reference))
        return [
            "allOf": [
                JSONValue.schema("object", JSONObject([("ids", ids.orNull)] + chosen)).closed,
                Self.oneWay(["where", "ids", "all"]),
            ]
        ]
    }

    /// The members that select a batch's objects and its result.
    private var chosen: [(String, JSONValue)] {
        let result: JSONValue = ["type": "string", "enum": ["count", "ids", "status"]]
        let all: JSONValue = [
            "type": ["boolean", "null"], "not": ["const": false],
            "description": "True to select all objects.",
        ]
        let dryRun: JSONValue = [
            "type": ["boolean", "null"], "description": "Returns what it would affect, and changes nothing.",
        ]
        return [
            ("where", ["type": ["string", "null"], "description": "A predicate."]),
            ("args", JSONValue.list(of: [:]).orNull), ("vars", ["type": ["object", "null"]]), ("all", all),
            ("result", result.orNull),
            ("max", JSONValue.count.orNull.described("The maximum number of objects that may be affected.")),
            ("dryRun", dryRun),
            (
                "strict",
                [
                    "type": ["boolean", "null"],
                    "description": "Refuse the batch if access rules would leave out objects.",
                ]
            ),
        ]
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
        let values = body(of: resource, for: .whole, adding: newIdentity(of: resource), needs: .attributes)
        let needsValues = values["required"] != nil
        var members: JSONObject = [
            "insert": ["type": "string", "enum": .array(names(of: resource))], "id": temporaryName, "values": values,
        ]
        if !isOfContext { members["keep"] = Self.keptIdentity }
        return JSONValue.schema("object", required: needsValues ? ["insert", "values"] : ["insert"], members).closed
    }

    private static let keptIdentity = JSONValue.schema(
        "object",
        required: ["_id"],
        ["_id": ["type": "string"], "_version": .count],
        "The object's ID in another store. It keeps the number if it was never assigned, with a greater version."
    )

    func updateOperation(of resource: Resource) -> JSONValue {
        JSONValue.schema(
            "object",
            required: ["update"],
            ["update": reference(resource, .reference), "version": .count, "values": reference(resource, .values)]
        ).closed
    }

    private func names(of resource: Resource) -> [JSONValue] {
        resource.path == resource.entity.name
            ? [.string(resource.path)] : [.string(resource.entity.name), .string(resource.path)]
    }

    var transactionSchemas: [(String, JSONValue)] {
        let inserts = catalogue.resources.filter { !$0.entity.isAbstract }.map { reference($0, .insertOperation) }
        let updates = catalogue.resources.map { reference($0, .updateOperation) }
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
