// SPDX-License-Identifier: Apache-2.0

// The parameters of requests.

import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// A parameter that many operations have, by its name among the components.
    enum SharedParameter: String, CaseIterable {
        case key, arg, offset, cursor, count, distinct, includeSubentities, includePending, explain, dryRun
        case ifMatch, ifNoneMatch, prefer, idempotencyKey
    }

    static func parameter(_ shared: SharedParameter) -> JSONValue {
        ["$ref": .string("#/components/parameters/\(shared.rawValue)")]
    }

    var sharedParameters: JSONObject {
        JSONObject(SharedParameter.allCases.map { ($0.rawValue, sharedParameter($0)) })
    }

    /// What objects are called in paths. In an editing context there are temporary names as well.
    var key: JSONValue {
        let number: JSONValue = ["type": "integer", "format": "int64", "minimum": 1]
        return isOfContext ? .any(of: [number, ["type": "string", "pattern": "^t[1-9][0-9]{0,8}$"]]) : number
    }

    private func sharedParameter(_ shared: SharedParameter) -> JSONValue {
        let (flag, text): (JSONValue, JSONValue) = (["type": "boolean"], ["type": "string"])
        let name = shared.rawValue
        return switch shared {
        case .key:
            Self.parameter("key", in: "path", key, "The object's number.")
        case .arg: Self.query(name, Self.list(text), "What the placeholders of predicates stand for, in their order.")
        case .offset: Self.query(name, .count, "How many objects to skip.")
        case .cursor: Self.query(name, text, "Where a page begins: comes from `next`.")
        case .count: Self.query(name, flag, "Adds `total`.")
        case .distinct: Self.query(name, flag, "Rows that differ, with `result=dictionary`.")
        case .includeSubentities: Self.query(name, flag, "Whether objects of entities below count; they do by default.")
        case .includePending: Self.query(name, flag, "Whether changes that aren't saved count, in an editing context.")
        case .explain: Self.query(name, flag, "Tells how the stores would do it, instead of doing it.")
        case .dryRun: Self.query(name, flag, "Validates and answers what would happen, and saves nothing.")
        case .ifMatch:
            Self.parameter(
                "If-Match",
                in: "header",
                Self.tags,
                "The ETag of the version that the change goes out from, or `*`."
            )
        case .ifNoneMatch: Self.parameter("If-None-Match", in: "header", Self.tags, "ETags of what the client has.")
        case .idempotencyKey:
            Self.parameter(
                "Idempotency-Key",
                in: "header",
                text.with("pattern", "^[!-~]{1,255}$"),
                "A new one for each new request; a repeat with it gets the first answer, and does nothing again."
            )
        case .prefer:
            Self.parameter(
                "Prefer",
                in: "header",
                text.with("examples", ["return=minimal", "return=changes", "merge=overwrite"]),
                "`return=minimal|representation|changes`; `merge=error|store|object|overwrite|rollback`."
            )
        }
    }

    private static let tags: JSONValue = [
        "type": "string", "pattern": #"^(?:\*|(?:W/)?"[!#-~]*"(?:, ?(?:W/)?"[!#-~]*")*)$"#,
        "examples": ["\"3\"", "*"],
    ]

    private static func list(_ items: JSONValue) -> JSONValue { .list(of: items) }

    static func parameter(
        _ name: String,
        in place: String,
        _ schema: JSONValue,
        _ text: String? = nil,
        isRequired: Bool = false
    ) -> JSONValue {
        let parameter: JSONValue = ["name": .string(name), "in": .string(place)]
        return parameter.with("required", isRequired || place == "path" ? true : nil).described(text)
            .with("schema", schema)
    }

    static func query(_ name: String, _ schema: JSONValue, _ text: String? = nil) -> JSONValue {
        parameter(name, in: "query", schema, text)
    }

    // MARK: Fetching

    /// What an object is read with.
    func selectionParameters(of resource: Resource) -> [JSONValue] {
        [selectParameter(resource), includeParameter(resource), Self.parameter(.arg)]
    }

    /// What objects are fetched with.
    func fetchParameters(of resource: Resource, besides taken: [String] = []) -> [JSONValue] {
        let text: JSONValue = ["type": "string"]
        let examples = Examples(described(resource))
        let fetch: [JSONValue] = [
            Self.query("where", text.with("examples", examples.predicates), "A predicate in the predicate format."),
            Self.parameter(.arg),
            Self.query("sort", text.with("examples", examples.orders), "Key paths, `-` for descending."),
            Self.query("limit", limit, "How many objects a page has."), Self.parameter(.offset),
            Self.parameter(.cursor), selectParameter(resource), includeParameter(resource), Self.parameter(.count),
            Self.query("result", results, "What comes: objects, references, their number, or rows of values."),
            Self.query(
                "group",
                text.with("examples", examples.paths),
                "What rows are grouped by, with `result=dictionary`."
            ),
            Self.query("aggregate", text.with("examples", ["n:count(_id)"]), "Aggregates of rows: `n:count(_id)`."),
            Self.query("having", text.with("examples", ["n > 1"]), "A predicate on groups."), Self.parameter(.distinct),
            Self.parameter(.includeSubentities), Self.parameter(.includePending), Self.parameter(.explain),
        ]
        let search = isSearched(resource) ? [Self.query("search", text, Self.searchText)] : []
        let reserved = Set(fetch.compactMap { $0["name"]?.string } + SharedParameter.allCases.map(\.rawValue) + taken)
        return fetch + search + conditions(on: resource, reserved) + [Self.parameter(.ifNoneMatch)]
    }

    /// Whether there is anything that a search could find.
    func isSearched(_ resource: Resource) -> Bool { searched.contains(resource.entity.index) }

    private static let searchText =
        "Words to be found, best match first: `core dat* OR \"object graph\" NOT swift`. With it `select` takes `_highlight`."

    private var limit: JSONValue {
        [
            "type": "integer", "minimum": 0, "maximum": .integer(api.options.maximumPageSize),
            "default": .integer(api.options.pageSize),
        ]
    }

    private var results: JSONValue {
        ["type": "string", "enum": ["objects", "ids", "count", "dictionary"], "default": "objects"]
    }

    private func selectParameter(_ resource: Resource) -> JSONValue {
        let schema: JSONValue = ["type": "string", "examples": Examples(described(resource)).paths]
        return Self.query("select", schema, "Key paths to return: `title,author.name`.")
    }

    private func includeParameter(_ resource: Resource) -> JSONValue {
        let schema: JSONValue = ["type": "string"]
        return Self.query(
            "include",
            schema.with("examples", Examples(described(resource)).relationships),
            "Relationships whose objects are embedded."
        )
    }

    /// Equality on attributes and relationships to one.
    private func conditions(on resource: Resource, _ reserved: Set<String>) -> [JSONValue] {
        described(resource).compactMap { property in
            guard !reserved.contains(property.name), property.name != "search" else { return nil }
            switch property.property {
            case .attribute(let attribute):
                guard let schema = Self.condition(on: attribute) else { return nil }
                return Self.query(property.name, Self.orEmpty(schema), "Objects with this \(property.name).")
            case .relationship(let relationship) where !relationship.isToMany:
                let schema = reference(catalogue.destination(of: relationship), .reference)
                return Self.query(property.name, Self.orEmpty(schema), "Objects whose \(property.name) this is.")
            case .relationship, .fetched: return nil
            }
        }
    }

    /// Where it isn't a text of any kind, an empty value is nil.
    private static func orEmpty(_ schema: JSONValue) -> JSONValue {
        schema == ["type": "string"] ? schema : ["anyOf": [schema, ["type": "string", "maxLength": 0]]]
    }

    private static func condition(on attribute: AttributeDescription) -> JSONValue? {
        switch attribute.type {
        // A whole number can be compared with any other.
        case .int16, .int32, .int64, .double, .float, .decimal: ["type": "number"]
        case .bool: ["type": "boolean"]
        case .string, .uri: ["type": "string"]
        case .date: ["type": "string", "format": "date-time"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .binary, .transformable, .composite, .objectID, .undefined: nil
        }
    }

    /// The body of `POST /api/{E}/fetch`.
    func fetchSchema(of resource: Resource) -> JSONValue {
        let paths: JSONValue = ["anyOf": [["type": ["string", "null"]], .list(of: ["type": "string"])]]
        let (text, flag): (JSONValue, JSONValue) = (["type": ["string", "null"]], ["type": ["boolean", "null"]])
        var properties: JSONObject = [
            "where": text, "args": JSONValue.list(of: [:]).orNull, "vars": ["type": ["object", "null"]], "sort": paths,
            "limit": limit.orNull, "offset": JSONValue.count.orNull, "cursor": text, "select": paths, "include": paths,
            "count": flag, "result": ["enum": ["objects", "ids", "count", "dictionary", nil]], "group": paths,
            "aggregate": paths, "having": text, "distinct": flag, "includeSubentities": flag, "includePending": flag,
            "explain": flag,
        ]
        if isSearched(resource) { properties["search"] = text.described(Self.searchText) }
        let one: JSONValue = ["type": ["string", "number", "boolean", "null"]]
        let either: JSONValue = ["anyOf": [one, .list(of: one)]]
        for property in described(resource) where properties[property.name] == nil && property.name != "search" {
            switch property.property {
            case .attribute(let attribute) where Self.condition(on: attribute) != nil:
                properties[property.name] = either.described(
                    "Objects with this \(property.name), or with one of a list."
                )
            case .relationship(let relationship) where !relationship.isToMany:
                properties[property.name] = either.described(
                    "Objects whose \(property.name) this is, or one of a list."
                )
            default: break
            }
        }
        // Any key path may be a condition.
        return JSONValue.schema("object", properties, "The parameters of a fetch; key paths are conditions.")
    }

    /// Something to try parameters with.
    private struct Examples {
        var predicates: JSONValue = []
        var orders: JSONValue = []
        var paths: JSONValue = []
        var relationships: JSONValue = []

        init(_ properties: [ResourceProperty]) {
            let simple = properties.first { property in
                guard let type = property.attribute?.type else { return false }
                return type == .string || type.isNumber
            }
            if let simple {
                predicates = [.string("#\(simple.name) != nil")]
                (orders, paths) = ([.string("-\(simple.name)")], [.string(simple.name)])
            }
            let relationships = properties.filter { $0.relationship != nil }.map { JSONValue.string($0.name) }
            self.relationships = .array(Array(relationships.prefix(2)))
        }
    }
}
