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
            property.name != ownName && property.name != accounts.passwordMember
                && permitsWriting(property.property.name, of: resource)
        }
        let attributes = others.compactMap(\.attribute).filter(\.isWritten)
        let relationships = others.compactMap(\.relationship)
        let neededRelationships = relationships.filter {
            !$0.relationship.isOptional && !isForced($0.name, of: resource)
        }
        let needed = needed(attributes, of: resource) + neededRelationships.map { ResourceProperty.name(of: $0.name) }
        // The entity may have another property called `name`.
        let name = others.contains { $0.name == "name" } ? ownName : "name"
        var members: JSONObject = ["password": Self.newPassword]
        members[name] = ["type": "string", "minLength": 1]
        for (name, schema) in self.attributes(attributes, for: .whole) { members[name] = schema }
        for relationship in relationships {
            members[ResourceProperty.name(of: relationship.name)] = schema(of: relationship)
        }
        return JSONValue.schema("object", required: [name, "password"] + needed, members).closed
    }

    private static let newPassword: JSONValue = [
        "type": "string", "minLength": .integer(AccountPasswords.minimumLength),
        "maxLength": .integer(AccountPasswords.maximumSize), "writeOnly": true,
    ]
}
