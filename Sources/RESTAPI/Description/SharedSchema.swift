// SPDX-License-Identifier: Apache-2.0

// The schemas that don't depend on the model.

import JSON
import ObjectModel

enum SharedSchema: String, CaseIterable {
    case problem = "Problem"
    case problemDetail = "ProblemDetail"
    case storedObject = "StoredObject"
    case highlights = "Highlights"
    case objectIdentity = "ObjectIdentity"
    case permanentIDs = "PermanentIDs"
    case temporaryName = "TemporaryName"
    case keptIdentity = "KeptIdentity"
    case rowIdentity = "RowIdentity"
    case pageInfo = "PageInfo"
    case batchSelection = "BatchSelection"
    case expression = "Expression"
    case binary = "BinaryValue"
    case base64 = "Base64Input"
    case dateValue = "DateValue"
    case dateInput = "DateInput"
    case decimalValue = "DecimalValue"
    case decimalInput = "DecimalInput"
    case positiveDecimalInput = "PositiveDecimalInput"
    case count = "CountAnswer"
    case references = "ReferencePage"
    case table = "TablePage"
    case explanation = "Explanation"
    case change = "Change"
    case closure = "DeletionAnswer"
    case batch = "BatchAnswer"
    case query = "Query"
    case queries = "QueryPage"
    case anyObject = "AnyObject"
    case contextSettings = "ContextSettings"
    case contextSummary = "ContextSummary"
    case context = "EditingContext"
    case pending = "PendingCounts"
    case refresh = "ContextRefresh"
    case contextChanges = "ContextChanges"
    case history = "HistoryAnswer"
    case historyPosition = "HistoryPosition"
    case fetch = "Fetch"
    case int16Increment = "Int16Increment"
    case int32Increment = "Int32Increment"
    case int64Increment = "Int64Increment"
    case floatIncrement = "FloatIncrement"
    case doubleIncrement = "DoubleIncrement"
    // These mention entities.
    case deleteOperation = "DeleteOperation"
    case transaction = "Transaction"
    case transactionAnswer = "TransactionAnswer"
}

extension ModelDescription {
    /// The shared schemas that don't mention entities.
    var sharedSchemas: [(String, JSONValue)] {
        SharedSchema.allCases.compactMap { shared in schema(of: shared).map { (shared.rawValue, $0) } }
    }

    func reference(_ shared: SharedSchema) -> JSONValue { ["$ref": .string(root + shared.rawValue)] }

    func page(of items: JSONValue, describedAs text: String? = nil) -> JSONValue {
        JSONValue.extended([reference(.pageInfo)], [("items", .list(of: items))], required: ["items"]).described(text)
    }

    private static let texts = JSONValue.list(of: ["type": "string"])
    private static let textOrNull: JSONValue = ["type": ["string", "null"]]

    private static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }

    private static func object(_ required: [String], _ properties: JSONObject, _ text: String? = nil) -> JSONValue {
        .schema("object", required: required, properties, text)
    }

    private func schema(of shared: SharedSchema) -> JSONValue? {
        switch shared {
        case .problem:
            let codes = ProblemCode.all.map { JSONValue.string($0.description) }
            let properties: JSONObject = [
                "type": Self.text("The path of a page about the code."), "title": "string",
                "status": ["type": "integer", "minimum": 400, "maximum": 599],
                "code": ["type": "string", "enum": .array(codes)], "detail": "string",
                "hint": Self.text("The remedy."),
                "position": [
                    "type": "integer", "minimum": 0,
                    "description": "The position in a predicate or a parameter, in Unicode scalars.",
                ], "errors": .list(of: reference(.problemDetail)),
            ]
            let text = "A problem document as in RFC 9457. Some codes have more members."
            return Self.object(["type", "title", "status", "code", "detail"], properties, text)
        case .problemDetail:
            let properties: JSONObject = [
                "object": "string", "property": "string", "code": "string", "message": "string",
            ]
            return Self.object(["code", "message"], properties, "The error of one property of one object.")
        case .storedObject:
            let properties: JSONObject = [
                "_id": Self.text("The object's reference, such as `posts/1`.").with("readOnly", true),
                "_version": [
                    "type": "integer", "format": "int64", "description": "The number of times that it was saved.",
                ],
                "_ids": reference(.permanentIDs),
                "_changed": JSONValue.list(of: reference(.change)).with("readOnly", true),
            ]
            return Self.object(["_id", "_version"], properties)
        case .highlights:
            return [
                "type": "object", "readOnly": true, "additionalProperties": ["type": "string"],
                "description": "Matches of the search, as HTML.",
            ]
        case .objectIdentity:
            let id = Self.text("Optional; if given, it must be the object of the path.").with("readOnly", true)
            let version: JSONValue = [
                "type": "integer", "minimum": 0, "description": "The version that the change is based on.",
            ]
            return Self.object([], ["_id": id, "_version": version])
        case .permanentIDs:
            return [
                "type": "object", "readOnly": true, "additionalProperties": ["type": "string"],
                "description": "The permanent IDs of temporary names, after a save.",
            ]
        case .temporaryName:
            return Self.text("The object's temporary name within the body.").with("pattern", #"^\$.+"#)
        case .keptIdentity:
            let text =
                "The object's ID in another store. It keeps the number if it was never assigned, with a greater version."
            return Self.object(["_id"], ["_id": "string", "_version": .count], text)
        case .rowIdentity:
            let ignored: JSONValue = ["description": "Accepted as it was returned, but ignored; the store assigns it."]
            return Self.object([], ["_id": ignored, "_version": ignored])
        case .pageInfo:
            let properties: JSONObject = [
                "total": .count.described("The number of items on all pages, with `count=true`."),
                "next": Self.textOrNull.described("The path of the next page; null on the last."),
            ]
            return Self.object(["next"], properties)
        case .batchSelection: return Self.batchSelection
        case .expression: return Self.object(["expression"], ["expression": "string"]).closed
        case .base64: return Self.base64
        case .dateValue: return Self.date
        case .dateInput: return Self.dateInput
        case .decimalValue: return Self.shownDecimal
        case .decimalInput: return Self.decimalInput
        case .positiveDecimalInput: return Self.positiveDecimalInput
        case .binary:
            let properties: JSONObject = ["href": Self.text("The path of the bytes."), "bytes": .count]
            return Self.object(["href", "bytes"], properties, "A link to the bytes of a binary attribute.")
        case .count: return Self.object(["count"], ["count": .count])
        case .references: return page(of: ["type": "string"], describedAs: "References to objects, with `result=ids`.")
        case .table:
            return page(
                of: ["type": "object"],
                describedAs: "Rows of values by column name, with `result=dictionary`."
            )
        case .explanation:
            let properties: JSONObject = [
                "store": "string", "sql": Self.textOrNull, "bindings": .list(of: [:]), "plan": Self.texts,
                "usesIndex": "boolean", "evaluatedInMemory": Self.texts,
            ]
            let items = JSONValue.list(of: Self.object(["store", "usesIndex"], properties))
            let pending = Self.text("In an editing context, how its pending changes are included.")
            let text = "How each store would execute the fetch, with `explain=true`."
            return Self.object(["items"], ["items": items, "pending": pending], text)
        case .change:
            let kinds: JSONValue = ["type": "string", "enum": ["inserted", "updated", "deleted"]]
            let properties: JSONObject = ["_id": "string", "_entity": "string", "_version": "integer", "change": kinds]
            let text = "An object that the save changed, besides those in the answer."
            return Self.object(properties.names, properties, text)
        case .closure:
            let nullified = Self.object(["_id", "property"], ["_id": "string", "property": "string"])
            let properties: JSONObject = [
                "deleted": Self.texts, "nullified": .list(of: nullified), "_changed": .list(of: reference(.change)),
            ]
            return Self.object([], properties, "The objects that are deleted or changed along with an object.")
        case .batch:
            let merged = JSONValue.count.described("The number of live contexts that were notified of the changes.")
            return Self.object(
                [],
                ["count": .count, "status": ["type": "boolean"], "ids": Self.texts, "merged": merged]
            )
        case .query:
            let variable = Self.object(["name", "type"], ["name": "string", "type": "string", "isList": "boolean"])
            let properties: JSONObject = [
                "name": "string", "entity": "string", "predicate": Self.textOrNull, "variables": .list(of: variable),
                "href": "string",
            ]
            return Self.object(["name", "entity", "href"], properties, "A fetch request template of the model.")
        case .queries: return Self.object(["items"], ["items": .list(of: reference(.query))])
        case .anyObject: return ["type": "object"]
        case .contextSettings: return Self.optional(Self.settings)
        case .contextSummary: return Self.object(["context", "expires"], JSONObject(Self.summary))
        case .context:
            let properties =
                Self.summary + Self.counts + [("conflicts", .count)] + Self.steps + [("children", Self.texts)]
            return Self.object(["context", "expires", "hasChanges"], JSONObject(properties))
        case .pending:
            let properties = JSONObject(Self.counts + Self.steps)
            return Self.object(properties.names, properties)
        case .refresh: return Self.optional([("ids", Self.texts), ("mergeChanges", ["type": "boolean"])])
        case .contextChanges:
            let properties: JSONObject = [
                "_id": "string", "_version": "integer", "conflict": "string",
                "properties": ["type": "object", "additionalProperties": reference(.anyObject)],
            ]
            let change = Self.object(["_id", "_version", "properties"], properties)
            let changes: JSONObject = [
                "inserted": .list(of: reference(.anyObject)), "updated": .list(of: change), "deleted": Self.texts,
            ]
            return Self.object(changes.names, changes)
        case .history:
            let kinds: JSONValue = ["type": "string", "enum": ["inserted", "updated", "deleted"]]
            let change = Self.object(
                ["_id", "_entity", "change"],
                [
                    "_id": "string", "_entity": "string", "change": kinds,
                    "properties": .list(of: ["type": "string"]).orNull.described(
                        "The changed properties; null if unknown."
                    ),
                    "tombstone": ["type": "object"],
                ]
            )
            let transaction = Self.object(
                ["token", "time", "author", "context", "changes"],
                [
                    "token": "string", "time": Self.time, "author": Self.textOrNull, "context": Self.textOrNull,
                    "changes": .list(of: change),
                    "more": ["type": "boolean", "description": "Whether further changes of the transaction follow."],
                ]
            )
            let properties: JSONObject = [
                "transactions": .list(of: transaction), "token": Self.text("The position behind the answer."),
                "more": "boolean",
            ]
            return Self.object(properties.names, properties, "What saves and batches have changed.")
        case .historyPosition:
            return Self.object(["token"], ["token": Self.text("What follows it is kept.")]).closed
        case .fetch: return fetchSchema
        case .int16Increment: return increment(of: .int16)
        case .int32Increment: return increment(of: .int32)
        case .int64Increment: return increment(of: .int64)
        case .floatIncrement: return increment(of: .float)
        case .doubleIncrement: return increment(of: .double)
        case .deleteOperation, .transaction, .transactionAnswer: return nil
        }
    }

    // MARK: Editing contexts

    private static let counts: [(String, JSONValue)] = [
        ("hasChanges", "boolean"), ("inserted", .count), ("updated", .count), ("deleted", .count),
    ]
    private static let steps: [(String, JSONValue)] = [("undo", .count), ("redo", .count)]
    private static let settings: [(String, JSONValue)] = [
        ("name", ["type": "string", "maxLength": .integer(ContextSettings.nameLimit)]),
        ("mergePolicy", ["type": "string", "enum": .array(Preferences.Merge.allCases.map { .string($0.rawValue) })]),
        ("automaticallyMergesChanges", ["type": "boolean"]), ("parent", ["type": "string"]),
    ]
    private static let time: JSONValue = ["type": "string", "format": "date-time"]
    private static let summary = [("context", "string")] + settings + [("created", time), ("expires", time)]

    /// The schema of a body whose members may all be omitted or null.
    private static func optional(_ members: [(String, JSONValue)]) -> JSONValue {
        object([], JSONObject(members.map { ($0, $1.orNull) })).closed
    }

    var contextList: JSONValue {
        let lost = Self.object(["context", "reason"], ["context": "string", "reason": "string"])
        return Self.object(["items"], ["items": .list(of: reference(.contextSummary)), "lost": .list(of: lost)])
    }

    var validation: JSONValue {
        Self.object(["valid", "errors"], ["valid": "boolean", "errors": .list(of: reference(.problemDetail))])
    }

    var savedContext: JSONValue {
        let ids: JSONValue = ["type": "object", "additionalProperties": ["type": "string"]]
        return Self.object(["ids"], ["ids": ids, "_changed": .list(of: reference(.change))])
    }
}
