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
    /// The URI of its account's object, or nil. It has the roles of that object, too.
    package var account: String?
    /// What the credential says that tells its sender from all others, now and later: unlike the name, no other sender gets it.
    /// Nil if there is no such thing.
    package var subject: String?
    /// Whether refusals say which rules decided: for administrators that act as this identity.
    var isExplained = false
    /// Whether the request has no credential.
    private(set) var isAnonymous = false

    /// Whose drafts and limits are those of the identity; nil if its sender can't be told from others.
    package var owner: String? { account.map { "account:\($0)" } ?? subject }

    package init(
        name: String,
        roles: Set<String>,
        grants: [String: Set<AccessVerb>] = [:],
        claims: JSONObject = JSONObject(),
        account: String? = nil,
        subject: String? = nil
    ) {
        self.name = name
        self.roles = roles
        self.grants = grants
        self.claims = claims
        self.account = account
        self.subject = subject
    }

    /// The identity of requests without a credential.
    static func anonymous(_ role: String?) -> Identity {
        var identity = Identity(name: "anonymous", roles: Set([role].compactMap(\.self)))
        identity.isAnonymous = true
        return identity
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
