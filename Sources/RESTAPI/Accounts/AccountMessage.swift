// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import JSON
import SourceText

/// A message that the owner of an account needs, such as by email. A webhook sends it.
package struct AccountMessage: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The token is for `POST /api/auth/reset/confirm`.
        case reset
        /// The token is for `POST /api/auth/verify`.
        case verify
    }

    package let kind: Kind
    /// The reference of the account's object, such as `users/7`.
    package let account: String
    /// The name that the account signs in with.
    package let name: String
    /// The secret to be sent. It is valid once.
    package let token: String
    package let expires: Date

    package init(kind: Kind, account: String, name: String, token: String, expires: Date) {
        self.kind = kind
        self.account = account
        self.name = name
        self.token = token
        self.expires = expires
    }
}

extension AccountMessage {
    /// The message as the webhook gets it.
    var body: [UInt8] {
        let json: JSONValue = [
            "kind": .string(kind.rawValue), "account": .string(account), "name": .string(name),
            "token": .string(token), "expires": expires.iso8601.map(JSONValue.string) ?? .null,
        ]
        return json.serializedBytes()
    }
}
