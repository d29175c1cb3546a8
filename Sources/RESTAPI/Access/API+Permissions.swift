// SPDX-License-Identifier: Apache-2.0

// What an identity may do, without a request: for tests of access rules.

package import AccessRules
package import Identities
import ObjectGraph
import Predicates

extension API {
    /// What an identity may do with a stored object by some rules, whatever a change would make of it. Nil if there is no such
    /// object.
    ///
    /// - Parameter reference: The object's name, such as `posts/1`.
    package func permissions(
        of identity: Identity,
        by policy: AccessPolicy,
        on reference: String
    ) throws -> Set<AccessVerb>? {
        guard let objectID = objectID(at: "/api/" + reference) else { return nil }
        let isAdministrator = policy.administers(policy.closure(of: identity.roles))
        let access = try AccessResolver(policy: policy, identity: identity, api: self).access()
        return try coordinator.read { reader -> Set<AccessVerb>? in
            guard let row = try reader.snapshots(of: [objectID])[0] else { return nil }
            if isAdministrator { return [.read, .update, .delete] }
            let object = EvaluatedRow(snapshot: row, reader: reader)
            func permits(_ verb: AccessVerb) throws -> Bool {
                try access.permission(verb, row.objectID.entity).existing.evaluate(with: object)
            }
            guard try permits(.read) else { return [] }
            return Set(try [.read, .update, .delete].filter(permits))
        }
    }
}
