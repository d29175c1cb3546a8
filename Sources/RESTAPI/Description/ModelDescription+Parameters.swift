// SPDX-License-Identifier: Apache-2.0

// Descriptions of parameters.

import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    typealias Parameter = Contract.Parameter

    /// The parameters that operations share.
    var sharedParameters: JSONObject {
        JSONObject(
            Parameter.components.compactMap { parameter in parameter.component.map { ($0, json(of: parameter)) } }
        )
    }

    /// The parameters that a declared one becomes at a place: one, several, or none.
    func parameters(_ parameter: Parameter, at place: PathBindings) -> [JSONValue] {
        switch parameter.form {
        case .words where place.shown.map(isSearched) != true: []
        case _ where parameter.isExcludedFromContexts && isOfContext: []
        case _ where parameter.name == "includePending" && !isOfContext: []
        case _ where parameter.name == "includeSubentities" && place.shown.map(hasSubentities) == false: []
        case .variables:
            place.variables.map { name in
                let variable = Parameter(name, .text, "The value of $\(name).")
                return json(of: variable, isRequired: true)
            }
        // Other places of the entity's objects accept the same.
        case .conditions where place.property != nil: []
        case .conditions:
            (place.shown.map(conditions) ?? []).filter { condition in
                !place.variables.contains(condition.name) && !FetchPlan.parameters.contains(condition.name)
            }.map { json(of: Parameter($0.name, .schema($0.schema))) }
        case .undescribed: []
        case .index where place.property?.relationship?.isOrdered != true: []
        default: [parameter.component.map(Self.reference) ?? json(of: parameter)]
        }
    }

    private static func reference(_ component: String) -> JSONValue {
        ["$ref": .string("#/components/parameters/\(component)")]
    }

    /// The part of a text before the bar, or after it in an editing context's document.
    func part(of text: String) -> String {
        let parts = text.split(separator: " | ")
        return String(isOfContext ? parts[parts.count - 1] : parts[0])
    }

    private func json(of parameter: Parameter, isRequired: Bool = false) -> JSONValue {
        let json: JSONValue = ["name": .string(parameter.name), "in": .string(parameter.place.rawValue)]
        let schema = schema(of: parameter.form)
            .with("examples", parameter.examples.isNull ? .none : .some(parameter.examples))
        return json.with("required", isRequired || parameter.place == .path ? .some(true) : .none)
            .described(parameter.text.map(part))
            .with("schema", schema)
    }

    private func schema(of form: Parameter.Form) -> JSONValue {
        switch form {
        case .text, .words, .paths: ["type": "string"]
        case .flag: ["type": "boolean"]
        // A greater number is like the greatest possible one.
        case .count, .index: ["type": "integer", "minimum": 0]
        case .limit:
            [
                "type": "integer", "minimum": 0, "maximum": .integer(api.options.maximumPageSize),
                "default": .integer(api.options.pageSize),
            ]
        case .result: ["type": "string", "enum": .array(Self.results), "default": "objects"]
        case .key: key
        case .schema(let schema): schema
        case .variables, .conditions, .undescribed: [:]
        }
    }

    private static let results = FetchPlan.Result.allCases.map { JSONValue.string($0.rawValue) }

    /// The key of an object in paths. Editing contexts have temporary names as well.
    private var key: JSONValue {
        let number: JSONValue = ["type": "integer", "format": "int64", "minimum": 1]
        return isOfContext ? .any(of: [number, ["type": "string", "pattern": "^t[1-9][0-9]{0,8}$"]]) : number
    }

    /// Whether a search could find anything.
    func isSearched(_ resource: Resource) -> Bool { searched.contains(resource.entity.index) }

    // MARK: Conditions

    /// Conditions on attributes and to-one relationships.
    private func conditions(on resource: Resource) -> [(name: String, schema: JSONValue)] {
        described(resource).compactMap { property in
            let name = property.name
            switch property.property {
            case .attribute(let attribute):
                guard let schema = Self.condition(on: attribute) else { return nil }
                return (name, Self.orEmpty(schema))
            case .relationship(let relationship) where !relationship.isToMany:
                let schema = Self.orEmpty(reference(catalogue.destination(of: relationship), .reference))
                return (name, schema)
            case .relationship, .fetched: return nil
            }
        }
    }

    /// An empty value is nil, except for types that are text.
    private static func orEmpty(_ schema: JSONValue) -> JSONValue {
        schema == ["type": "string"] ? schema : ["anyOf": [schema, ["type": "string", "maxLength": 0]]]
    }

    private static func condition(on attribute: AttributeDescription) -> JSONValue? {
        switch attribute.type {
        // A whole number can be compared with any number.
        case .int16, .int32, .int64, .double, .float, .decimal: ["type": "number"]
        case .bool: ["type": "boolean"]
        case .string, .uri: ["type": "string"]
        case .date: ["type": "string", "format": "date-time"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .binary, .transformable, .composite, .objectID, .undefined: nil
        }
    }

    // MARK: Bodies

    /// The body of `POST /api/{E}/fetch`.
    var fetchSchema: JSONValue {
        var properties = JSONObject()
        for parameter in Parameter.fetch {
            if parameter.name == "arg" {
                properties["args"] = JSONValue.list(of: [:]).orNull
                properties["vars"] = ["type": ["object", "null"]]
            } else {
                properties[parameter.name] = bodySchema(of: parameter)
            }
        }
        // Any key path may be a condition.
        return JSONValue.schema(
            "object",
            properties,
            "The parameters of a fetch. Other members are conditions: a key path with a value, or a list of values."
        )
    }

    private func bodySchema(of parameter: Parameter) -> JSONValue {
        switch parameter.form {
        case .paths: ["anyOf": [["type": ["string", "null"]], .list(of: ["type": "string"])]]
        case .result: ["enum": .array(Self.results + [nil])]
        case .words: schema(of: .words).orNull.described(parameter.text)
        default: schema(of: parameter.form).orNull
        }
    }
}
