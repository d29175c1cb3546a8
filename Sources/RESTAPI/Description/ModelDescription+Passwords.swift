// SPDX-License-Identifier: Apache-2.0

import JSON
import ObjectGraph

extension ModelDescription {
    /// The password of an account, which those who administer set.
    func password(of resource: Resource) -> [(String, JSONValue)] {
        guard api.access == nil, let accounts = api.accounts, !isOfContext,
            accounts.kinds.contains(where: { $0.name == resource.entity.name })
        else { return [] }
        let schema: JSONValue = [
            "type": ["string", "null"], "minLength": .integer(AccountPasswords.minimumLength),
            "maxLength": .integer(AccountPasswords.maximumSize), "writeOnly": true,
            "description": "Another password. It is hashed, and ends the sessions of the account; null removes it.",
        ]
        return [(accounts.passwordMember, schema)]
    }
}
