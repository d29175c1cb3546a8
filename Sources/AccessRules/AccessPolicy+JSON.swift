// SPDX-License-Identifier: Apache-2.0

// Rules in the format of access files.

import Identities
package import JSON
import ObjectModel
import Predicates

extension AccessPolicy {
    /// The roles and the rules, with the settings of identities that these name. It has no limits, and not where messages are sent
    /// and which tokens are accepted.
    package var json: JSONObject {
        var settings = JSONObject()
        if let accounts = identity.accounts { settings["accounts"] = .object(accounts.json) }
        if let role = identity.anonymousRole { settings["anonymous"] = .string(role) }
        return [
            "identity": .object(settings), "roles": roles.object { .object($0.json) },
            "rules": rules.object { .object($0.json) },
        ]
    }
}

extension AccountSettings {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["entity": .string(entity), "name": .string(name), "password": .string(password)]
        json["roles"] = roles.map(JSONValue.string)
        json["baseRole"] = baseRole.map(JSONValue.string)
        json["verified"] = verified.map(JSONValue.string)
        return json
    }
}

extension AccessRole {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        if administers { json["administers"] = true }
        if !extended.isEmpty { json["extends"] = .array(extended.map(JSONValue.string)) }
        return json
    }
}

extension EntityRules {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        for verb in AccessVerb.allCases {
            json[verb.rawValue] = verbs[verb]?.object { $0.json(for: verb) }
        }
        if !properties.isEmpty { json["properties"] = properties.object { .object($0.json) } }
        if !forced.isEmpty { json["set"] = forced.object(\.json) }
        return json
    }
}

extension AccessRule {
    fileprivate func json(for verb: AccessVerb) -> JSONValue {
        switch verb {
        case .read, .delete: existing.json
        case .create: resulting.json
        case .update where existing == resulting: existing.json
        case .update: ["where": existing.json, "check": resulting.json]
        }
    }
}

extension ObjectPredicate {
    fileprivate var json: JSONValue {
        if case .constant(let isPermitted) = self { return .bool(isPermitted) }
        return .string(description)
    }
}

extension PropertyRules {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json["read"] = readers.map { .array($0.map(JSONValue.string)) }
        json["write"] = writers.map { .array($0.map(JSONValue.string)) }
        return json
    }
}

extension ForcedValue {
    fileprivate var json: JSONValue {
        switch self {
        case .value(let value): value.json ?? .null
        case .user: .string("$\(AccessVariable.user)")
        case .claim(let steps): .string("$" + ([AccessVariable.claims] + steps).joined(separator: "."))
        case .now: .string("$\(AccessVariable.now)")
        }
    }
}

extension Dictionary where Key == String {
    /// The values by name, in the order of the names.
    fileprivate func object(_ json: (Value) -> JSONValue) -> JSONValue {
        .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }))
    }
}
