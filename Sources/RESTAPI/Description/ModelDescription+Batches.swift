// SPDX-License-Identifier: Apache-2.0

// Schemas of batches.

import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// A row of a batch: attributes, and references to other objects.
    func rowSchema(of resource: Resource) -> JSONValue {
        .closed(
            parts(.attributes, of: resource, relationships: .rowReferences) + [reference(.rowIdentity)],
            [("_entity", ["const": .string(resource.entity.name)])]
        )
    }

    func rowReferences(_ relationships: [RelationshipDescription], of resource: Resource) -> Members {
        var members = Members()
        for relationship in relationships
        where !relationship.isToMany || relationship.isManyToMany || isOfContext {
            let name = ResourceProperty.name(of: relationship.name)
            let one = reference(catalogue.destination(of: relationship), .reference)
            let schema = relationship.isToMany ? JSONValue.list(of: one) : one
            let isNeeded =
                !relationship.relationship.isOptional && appliesRules && !isForced(relationship.name, of: resource)
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

    func setMembers(
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
}
