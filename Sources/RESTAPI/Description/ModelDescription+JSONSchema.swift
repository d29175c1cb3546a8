// SPDX-License-Identifier: Apache-2.0

// The JSON Schema documents of single entities.

import HTTPMessage
import JSON
import ObjectGraph

extension ModelDescription {
    /// A document that describes an entity's objects. `$defs` has all schemas that are needed for them and for changing
    /// them: `#/$defs/PostCreate` makes a Post.
    static func jsonSchema(of resource: Resource, in api: API) -> JSONValue {
        let description = ModelDescription(api, root: "#/$defs/")
        let resource = description.catalogue[resource.described]
        let all = JSONObject(description.schemas)
        let parts: [ComponentNames.Part] = [.object, .create, .replace, .patch]
        let named = parts.map { description.reference(resource, $0) }
        let needed = JSONValue.object(["$defs": .object(all)]).references(from: named)
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string("/schemas/\(RequestTarget.encode(segment: resource.entity.name))"),
            "title": .string(resource.entity.name), "$ref": .string("#/$defs/\(description.names[resource])"),
            "$defs": .object(
                JSONObject(
                    all.members.filter { needed.contains(description.root + $0.name) }.map { ($0.name, $0.value) }
                )
            ),
        ]
    }
}
