// SPDX-License-Identifier: Apache-2.0

// The paths of the OpenAPI document, entity by entity.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

struct PathWriter {
    let description: ModelDescription
    private(set) var paths = JSONObject()
    var names = OperationNames()
    /// What paths begin with.
    private let base: String

    init(_ description: ModelDescription) {
        self.description = description
        base = description.isOfContext ? "" : "/api"
    }

    mutating func writeAll() {
        for resource in description.catalogue.resources { write(resource) }
        writeTransaction()
        if !description.isOfContext { writeQueryList() }
        writeQueries()
        guard !description.isOfContext else { return }
        writeContexts()
        writeServer()
    }

    /// An operation, as it is put together.
    struct Operation {
        var name: String
        var summary: String
        var tag: String
        var parameters: [JSONValue] = []
        var body: JSONValue?
        var responses: [(String, JSONValue)] = []
        /// What can go wrong besides what always can.
        var problems: [SharedResponse] = []
        /// Whether its answer is kept under an `Idempotency-Key`.
        var isRepeatable = false
    }

    mutating func add(_ path: String, _ methods: [(String, Operation)], parameters: [JSONValue] = []) {
        var item = JSONObject()
        if !parameters.isEmpty { item["parameters"] = .array(parameters) }
        for (method, operation) in methods { item[method] = operation.json(besides: problems(of: method)) }
        paths[path] = .object(item)
    }

    /// What goes wrong with any request of a method: a page of another site may not send it. Below an editing context, that has
    /// ended, what is asked for is more than it can hold, or its file can't be written.
    private func problems(of method: String) -> [SharedResponse] {
        let crossSite: [SharedResponse] = method == "get" ? [] : [.crossSite]
        guard description.isOfContext else { return crossSite }
        return crossSite + [.gone, .tooLarge] + (method == "get" ? [] : [.full])
    }

    // MARK: Entities

    private mutating func write(_ resource: Resource) {
        let path = base + "/" + RequestTarget.encode(segment: resource.path)
        let entity = resource.entity.name
        writeCollection(resource, path)
        add(
            path + "/fetch",
            [
                (
                    "post",
                    Operation(
                        name: names.name("fetch", entity, "ByBody"),
                        summary: "Fetch objects, with the options in a body",
                        tag: entity,
                        body: Self.json(description.reference(resource, .fetch)),
                        responses: [("200", fetched(resource))],
                        problems: Self.bodyProblems
                    )
                )
            ]
        )
        writeBatches(resource, path)
        writeObject(resource, path)
        for property in description.described(resource) { write(property, of: resource, path) }
    }

    private mutating func writeCollection(_ resource: Resource, _ path: String) {
        let entity = resource.entity.name
        var methods = [
            (
                "get",
                Operation(
                    name: names.name("fetch", entity),
                    summary: "Fetch objects",
                    tag: entity,
                    parameters: description.fetchParameters(of: resource),
                    responses: [("200", fetched(resource)), ("304", Self.unchanged)]
                )
            )
        ]
        if !resource.entity.isAbstract {
            let one = description.reference(resource, .create)
            let others = description.newObjects(below: resource)
            let several = JSONValue.list(of: .any(of: [one] + others))
            methods.append(
                (
                    "post",
                    Operation(
                        name: names.name("create", entity),
                        summary: "Create an object, or several in one save",
                        tag: entity,
                        parameters: [ModelDescription.parameter(.dryRun), ModelDescription.parameter(.prefer)],
                        body: Self.json(.any(of: [one] + others + [several])),
                        responses: [
                            ("200", written(resource)), ("201", created(resource, path)), ("204", Self.nothing),
                        ],
                        problems: Self.bodyProblems + [.conflict],
                        isRepeatable: true
                    )
                )
            )
        }
        add(path, methods)
    }

    private mutating func writeBatches(_ resource: Resource, _ path: String) {
        let entity = resource.entity.name
        let answer: [(String, JSONValue)] = [("200", Self.answer(description.reference(.batch), "What was done"))]
        func operation(_ name: String, _ summary: String, _ body: JSONValue) -> Operation {
            Operation(
                name: name,
                summary: summary,
                tag: entity,
                parameters: [ModelDescription.parameter(.dryRun)],
                body: body,
                responses: answer,
                problems: Self.bodyProblems + [.conflict],
                isRepeatable: true
            )
        }
        if !resource.entity.isAbstract {
            let rows: JSONValue = [
                "application/json": ["schema": .list(of: description.reference(resource, .row))],
                "application/x-ndjson": [
                    "schema": ["type": "string", "description": "A row a line, of any number."]
                ],
            ]
            var insert = operation(
                names.name("batchInsert", entity),
                description.isOfContext ? "Insert rows" : "Insert rows straight into the store",
                ["required": true, "content": rows]
            )
            let chunk =
                description.isOfContext
                ? "Nothing is committed here; the rows are one change." : "Commits every so many rows."
            insert.parameters = [
                ModelDescription.query("chunk", JSONValue.count.with("minimum", 1), chunk),
                ModelDescription.query("max", .count, "How many rows there may be at most."),
                ModelDescription.parameter(.dryRun),
                ModelDescription.query("result", ["type": "string", "enum": ["count", "ids", "status"]]),
                ModelDescription.parameter(.prefer),
            ]
            if !description.isOfContext {
                let text = "New objects keep the numbers in `_id` that were never given to others."
                insert.parameters.append(ModelDescription.query(API.keepingParameter, ["type": "boolean"], text))
            }
            add(path + "/batch-insert", [("post", insert)])
        }
        let update = operation(
            names.name("batchUpdate", entity),
            description.isOfContext ? "Change many objects" : "Change objects straight in the store",
            Self.json(description.batchUpdateSchema(of: resource))
        )
        let delete = operation(
            names.name("batchDelete", entity),
            description.isOfContext ? "Delete many objects" : "Delete objects straight in the store",
            Self.json(description.batchDeleteSchema(of: resource))
        )
        add(path + "/batch-update", [("post", update)])
        add(path + "/batch-delete", [("post", delete)])
    }

    private mutating func writeObject(_ resource: Resource, _ path: String) {
        let entity = resource.entity.name
        let changing = [
            ModelDescription.parameter(.dryRun), ModelDescription.parameter(.ifMatch),
            ModelDescription.parameter(.prefer),
        ]
        func operation(_ verb: String, _ summary: String, _ bodies: [String: JSONValue]) -> Operation {
            Operation(
                name: names.name(verb, entity),
                summary: summary,
                tag: entity,
                parameters: changing,
                body: Self.body(bodies),
                responses: [("200", written(resource)), ("204", Self.nothing)],
                problems: [.notFound] + Self.bodyProblems + Self.changeProblems
            )
        }
        let get = Operation(
            name: names.name("get", entity),
            summary: "Read an object",
            tag: entity,
            parameters: description.selectionParameters(of: resource) + [
                ModelDescription.parameter(.ifNoneMatch), ModelDescription.parameter(.ifMatch),
            ],
            responses: [("200", shown(resource)), ("304", Self.unchanged)],
            problems: [.notFound, .preconditionFailed]
        )
        let (patch, replacement) = (description.reference(resource, .patch), description.reference(resource, .replace))
        let update = operation(
            "update",
            "Change an object by a merge patch",
            ["application/json": patch, "application/merge-patch+json": patch]
        )
        let replace = operation("replace", "Set all of an object", ["application/json": replacement])
        let delete = Operation(
            name: names.name("delete", entity),
            summary: "Delete an object by its delete rules",
            tag: entity,
            parameters: changing,
            responses: [
                ("200", Self.answer(description.reference(.closure), "What goes with it")), ("204", Self.nothing),
            ],
            problems: [.notFound, .unprocessable] + Self.changeProblems
        )
        add(
            path + "/{key}",
            [("get", get), ("patch", update), ("put", replace), ("delete", delete)],
            parameters: [ModelDescription.parameter(.key)]
        )
    }

    // MARK: Properties

    private mutating func write(_ property: ResourceProperty, of resource: Resource, _ path: String) {
        let path = "\(path)/{key}/\(RequestTarget.encode(segment: property.name))"
        switch property.property {
        case .attribute(let attribute) where attribute.type == .binary: writeBytes(property, of: resource, path)
        case .attribute: break
        case .relationship(let relationship): write(relationship, property, of: resource, path)
        case .fetched(let source):
            guard let entity = description.model.entity(named: source.property.fetchRequest.entityName) else { return }
            let destination = description.catalogue[entity]
            let get = Operation(
                name: names.name("get", resource.entity.name, property.name),
                summary: "Fetch what \(property.name) finds",
                tag: resource.entity.name,
                parameters: description.fetchParameters(of: destination),
                responses: [("200", fetched(destination)), ("304", Self.unchanged)],
                problems: [.notFound]
            )
            add(path, [("get", get)], parameters: [ModelDescription.parameter(.key)])
        }
    }

    private mutating func write(
        _ relationship: RelationshipDescription,
        _ property: ResourceProperty,
        of resource: Resource,
        _ path: String
    ) {
        let entity = resource.entity.name
        let destination = description.catalogue.destination(of: relationship)
        let changing = [
            ModelDescription.parameter(.dryRun), ModelDescription.parameter(.ifMatch),
            ModelDescription.parameter(.prefer),
        ]
        let get = Operation(
            name: names.name("get", entity, property.name),
            summary: "Traverse \(property.name)",
            tag: entity,
            parameters: relationship.isToMany
                ? description.fetchParameters(of: destination)
                : description.selectionParameters(of: destination) + [
                    ModelDescription.parameter(.ifNoneMatch), ModelDescription.parameter(.ifMatch),
                ],
            responses: [
                ("200", relationship.isToMany ? fetched(destination) : shown(destination)), ("304", Self.unchanged),
            ],
            problems: relationship.isToMany ? [.notFound] : [.notFound, .preconditionFailed]
        )
        func change(_ name: String, _ summary: String, _ body: JSONValue?) -> Operation {
            Operation(
                name: name,
                summary: summary,
                tag: entity,
                parameters: changing,
                body: body,
                responses: [("200", written(resource)), ("204", Self.nothing)],
                problems: (body == nil ? [.notFound, .unprocessable] : [.notFound] + Self.bodyProblems)
                    + Self.changeProblems
            )
        }
        let whole = relationship.isToMany ? description.members(of: relationship) : description.schema(of: relationship)
        var methods = [
            ("get", get),
            ("put", change(names.name("set", entity, property.name), "Set \(property.name)", Self.json(whole))),
        ]
        if relationship.isToMany {
            let member = description.reference(destination, .member, in: relationship)
            var add = change(
                names.name("add", entity, property.name),
                "Add to \(property.name)",
                Self.json(.any(of: [member, .list(of: member)]))
            )
            add.responses.append(("201", created(destination, nil)))
            add.isRepeatable = true
            methods.append(("post", add))
        }
        add(path, methods, parameters: [ModelDescription.parameter(.key)])
        guard relationship.isToMany else { return }
        var place = change(
            names.name("add", entity, property.name, "Member"),
            "Add one object to \(property.name)",
            nil
        )
        if relationship.isOrdered {
            place.parameters.append(ModelDescription.query("at", .count, "Its place in the order."))
        }
        let remove = change(
            names.name("remove", entity, property.name, "Member"),
            "Take one object out of \(property.name)",
            nil
        )
        let target = ModelDescription.parameter(
            "target",
            in: "path",
            description.key,
            "The other object's number."
        )
        add(
            path + "/{target}",
            [("put", place), ("delete", remove)],
            parameters: [ModelDescription.parameter(.key), target]
        )
    }

    private mutating func writeBytes(_ property: ResourceProperty, of resource: Resource, _ path: String) {
        let entity = resource.entity.name
        let type = property.attribute?.attribute.userInfo["contentType"] ?? "application/octet-stream"
        let bytes: JSONValue = ["type": "string", "format": "binary"]
        let content: JSONValue = .object(JSONObject([(type, .object(["schema": bytes]))]))
        let get = Operation(
            name: names.name("get", entity, property.name),
            summary: "The bytes of \(property.name)",
            tag: entity,
            parameters: [
                ModelDescription.parameter("Range", in: "header", ["type": "string"], "Such as `bytes=0-99`."),
                ModelDescription.parameter(.ifNoneMatch), ModelDescription.parameter(.ifMatch),
            ],
            responses: [
                ("200", ["description": "All bytes", "content": content]),
                ("206", ["description": "Parts of them", "content": content]), ("304", Self.unchanged),
            ],
            problems: [.notFound, .preconditionFailed, .range]
        )
        func change(_ verb: String, _ summary: String, _ body: JSONValue?) -> Operation {
            Operation(
                name: names.name(verb, entity, property.name),
                summary: summary,
                tag: entity,
                parameters: [ModelDescription.parameter(.ifMatch)],
                body: body,
                responses: [("204", Self.nothing)],
                problems: [.notFound, .preconditionFailed, .preconditionRequired, .unprocessable]
            )
        }
        let put = change(
            "set",
            "Set the bytes of \(property.name)",
            ["required": true, "content": ["application/octet-stream": ["schema": bytes]]]
        )
        let delete = change("delete", "Clear \(property.name)", nil)
        add(path, [("get", get), ("put", put), ("delete", delete)], parameters: [ModelDescription.parameter(.key)])
    }

    // MARK: What belongs to no entity

    private mutating func writeTransaction() {
        let transact = Operation(
            name: names.name("transact"),
            summary: "Several operations in one save",
            tag: "Transactions",
            parameters: [ModelDescription.parameter(.dryRun), ModelDescription.parameter(.prefer)],
            body: Self.json(description.reference(.transaction)),
            responses: [
                ("200", Self.answer(description.reference(.transactionAnswer), "What was done")), ("204", Self.nothing),
            ],
            problems: Self.bodyProblems + [.notFound, .conflict],
            isRepeatable: true
        )
        add(base + "/transaction", [("post", transact)])
    }

    private mutating func writeQueryList() {
        let list = Operation(
            name: names.name("listQueries"),
            summary: "The named queries of the model",
            tag: "Queries",
            responses: [("200", Self.answer(description.reference(.queries), "All queries"))]
        )
        add("/api/queries", [("get", list)])
    }

    private mutating func writeQueries() {
        for template in description.model.model.fetchRequestTemplates {
            guard let entity = description.model.entity(named: template.entityName) else { continue }
            let resource = description.catalogue[entity]
            let variables = template.variables
            let parameters = variables.map { name in
                ModelDescription.parameter(
                    name,
                    in: "query",
                    ["type": "string"],
                    "What $\(name) stands for.",
                    isRequired: true
                )
            }
            let run = Operation(
                name: names.name("query", template.name),
                summary: "Run \(template.name)",
                tag: "Queries",
                parameters: parameters + description.fetchParameters(of: resource, besides: variables),
                responses: [("200", fetched(resource)), ("304", Self.unchanged)]
            )
            add("\(base)/queries/\(RequestTarget.encode(segment: template.name))", [("get", run)])
        }
    }

    private mutating func writeServer() {
        let object = description.reference(.anyObject)
        let all: [(path: String, verb: String, summary: String, schema: JSONValue?)] = [
            ("/api", "getIndex", "What is here", object), ("/api/model", "getModel", "The model", object),
            ("/api/stats", "getStatistics", "Counters and timings", object),
            ("/openapi.json", "getOpenAPI", "This document", object),
            ("/problems", "listProblems", "What can go wrong", object), ("/healthz", "getHealth", "Alive", object),
            ("/readyz", "getReadiness", "Ready", object), ("/metrics", "getMetrics", "Counters for Prometheus", nil),
        ]
        for (path, verb, summary, schema) in all {
            let text: JSONValue = ["description": "Text", "content": ["text/plain": ["schema": ["type": "string"]]]]
            let get = Operation(
                name: names.name(verb),
                summary: summary,
                tag: "Server",
                responses: [("200", schema.map { Self.answer($0, summary) } ?? text)]
                    + (path == "/openapi.json" ? [("304", Self.unchanged)] : [])
            )
            add(path, [("get", get)])
        }
        writeChoice(
            "/schemas/{entity}",
            "getSchema",
            "JSON Schemas of an entity",
            "entity",
            description.entityNames,
            as: "application/schema+json"
        )
        writeChoice("/problems/{code}", "getProblem", "What a code means", "code", ProblemCode.all.map(\.description))
    }

    private mutating func writeChoice(
        _ path: String,
        _ verb: String,
        _ summary: String,
        _ name: String,
        _ all: [String],
        as type: String = "application/json"
    ) {
        let schema: JSONValue = ["type": "string", "enum": .array(all.map(JSONValue.string))]
        let get = Operation(
            name: names.name(verb),
            summary: summary,
            tag: "Server",
            responses: [("200", Self.answer(description.reference(.anyObject), summary, as: type))],
            problems: [.notFound]
        )
        add(path, [("get", get)], parameters: [ModelDescription.parameter(name, in: "path", schema)])
    }
}

extension ModelDescription {
    /// All names that entities have in paths.
    var entityNames: [String] { catalogue.names }
}

extension FetchRequestTemplate {
    /// The names of its predicate's variables, in their order.
    fileprivate var variables: [String] {
        predicate.flatMap { $0.isEmpty ? nil : try? ObjectPredicate(template: $0) }?.freeVariables.sorted() ?? []
    }
}
