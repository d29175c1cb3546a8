// SPDX-License-Identifier: Apache-2.0

// What a role may do with the objects of an entity, and why.

import AccessRules
import Identities
import ObjectModel

struct RoleExplanation {
    /// A rule that permits a verb, with the roles by which it is inherited.
    struct Alternative {
        /// From the explained role to the one that has the rule.
        let path: [String]
        let rule: AccessRule
    }

    struct Decision {
        let verb: AccessVerb
        /// The entity whose rules decide; nil if there are none.
        let entity: String?
        /// None if the verb is denied.
        let alternatives: [Alternative]
    }

    let role: String
    let entity: String
    let administers: Bool
    /// The roles that it extends.
    let extended: [String]
    let decisions: [Decision]
    /// The names of properties, in the order of the model.
    let unreadable: [String]
    let unwritable: [String]
    let forced: [(property: String, value: ForcedValue)]

    init(of role: String, on entity: Entity, in model: Model, by policy: AccessPolicy) {
        let roles = policy.closure(of: [role])
        let ancestors = model.ancestors(of: entity).map(\.name)
        let lineage = [entity.name] + ancestors
        self.role = role
        self.entity = entity.name
        administers = policy.administers(roles)
        extended = roles.subtracting([role]).sorted()
        decisions = AccessVerb.allCases.map { verb in
            let deciding = policy.decidingRules(for: verb, lineage: lineage)
            let alternatives = (deciding?.rules ?? [:]).sorted { $0.key < $1.key }.compactMap { name, rule in
                policy.inheritance(from: role, to: name).map { Alternative(path: $0, rule: rule) }
            }
            return Decision(verb: verb, entity: deciding?.entity, alternatives: alternatives)
        }
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
