// SPDX-License-Identifier: Apache-2.0

// Schemas of transactions.

import Identities
import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    func insertOperation(of resource: Resource) -> JSONValue {
        let values = JSONValue.closed(
            wholeParts(of: resource),
            newIdentity(of: resource) + password(of: resource)
        )
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
                "values": .closed(patchParts(of: resource), password(of: resource)),
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
