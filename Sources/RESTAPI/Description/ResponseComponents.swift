// SPDX-License-Identifier: Apache-2.0

// The responses that operations of the OpenAPI document share.

import JSON

struct ResponseComponents {
    /// The responses by name.
    private(set) var all = JSONObject()

    /// A reference to a response. A different one with the same name gets a number behind it.
    mutating func reference(to response: JSONValue, named name: String) -> JSONValue {
        var candidate = name
        var number = 1
        while let other = all[candidate], other != response {
            number += 1
            candidate = "\(name)\(number)"
        }
        all[candidate] = response
        return ["$ref": .string("#/components/responses/\(candidate)")]
    }
}
