// SPDX-License-Identifier: Apache-2.0

// Who may do what with the objects of a model, as an access file says.

package import Identities
package import JSON
import ObjectModel
package import Predicates

/// The roles, and the rules for each entity. What no rule allows is denied.
///
/// 1. An identity has roles, and a role has those that it extends. The rules of all of them are alternatives.
/// 2. The rules of an entity hold for its subentities, for each verb until one has rules of its own for it.
/// 3. A role that administers may do everything.
package struct AccessPolicy: Equatable, Sendable {
    package var identity = IdentitySettings()
    /// By name.
    package var roles: [String: AccessRole] = [:]
    /// By the name of the entity.
    package var rules: [String: EntityRules] = [:]
    /// By the name of the role.
    package var limits: [String: RoleLimits] = [:]

    package init() {}

    /// Some roles with all that they extend.
    package func closure(of names: some Sequence<String>) -> Set<String> {
        var found: Set<String> = []
        var next = Array(names)
        while let name = next.popLast() {
            guard let role = roles[name], found.insert(name).inserted else { continue }
            next += role.extended
        }
        return found
    }

    /// Whether one of the roles administers.
    package func administers(_ names: Set<String>) -> Bool { names.contains { roles[$0]?.administers == true } }

    /// The largest limits of some roles, with those that they extend.
    package func limits(of roles: Set<String>) -> RoleLimits {
        closure(of: roles).compactMap { limits[$0] }.reduce(RoleLimits()) { $0.union($1) }
    }

    /// The alternatives that permit a verb on objects of an entity; none if it is denied.
    ///
    /// - Parameters:
    ///   - lineage: The names of the entity and its superentities, beginning with its own.
    ///   - roles: The roles of an identity, with those that they extend.
    package func alternatives(for verb: AccessVerb, lineage: [String], roles: Set<String>) -> [AccessRule] {
        guard let rules = decidingRules(for: verb, lineage: lineage)?.rules else { return [] }
        return rules.filter { roles.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The entity whose rules decide on a verb, and these rules by role; nil if there are none.
    package func decidingRules(
        for verb: AccessVerb,
        lineage: [String]
    ) -> (entity: String, rules: [String: AccessRule])? {
        lineage.lazy.compactMap { name in rules[name]?.verbs[verb].map { (name, $0) } }.first
    }

    /// The roles by which one has the rules of another, from the one to the other; nil if it doesn't have them.
    package func inheritance(from name: String, to other: String) -> [String]? {
        var paths = [[name]]
        var found: Set<String> = [name]
        while !paths.isEmpty {
            let path = paths.removeFirst()
            guard let last = path.last, last != other else { return path }
            for next in roles[last]?.extended ?? [] where found.insert(next).inserted { paths.append(path + [next]) }
        }
        return nil
    }

    /// Whether the roles may read a property that an entity or one of its superentities declares.
    package func canRead(_ property: String, lineage: [String], roles: Set<String>) -> Bool {
        permits(property, lineage: lineage, roles: roles) { $0.readers }
    }

    /// Whether the roles may write a property. One that can't be read can't be written.
    package func canWrite(_ property: String, lineage: [String], roles: Set<String>) -> Bool {
        canRead(property, lineage: lineage, roles: roles)
            && permits(property, lineage: lineage, roles: roles, otherwise: !isGranting(property, lineage)) {
                $0.writers
            }
    }

    /// Whether an account gets roles by a property, or counts as verified. Such a property is written only by those that a
    /// rule permits it to: otherwise a rule for all of an account's properties would make each an administrator.
    private func isGranting(_ property: String, _ lineage: [String]) -> Bool {
        guard let accounts = identity.accounts, lineage.contains(accounts.entity) else { return false }
        return property == accounts.roles || property == accounts.verified
    }

    private func permits(
        _ property: String,
        lineage: [String],
        roles: Set<String>,
        otherwise: Bool = true,
        _ permitted: (PropertyRules) -> [String]?
    ) -> Bool {
        let rules = lineage.lazy.compactMap { self.rules[$0]?.properties[property] }
        guard let names = rules.compactMap(permitted).first else { return otherwise }
        return names.contains(where: roles.contains)
    }

    /// The values that a creation forces, by property; those of the entity itself win over those of its superentities.
    package func forcedValues(lineage: [String]) -> [String: ForcedValue] {
        lineage.reversed().reduce(into: [:]) { values, name in
            for (property, value) in rules[name]?.forced ?? [:] { values[property] = value }
        }
    }
}

package struct AccessRole: Hashable, Sendable {
    /// The roles whose rules it has too.
    package var extended: [String]
    /// Whether it may do everything.
    package var administers: Bool

    package init(extended: [String] = [], administers: Bool = false) {
        self.extended = extended
        self.administers = administers
    }
}

/// The rules of an entity.
package struct EntityRules: Equatable, Sendable {
    /// By verb and role. A verb without an entry is inherited; one with an empty entry is denied.
    package var verbs: [AccessVerb: [String: AccessRule]] = [:]
    /// By name.
    package var properties: [String: PropertyRules] = [:]
    /// The values that a creation sets, whatever its body says.
    package var forced: [String: ForcedValue] = [:]

    package init() {}
}

/// The roles that may read and write a property; nil for all that may do so with the object.
package struct PropertyRules: Hashable, Sendable {
    package var readers: [String]?
    package var writers: [String]?

    package init(readers: [String]? = nil, writers: [String]? = nil) {
        self.readers = readers
        self.writers = writers
    }
}

/// A value that a creation sets.
package enum ForcedValue: Hashable, Sendable {
    case value(Value)
    /// The object of the identity's account.
    case user
    /// A claim of the identity's token.
    case claim([String])
    case now
}

/// How identities get their roles.
package struct IdentitySettings: Hashable, Sendable {
    /// The role of requests without a credential; nil if they need one.
    package var anonymousRole: String?
    /// The accounts that `$USER` is an object of, or nil.
    package var accounts: AccountSettings?
    package var tokens: AcceptedTokens?
    /// The roles of clients with a certificate, by its subject.
    package var certificates: [String: [String]] = [:]

    package init() {}
}

/// The objects that are accounts.
package struct AccountSettings: Hashable, Sendable {
    package var entity: String
    /// The attribute with the name for signing in.
    package var name: String
    /// The attribute with the hash of the password. It is never shown.
    package var password: String
    /// The attribute with the names of roles, separated by commas; nil if accounts have none of their own.
    package var roles: String?
    /// The role of all accounts, or nil. Without it, a new account has no role.
    package var baseRole: String?
    /// The attribute that is true if the account's name was verified, or nil.
    package var verified: String?
    /// Nil if accounts get no messages.
    package var messages: MessageSettings?

    package init(
        entity: String,
        name: String,
        password: String,
        roles: String? = nil,
        baseRole: String? = nil,
        verified: String? = nil,
        messages: MessageSettings? = nil
    ) {
        self.entity = entity
        self.name = name
        self.password = password
        self.roles = roles
        self.baseRole = baseRole
        self.verified = verified
        self.messages = messages
    }
}

/// Where messages to accounts are sent, with tokens in them.
package struct MessageSettings: Hashable, Sendable {
    /// The receiver's address.
    package var url: String
    /// The key of the signatures, or an object that says where it is, as in a file of webhooks.
    package var secret: JSONValue
    /// The seconds for which tokens are valid.
    package var resetLifetime = 3_600
    package var verifyLifetime = 604_800

    package init(url: String, secret: JSONValue) {
        self.url = url
        self.secret = secret
    }
}

/// The tokens that are accepted.
package struct AcceptedTokens: Hashable, Sendable {
    package var algorithms: [String] = []
    /// The file of keys, beside the access file if it is relative, or an address of a key set.
    package var keys = ""
    package var issuer: String?
    package var audience: String?
    /// The claim with the names of roles.
    package var rolesClaim = "roles"
    /// The condition that finds the account's object, with `$CLAIMS`; nil for none.
    package var user: ObjectPredicate?
    /// The seconds by which clocks may differ.
    package var leeway = 30

    package init() {}
}
