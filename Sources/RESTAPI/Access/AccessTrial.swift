// SPDX-License-Identifier: Apache-2.0

// Tries access rules on the objects of a store, without requests.

package import AccessRules
package import Identities
package import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// Rules, and the objects that they are tried on.
package struct AccessTrial: Sendable {
    package let policy: AccessPolicy
    /// The API with all names of the model.
    private let api: API

    package init(_ policy: AccessPolicy, on api: API) {
        self.policy = policy
        self.api = api
    }

    // MARK: Identities and objects

    /// An identity with some roles, or with those of an account. Nil if there is no such account.
    ///
    /// - Parameters:
    ///   - roles: The roles; nil for the account's own.
    ///   - user: The account's object, such as `users/1`.
    package func identity(roles: Set<String>?, claims: JSONObject = JSONObject(), user: String?) throws -> Identity? {
        guard let user else { return Identity(name: "trial", roles: roles ?? [], claims: claims) }
        guard var identity = try identity(ofAccount: user) else { return nil }
        identity.claims = claims
        if let roles { identity.roles = roles }
        return identity
    }

    private func identity(ofAccount reference: String) throws -> Identity? {
        guard let settings = policy.identity.accounts,
            let entity = api.catalogue.model.entity(named: settings.entity),
            let row = try row(of: reference), row.objectID.entity.isKind(of: entity)
        else { return nil }
        var names: String?
        if let roles = settings.roles.flatMap(entity.attribute(named:)),
            case .string(let text) = row.row.attributes[roles.slot]
        {
            names = text
        }
        return Identity(name: reference, roles: policy.accountRoles(named: names), account: row.objectID.uri)
    }

    /// The stored object with a name such as `posts/1`, or nil.
    private func row(of reference: String) throws -> Snapshot? {
        guard let objectID = api.objectID(at: "/api/" + reference) else { return nil }
        return try api.coordinator.read { reader in try reader.snapshots(of: [objectID])[0] }
    }

    /// The entity with a name, or with a name in paths.
    private func entity(named name: String) -> EntityDescription? {
        api.catalogue.model.entity(named: name) ?? api.catalogue.resource(named: name)?.entity
    }

    // MARK: Permissions

    /// What an identity may do with a stored object, whatever a change would make of it. Nil if there is no such object.
    ///
    /// - Parameter reference: The object's name, such as `posts/1`.
    package func permissions(of identity: Identity, on reference: String) throws -> Set<AccessVerb>? {
        guard let row = try row(of: reference) else { return nil }
        return try permissions(of: identity, on: row)
    }

    private func permissions(of identity: Identity, on row: Snapshot) throws -> Set<AccessVerb> {
        if policy.administers(policy.closure(of: identity.roles)) { return [.read, .update, .delete] }
        let access = try AccessResolver(policy: policy, identity: identity, api: api).access()
        return try api.coordinator.read { reader in
            let object = EvaluatedRow(snapshot: row, reader: reader)
            func permits(_ verb: AccessVerb) throws -> Bool {
                try access.permission(verb, row.objectID.entity).existing.evaluate(with: object)
            }
            guard try permits(.read) else { return [] }
            return Set(try [.read, .update, .delete].filter(permits))
        }
    }

    // MARK: Expectations

    /// What became of an expectation.
    package struct Outcome: Sendable {
        package let expectation: AccessExpectation
        /// Nil if the expectation names something that doesn't exist.
        package var isPermitted: Bool?
        /// The rules for the verb; nil for an identity that administers, and for what doesn't exist.
        package var decision: AccessDecision?
        /// Why the expectation isn't met; nil if it is.
        package var difference: String?

        fileprivate init(_ expectation: AccessExpectation, missing: String) {
            self.expectation = expectation
            difference = missing
        }

        fileprivate init(_ expectation: AccessExpectation, isPermitted: Bool, decision: AccessDecision?) {
            self.expectation = expectation
            self.isPermitted = isPermitted
            self.decision = decision
            if isPermitted != expectation.isExpected { difference = isPermitted ? "It may." : "It may not." }
        }
    }

    package func outcome(of expectation: AccessExpectation) throws -> Outcome {
        if let role = expectation.roles?.sorted().first(where: { policy.roles[$0] == nil }) {
            return Outcome(expectation, missing: "There is no role “\(role.printable())”.")
        }
        let identity = try identity(roles: expectation.roles, claims: expectation.claims, user: expectation.user)
        guard let identity else {
            let user = (expectation.user ?? "").printable()
            return Outcome(expectation, missing: "There is no account “\(user)”.")
        }
        let entity: EntityDescription
        let isPermitted: Bool
        switch expectation.subject {
        case .entity(let name):
            guard let named = self.entity(named: name) else {
                return Outcome(expectation, missing: "There is no such entity.")
            }
            entity = named
            isPermitted = permitsCreation(of: entity, by: identity)
        case .object(let name):
            guard let row = try row(of: name) else {
                return Outcome(expectation, missing: "There is no such object.")
            }
            entity = row.objectID.entity
            isPermitted = try permissions(of: identity, on: row).contains(expectation.verb)
        }
        let lineage = entity.lineage(in: api.catalogue.model)
        let administers = policy.administers(policy.closure(of: identity.roles))
        return Outcome(
            expectation,
            isPermitted: isPermitted,
            decision: administers
                ? nil : policy.decision(on: expectation.verb, lineage: lineage, roles: identity.roles.sorted())
        )
    }

    /// Whether a rule permits creating some object of an entity.
    private func permitsCreation(of entity: EntityDescription, by identity: Identity) -> Bool {
        let roles = policy.closure(of: identity.roles)
        let lineage = entity.lineage(in: api.catalogue.model)
        return policy.administers(roles) || !policy.alternatives(for: .create, lineage: lineage, roles: roles).isEmpty
    }
}
