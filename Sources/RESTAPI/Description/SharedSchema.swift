// SPDX-License-Identifier: Apache-2.0

// The schemas that are the same for every model.

import JSON

enum SharedSchema: String, CaseIterable {
    case problem = "Problem"
    case problemDetail = "ProblemDetail"
    case binary = "BinaryValue"
    case count = "CountAnswer"
    case references = "ReferencePage"
    case table = "TablePage"
    case explanation = "Explanation"
    case change = "Change"
    case closure = "DeletionAnswer"
    case batch = "BatchAnswer"
    case transaction = "Transaction"
    case transactionAnswer = "TransactionAnswer"
    case deleteOperation = "DeleteOperation"
    case anyObject = "AnyObject"
    case query = "Query"
    case queries = "QueryPage"
    case contextSettings = "ContextSettings"
    case contextSummary = "ContextSummary"
    case context = "EditingContext"
    case contextChanges = "ContextChanges"
    case pending = "PendingCounts"
    case refresh = "ContextRefresh"
}

extension ModelDescription {
    /// The shared schemas that don't speak of entities.
    var sharedSchemas: [(String, JSONValue)] {
        let all: [(SharedSchema, JSONValue)] =
            [
                (.problem, problem), (.problemDetail, problemDetail), (.binary, binaryValue),
                (.count, .schema("object", required: ["count"], ["count": .count])),
                (.references, referencePage), (.table, tablePage), (.explanation, explanation), (.change, change),
                (.closure, closure), (.batch, batchAnswer), (.query, query),
                (.queries, .schema("object", required: ["items"], ["items": .list(of: reference(.query))])),
                (.anyObject, ["type": "object"]),
            ] + contextSchemas
        return all.map { ($0.rawValue, $1) }
    }

    func reference(_ shared: SharedSchema) -> JSONValue { ["$ref": .string(root + shared.rawValue)] }

    private var problem: JSONValue {
        .schema(
            "object",
            required: ["type", "title", "status", "code", "detail"],
            [
                "type": ["type": "string", "description": "The path of a page about the code."],
                "title": "string", "status": ["type": "integer", "minimum": 400, "maximum": 599],
                "code": ["type": "string", "enum": .array(ProblemCode.all.map { .string($0.description) })],
                "detail": "string", "hint": ["type": "string", "description": "How to mend it."],
                "position": [
                    "type": "integer", "minimum": 0,
                    "description": "Where in a predicate or a parameter it is, in Unicode scalars.",
                ],
                "errors": .list(of: reference(.problemDetail)),
            ],
            "What is wrong, as RFC 9457 has it. Some codes have more members."
        )
    }

    private var problemDetail: JSONValue {
        .schema(
            "object",
            required: ["code", "message"],
            ["object": "string", "property": "string", "code": "string", "message": "string"],
            "What is wrong with one property of one object."
        )
    }

    private var binaryValue: JSONValue {
        .schema(
            "object",
            required: ["href", "bytes"],
            ["href": ["type": "string", "description": "Where the bytes are."], "bytes": .count],
            "What stands in the place of bytes."
        )
    }

    private var referencePage: JSONValue {
        page(of: ["type": "string"], "References to objects: with `result=ids`.")
    }

    private var tablePage: JSONValue {
        page(of: ["type": "object"], "Rows of values by the names of their columns: with `result=dictionary`.")
    }

    func page(of items: JSONValue, _ text: String) -> JSONValue {
        .schema(
            "object",
            required: ["items", "next"],
            [
                "items": .list(of: items),
                "total": .count.described("How many there are on all pages: with `count=true`."),
                "next": ["type": ["string", "null"], "description": "The path of the next page; null on the last."],
            ],
            text
        )
    }

    private var explanation: JSONValue {
        let item: JSONValue = .schema(
            "object",
            required: ["store", "usesIndex"],
            [
                "store": "string", "sql": ["type": ["string", "null"]], "bindings": .list(of: [:]),
                "plan": .list(of: ["type": "string"]), "usesIndex": "boolean",
                "evaluatedInMemory": .list(of: ["type": "string"]),
            ]
        )
        return .schema(
            "object",
            required: ["items"],
            [
                "items": .list(of: item),
                "pending": ["type": "string", "description": "In a draft, what is done about its pending changes."],
            ],
            "How each store would do it: with `explain=true`."
        )
    }

    private var change: JSONValue {
        .schema(
            "object",
            required: ["_id", "_entity", "_version", "change"],
            [
                "_id": "string", "_entity": "string", "_version": "integer",
                "change": ["type": "string", "enum": ["inserted", "updated", "deleted"]],
            ],
            "An object that a save touched besides those of the answer."
        )
    }

    private var closure: JSONValue {
        let nullified: JSONValue = .schema(
            "object",
            required: ["_id", "property"],
            ["_id": "string", "property": "string"]
        )
        return .schema(
            "object",
            [
                "deleted": .list(of: ["type": "string"]), "nullified": .list(of: nullified),
                "_changed": .list(of: reference(.change)),
            ],
            "What goes with an object, or what its deletion changed."
        )
    }

    private var batchAnswer: JSONValue {
        .schema(
            "object",
            [
                "count": .count, "status": "boolean", "ids": .list(of: ["type": "string"]),
                "merged": .count.described("How many live contexts it was merged into."),
            ]
        )
    }

    private var query: JSONValue {
        let variable: JSONValue = .schema(
            "object",
            required: ["name", "type"],
            ["name": "string", "type": "string", "isList": "boolean"]
        )
        return .schema(
            "object",
            required: ["name", "entity", "href"],
            [
                "name": "string", "entity": "string", "predicate": ["type": ["string", "null"]],
                "variables": .list(of: variable), "href": "string",
            ],
            "A fetch request template of the model."
        )
    }
}
