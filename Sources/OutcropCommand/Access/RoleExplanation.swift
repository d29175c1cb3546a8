// SPDX-License-Identifier: Apache-2.0

// What a role or an account may do with the objects of an entity, and why.

import AccessRules
import Identities
import ObjectModel

struct RoleExplanation {
    /// The role, or the account's object.
    let subject: String
    /// Whether the subject is an account.
    let isAccount: Bool
    let roles: [String]
    let entity: String
    let administers: Bool
    /// The roles that it extends.
    let extended: [String]
    let decisions: [AccessDecision]
    /// The names of properties, in the order of the model.
    let unreadable: [String]
    let unwritable: [String]
    let forced: [(property: String, value: ForcedValue)]

    /// - Parameter account: The account's object, such as `users/1`; nil for a role.
    init(
        of own: [String],
        account: String? = nil,
        on entity: Entity,
        in model: Model,
        by policy: AccessPolicy
    ) {
        let roles = policy.closure(of: own)
        let ancestors = model.ancestors(of: entity).map(\.name)
        let lineage = [entity.name] + ancestors
        subject = account ?? own.joined(separator: ", ")
        isAccount = account != nil
        self.roles = own
        self.entity = entity.name
        administers = policy.administers(roles)
        extended = roles.subtracting(own).sorted()
        decisions = AccessVerb.allCases.map { policy.decision(on: $0, lineage: lineage, roles: own) }
        let names =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
            + model.fetchedProperties(of: entity).map(\.name)
        var passwords: Set<String> = []
        if let accounts = policy.identity.accounts, lineage.contains(accounts.entity) {
            passwords = [accounts.password]
        }
        let unreadable = names.filter { name in
            passwords.contains(name) || !policy.canRead(name, lineage: lineage, roles: roles)
        }
        self.unreadable = unreadable
        unwritable = names.filter { name in
            !unreadable.contains(name) && !policy.canWrite(name, lineage: lineage, roles: roles)
        }
        forced = policy.forcedValues(lineage: lineage).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
