// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
package import Identities
package import JSON
import ObjectGraph

/// What a credential says about the sender of requests.
package struct Identity: Hashable, Sendable {
    /// A name for logs and the history.
    package var name: String
    /// The names of its roles, without those that they extend.
    package var roles: Set<String>
    /// What it may do besides its roles, by the name of the entity.
    package var grants: [String: Set<AccessVerb>]
    /// The claims of its token.
    package var claims: JSONObject

    package init(
        name: String,
        roles: Set<String>,
        grants: [String: Set<AccessVerb>] = [:],
        claims: JSONObject = JSONObject()
    ) {
        self.name = name
        self.roles = roles
        self.grants = grants
        self.claims = claims
    }
}

/// Finds the identity of a request by its credential.
package protocol Authenticator: Sendable {
    /// Returns nil for a request without a credential. It is called on event loops, so it must not block.
    func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity?
}

/// Why a credential isn't accepted.
package struct InvalidCredential: Error, Sendable {
    /// The reason for the log. Clients aren't told.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
