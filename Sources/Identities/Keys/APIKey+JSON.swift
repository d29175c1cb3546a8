// SPDX-License-Identifier: Apache-2.0

// Keys in a file.

import FoundationEssentials
import JSON
import SourceText

extension APIKey {
    /// The key as its file has it.
    var json: JSONValue {
        var object: JSONObject = ["id": .string(id)]
        object["name"] = name.map(JSONValue.string)
        object["roles"] = .array(roles.map(JSONValue.string))
        if !grants.isEmpty {
            object["grants"] = .object(
                JSONObject(
                    grants.sorted { $0.key < $1.key }.map { entity, verbs in
                        (entity, .array(AccessVerb.sorted(verbs).map { .string($0.rawValue) }))
                    }
                )
            )
        }
        object["created"] = DateText.text(created).map(JSONValue.string)
        object["expires"] = expires.flatMap(DateText.text).map(JSONValue.string)
        object["lastUse"] = lastUse.flatMap(DateText.text).map(JSONValue.string)
        object["sha256"] = .string(Base16.encode(hash))
        return .object(object)
    }
}
