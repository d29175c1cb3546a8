// SPDX-License-Identifier: Apache-2.0

// What an identity may do, without a request: for tests of access rules.

package import AccessRules
package import Identities
import ObjectGraph
import Predicates

extension API {
    /// The identity of an account: with its roles, and as `$USER`. Nil if there is no such account.
    ///
    /// - Parameter reference: The account's object, such as `users/1`.
    package func identity(ofAccount reference: String, by policy: AccessPolicy) throws -> Identity? {
        guard let settings = policy.identity.accounts, let objectID = objectID(at: "/api/" + reference),
            let entity = catalogue.model.entity(named: settings.entity),
            let row = try coordinator.read({ reader in try reader.snapshots(of: [objectID])[0] }),
            row.objectID.entity.isKind(of: entity)
        else { return nil }
        var names: String?
        if let roles = settings.roles.flatMap(entity.attribute(named:)),
            case .string(let text) = row.row.attributes[roles.slot]
        {
            names = text
        }
        return Identity(name: reference, roles: policy.accountRoles(named: names), account: row.objectID.uri)
    }

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
