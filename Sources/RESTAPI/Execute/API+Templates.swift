// SPDX-License-Identifier: Apache-2.0

// Lists the model's fetch request templates: `GET /api/queries`.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    /// All templates, with the types of their variables.
    var queries: JSONValue {
        let templates = catalogue.described.model.model.fetchRequestTemplates.compactMap(query)
        return .object(["items": .array(templates)])
    }

    private func query(_ template: FetchRequestTemplate) -> JSONValue? {
        let model = catalogue.described.model
        guard let entity = model.entity(named: template.entityName) else { return nil }
        let predicate = template.objectPredicate
        let variables = predicate.map { TemplateVariable.list($0, on: entity, in: model) } ?? []
        let path = "/api/queries/\(RequestTarget.encode(segment: template.name))"
        let parameters = variables.map { "\(RequestTarget.encode(queryValue: $0.name))=…" }.joined(separator: "&")
        return .object([
            "name": .string(template.name),
            "entity": .string(entity.name),
            "predicate": predicate.map { .string(PredicateReader.shown($0.description)) } ?? .null,
            "variables": .array(
                variables.map { variable in
                    .object([
                        "name": .string(variable.name), "type": .string(variable.typeName),
                        "isList": .bool(variable.end.isMany),
                    ])
                }
            ),
            "href": .string(variables.isEmpty ? path : "\(path)?\(parameters)"),
        ])
    }
}
