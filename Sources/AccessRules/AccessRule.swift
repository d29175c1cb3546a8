// SPDX-License-Identifier: Apache-2.0

package import Predicates

/// When a role may do something with an object of an entity.
///
/// Conditions see all objects, hidden ones too. They may have the variables of `AccessVariable`.
package struct AccessRule: Hashable, Sendable {
    /// The condition on the object as it is; always true for a creation.
    package var existing: ObjectPredicate
    /// The condition on the object as it will be; always true for reading and deleting.
    package var resulting: ObjectPredicate

    package init(existing: ObjectPredicate = .constant(true), resulting: ObjectPredicate = .constant(true)) {
        self.existing = existing
        self.resulting = resulting
    }

    /// Whether it permits everything.
    package var isUnconditional: Bool { existing == .constant(true) && resulting == .constant(true) }
}

/// The variables of conditions.
package enum AccessVariable {
    /// The object of the identity's account; nil for others.
    package static let user = "USER"
    /// The claims of the identity's token: `$CLAIMS.tenant`.
    package static let claims = "CLAIMS"
    /// The claims that say something of a token rather than of its sender. They differ with each token of the same sender, so
    /// an identity doesn't have them.
    package static let tokenClaims: Set<String> = ["exp", "iat", "nbf", "jti"]
    /// The names of the identity's roles, with those that they extend.
    package static let roles = "ROLES"
    /// The present time.
    package static let now = "NOW"
}
