// SPDX-License-Identifier: Apache-2.0

// Which rules decide whether roles may do something, for explanations.

package import Identities

/// The rules for a verb on the objects of an entity.
package struct AccessDecision: Hashable, Sendable {
    /// A rule that permits a verb, with the roles by which it is inherited.
    package struct Alternative: Hashable, Sendable {
        /// From one of the roles to the one that has the rule.
        package let path: [String]
        package let rule: AccessRule
    }

    package let verb: AccessVerb
    /// The entity whose rules decide; nil if there are none.
    package let entity: String?
    /// None if the verb is denied.
    package let alternatives: [Alternative]
}

extension AccessPolicy {
    /// The rules by which roles may do something with objects of an entity. The alternatives have the order of
    /// ``alternatives(for:lineage:roles:)``.
    ///
    /// - Parameters:
    ///   - lineage: The names of the entity and its superentities, beginning with its own.
    ///   - roles: The roles without those that they extend.
    package func decision(on verb: AccessVerb, lineage: [String], roles: some Sequence<String>) -> AccessDecision {
        let deciding = decidingRules(for: verb, lineage: lineage)
        let alternatives = (deciding?.rules ?? [:]).sorted { $0.key < $1.key }.compactMap { name, rule in
            let paths = roles.compactMap { inheritance(from: $0, to: name) }
            return paths.min { $0.count < $1.count }.map { AccessDecision.Alternative(path: $0, rule: rule) }
        }
        return AccessDecision(verb: verb, entity: deciding?.entity, alternatives: alternatives)
    }
}
