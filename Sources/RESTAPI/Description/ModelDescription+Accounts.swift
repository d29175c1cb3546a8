// SPDX-License-Identifier: Apache-2.0

// Schemas of accounts and their passwords.

import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// The password of an account, which those who administer set.
    func password(of resource: Resource) -> [(String, JSONValue)] {
        guard api.access == nil, let accounts = api.accounts, !isOfContext,
            accounts.kinds.contains(where: { $0.name == resource.entity.name })
        else { return [] }
        let text = "Another password. It is hashed, and ends the sessions of the account; null removes it."
        return [(accounts.passwordMember, Self.newPassword.orNull.described(text))]
    }

    /// A sign-up: a new object of the account's entity, whose name and password are members of their own.
    var signUp: JSONValue {
        guard let accounts = api.accounts, let entity = model.entity(named: accounts.entity.name) else {
            return ["type": "object"]
        }
        let resource = catalogue[entity]
        let ownName = ResourceProperty.name(of: accounts.name.name)
        let others = resource.properties.filter { property in
            ![ownName, accounts.passwordMember, "password"].contains(property.name)
                && permitsWriting(property.property.name, of: resource)
        }
        let attributes = others.compactMap(\.attribute).filter(\.isWritten)
        let relationships = others.compactMap(\.relationship)
        let neededRelationships = relationships.filter {
            !$0.relationship.isOptional && !isForced($0.name, of: resource)
        }
        let needed = needed(attributes, of: resource) + neededRelationships.map { ResourceProperty.name(of: $0.name) }
        // The entity may have another property called `name`.
        let names = ownName == "name" || others.contains { $0.name == "name" } ? [ownName] : ["name", ownName]
        let kind: JSONValue = hasSubentities(resource) ? ["type": "string"] : entityName(of: resource)
        var members: JSONObject = ["_entity": kind, "password": Self.newPassword]
        for name in names { members[name] = ["type": "string", "minLength": 1] }
        for (name, schema) in self.attributes(attributes, for: .whole) { members[name] = schema }
        for relationship in relationships {
            members[ResourceProperty.name(of: relationship.name)] = schema(of: relationship)
        }
        let required = (names.count == 1 ? names : []) + ["password"] + (entity.isAbstract ? ["_entity"] : []) + needed
        var schema = JSONValue.schema("object", required: required, members)
        if names.count > 1 { schema = schema.with("oneOf", .array(names.map { ["required": [.string($0)]] })) }
        // A subentity may have further properties.
        return hasSubentities(resource) ? schema : schema.closed
    }

    private static let newPassword: JSONValue = [
        "type": "string", "minLength": .integer(AccountPasswords.minimumLength),
        "maxLength": .integer(AccountPasswords.maximumSize), "writeOnly": true,
    ]
}
