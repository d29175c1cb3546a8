// SPDX-License-Identifier: Apache-2.0

// All names of members in access files. A test compares them with `docs/access.schema.json`.

import Identities
import SourceText

/// The names that an object of an access file may have.
package struct AccessKeys: Sendable {
    /// The object's name in the schema's `$defs`.
    package let object: String
    package let keys: [String]

    static let file = AccessKeys(object: "file", keys: ["$schema", "identity", "roles", "rules", "limits"])
    static let identity = AccessKeys(object: "identity", keys: ["accounts", "jwt", "certificates", "anonymous"])
    static let accounts = AccessKeys(
        object: "accounts",
        keys: ["entity", "name", "password", "roles", "baseRole", "verified", "messages"]
    )
    static let messages = AccessKeys(
        object: "messages",
        keys: ["url", "secret", "resetLifetime", "verifyLifetime"]
    )
    static let secret = AccessKeys(object: "secret", keys: ["file", "variable"])
    static let tokens = AccessKeys(
        object: "jwt",
        keys: ["algorithms", "keys", "issuer", "audience", "roles", "user", "leeway"]
    )
    static let role = AccessKeys(object: "role", keys: ["extends", "administers"])
    static let limit = AccessKeys(object: "limit", keys: ["requests", "burst", "drafts", "live", "rows", "bytes"])
    static let entity = AccessKeys(
        object: "entity",
        keys: AccessVerb.allCases.map(\.rawValue) + ["properties", "set"]
    )
    static let property = AccessKeys(object: "property", keys: ["read", "write"])
    static let existing = AccessKeys(object: "existingRule", keys: ["where"])
    static let creation = AccessKeys(object: "creationRule", keys: ["check"])
    static let update = AccessKeys(object: "updateRule", keys: ["where", "check"])

    /// The verbs by their names in other files of rules.
    private static let familiarVerbs: [String: [AccessVerb]] = [
        "get": [.read], "list": [.read], "view": [.read], "select": [.read],
        "insert": [.create], "add": [.create], "post": [.create],
        "edit": [.update], "change": [.update], "patch": [.update], "put": [.update],
        "write": [.create, .update],
        "remove": [.delete],
    ]

    /// A suggestion for a name that isn't here.
    func hint(for name: String) -> String? {
        if object == Self.entity.object, let verbs = Self.familiarVerbs[name.lowercased()] {
            return "Did you mean \(verbs.map { "“\($0.rawValue)”" }.joined(separator: " or "))?"
        }
        return Spelling.hint(for: name, among: keys)
    }

    package static let all = [
        file, identity, accounts, messages, secret, tokens, role, limit, entity, property, existing, creation, update,
    ]
}
