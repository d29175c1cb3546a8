// SPDX-License-Identifier: Apache-2.0

// The paths of editing contexts. What is below one is described by a document of its own.

import HTTPMessage
import JSON

extension PathWriter {
    mutating func writeContexts() {
        let status = description.reference(.context)
        let list = operation(
            "listContexts",
            "The editing contexts that are open",
            answer: .list(items: description.reference(.contextSummary))
        )
        var open = operation(
            "openContext",
            "Open an editing context: a draft of any part of the graph",
            [.tooLarge, .mediaType, .notFound, .gone, .unprocessable]
        )
        open.body = Self.optional(description.reference(.contextSettings))
        open.responses = [("201", Self.answer(status, "It is open"))]
        open.isRepeatable = true
        add("/api/contexts", [("get", list), ("post", open)])
        let get = operation("getContext", "How much is pending, and until when it is open", Self.absent, answer: status)
        var end = operation("endContext", "End an editing context, and those below it", Self.absent)
        end.responses = [("204", Self.nothing)]
        addBelow("", [("get", get), ("delete", end)])
        let changes = operation(
            "getContextChanges",
            "What is pending in an editing context",
            Self.absent,
            answer: description.reference(.contextChanges)
        )
        addBelow("/changes", [("get", changes)])
        let document = operation(
            "getContextDocument",
            "The OpenAPI document of what is below an editing context",
            Self.absent,
            answer: description.reference(.anyObject)
        )
        addBelow("/openapi.json", [("get", document)])
        var events = operation("getContextEvents", "What others do, as it happens", Self.absent)
        events.responses = [
            (
                "200",
                [
                    "description": "Server-Sent Events of the kind `merge`",
                    "content": ["text/event-stream": ["schema": ["type": "string"]]],
                ]
            )
        ]
        addBelow("/events", [("get", events)])
        writeActions()
    }

    private mutating func writeActions() {
        let counts = description.reference(.pending)
        let problems = Self.absent + [.tooLarge, .mediaType, .unprocessable]
        let validate = operation(
            "validateContext",
            "What a save would find wrong",
            problems,
            answer: .schema(
                "object",
                required: ["valid", "errors"],
                ["valid": ["type": "boolean"], "errors": .list(of: description.reference(.problemDetail))]
            )
        )
        addBelow("/validate", [("post", validate)])
        var save = operation(
            "saveContext",
            "Save into the stores, or into the parent",
            problems + [.conflict, .full],
            answer: .schema(
                "object",
                required: ["ids"],
                [
                    "ids": ["type": "object", "additionalProperties": ["type": "string"]],
                    "_changed": .list(of: description.reference(.change)),
                ]
            )
        )
        save.parameters = [ModelDescription.parameter(.prefer)]
        save.isRepeatable = true
        addBelow("/save", [("post", save)])
        for (action, summary) in [
            ("undo", "Take the last request back"), ("redo", "Do again what was taken back"),
            ("rollback", "Give up what is pending"), ("reset", "Forget everything"),
        ] {
            var step = operation("\(action)Context", summary, problems, answer: counts)
            step.isRepeatable = true
            addBelow("/\(action)", [("post", step)])
        }
        var refresh = operation("refreshContext", "Read objects anew, or all", problems, answer: counts)
        refresh.body = Self.optional(description.reference(.refresh))
        refresh.isRepeatable = true
        addBelow("/refresh", [("post", refresh)])
    }

    private static let absent: [SharedResponse] = [.notFound, .gone]

    private static func optional(_ schema: JSONValue) -> JSONValue {
        ["required": false, "content": ["application/json": ["schema": schema]]]
    }

    private mutating func addBelow(_ path: String, _ methods: [(String, Operation)]) {
        let context = ModelDescription.parameter(
            "context",
            in: "path",
            ["type": "string", "pattern": "^c[1-9][0-9]*$"],
            "The context's name, as `c1`."
        )
        add("/api/contexts/{context}\(path)", methods, parameters: [context])
    }

    private mutating func operation(
        _ name: String,
        _ summary: String,
        _ problems: [SharedResponse] = [],
        answer: JSONValue? = nil
    ) -> Operation {
        Operation(
            name: names.name(name),
            summary: summary,
            tag: "Editing contexts",
            responses: answer.map { [("200", Self.answer($0, summary))] } ?? [],
            problems: problems
        )
    }
}

extension JSONValue {
    fileprivate static func list(items: JSONValue) -> JSONValue {
        let lost: JSONValue = .schema(
            "object",
            required: ["context", "reason"],
            ["context": "string", "reason": "string"]
        )
        return .schema("object", required: ["items"], ["items": .list(of: items), "lost": .list(of: lost)])
    }
}

extension ModelDescription {
    /// The schemas of editing contexts.
    var contextSchemas: [(SharedSchema, JSONValue)] {
        let flag: JSONValue = ["type": "boolean"]
        let policy: JSONValue = [
            "type": "string", "enum": .array(Preferences.Merge.allCases.map { .string($0.rawValue) }),
        ]
        let counts: [(String, JSONValue)] = [
            ("hasChanges", flag), ("inserted", .count), ("updated", .count), ("deleted", .count),
        ]
        let steps: [(String, JSONValue)] = [("undo", .count), ("redo", .count)]
        let name: JSONValue = ["type": "string", "maxLength": .integer(ContextSettings.nameLimit)]
        let settings: [(String, JSONValue)] = [
            ("name", name), ("mergePolicy", policy), ("automaticallyMergesChanges", flag), ("parent", "string"),
        ]
        let refresh: [(String, JSONValue)] = [("ids", .list(of: ["type": "string"])), ("mergeChanges", flag)]
        let date: JSONValue = ["type": "string", "format": "date-time"]
        let summary = [("context", "string")] + settings + [("created", date), ("expires", date)]
        let context =
            summary + counts + [("conflicts", .count)] + steps + [("children", .list(of: ["type": "string"]))]
        let change: JSONValue = .schema(
            "object",
            required: ["_id", "_version", "properties"],
            [
                "_id": "string", "_version": "integer", "conflict": "string",
                "properties": ["type": "object", "additionalProperties": reference(.anyObject)],
            ]
        )
        return [
            (.contextSettings, Self.optionalObject(settings)),
            (.contextSummary, Self.object(summary, required: ["context", "expires"])),
            (.context, Self.object(context, required: ["context", "expires", "hasChanges"])),
            (.pending, Self.object(counts + steps, required: (counts + steps).map(\.0))),
            (.refresh, Self.optionalObject(refresh)),
            (
                .contextChanges,
                .schema(
                    "object",
                    required: ["inserted", "updated", "deleted"],
                    [
                        "inserted": .list(of: reference(.anyObject)), "updated": .list(of: change),
                        "deleted": .list(of: ["type": "string"]),
                    ]
                )
            ),
        ]
    }

    /// The schema of a body of which every member can be left out, or be null.
    private static func optionalObject(_ members: [(String, JSONValue)]) -> JSONValue {
        object(members.map { name, type in (name, (type.string.map { ["type": .string($0)] } ?? type).orNull) }).closed
    }

    private static func object(_ members: [(String, JSONValue)], required: [String] = []) -> JSONValue {
        var schema: JSONObject = ["type": "object"]
        if !required.isEmpty { schema["required"] = .array(required.map(JSONValue.string)) }
        schema["properties"] = .object(
            JSONObject(members.map { name, type in (name, type.string.map { ["type": .string($0)] } ?? type) })
        )
        return .object(schema)
    }
}
