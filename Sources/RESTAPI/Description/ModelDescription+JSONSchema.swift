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
        var names = parts.map { description.names[resource, $0] }.filter { all[$0] != nil }
        var needed = Set(names)
        while let name = names.popLast() {
            for other in references(in: all[name] ?? .null) where needed.insert(other).inserted { names.append(other) }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string("/schemas/\(RequestTarget.encode(segment: resource.entity.name))"),
            "title": .string(resource.entity.name), "$ref": .string("#/$defs/\(description.names[resource])"),
            "$defs": .object(
                JSONObject(all.members.filter { needed.contains($0.name) }.map { ($0.name, $0.value) })
            ),
        ]
    }

    private static func references(in schema: JSONValue) -> [String] {
        switch schema.kind {
        case .array(let members): return members.flatMap(references)
        case .object(let object):
            let own = object["$ref"]?.string.map { [String($0.split(separator: "/").last ?? "")] } ?? []
            return own + object.members.flatMap { references(in: $0.value) }
        default: return []
        }
    }
}
