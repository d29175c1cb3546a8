// SPDX-License-Identifier: Apache-2.0

// The parts of an access file about identities and roles.

import JSON
import ObjectModel
import Predicates
import SourceText

extension AccessFileReader {
    mutating func readRoles(_ member: Member) {
        guard let list = list(member), let names = member.value.object?.names else { return }
        for name in names { policy.roles[name] = AccessRole() }
        for (name, member) in zip(names, list) {
            if name.isEmpty || name.contains(where: { $0.isWhitespace || $0 == "," }) {
                refuse(
                    member,
                    "“\(name.printable())” can't be the name of a role.",
                    hint: "Use a name without spaces and commas."
                )
            }
            guard let members = object(member, knowing: .role) else { continue }
            policy.roles[name] = AccessRole(
                extended: roles(members["extends"]),
                administers: flag(members["administers"])
            )
        }
        for (name, member) in zip(names, list) {
            let others = policy.roles[name]?.extended ?? []
            if policy.closure(of: others).contains(name) { refuse(member, "The role extends itself.") }
        }
    }

    mutating func readIdentity(_ member: Member) {
        guard let members = object(member, knowing: .identity) else { return }
        if let anonymous = members["anonymous"], let name = text(anonymous), isRole(name, anonymous) {
            policy.identity.anonymousRole = name
            if policy.administers(policy.closure(of: [name])) {
                refuse(anonymous, "The role of requests without a credential may not administer.")
            }
        }
        if let accounts = members["accounts"] { readAccounts(accounts) }
        if let tokens = members["jwt"] { readTokens(tokens) }
        if let certificates = members["certificates"] { readCertificates(certificates) }
    }

    private mutating func readCertificates(_ member: Member) {
        guard let list = list(member), let subjects = member.value.object?.names else { return }
        for (subject, member) in zip(subjects, list) {
            if subject.isEmpty {
                refuse(member, "A certificate's subject is empty.", hint: "Such as CN=backup,O=Example.")
            }
            policy.identity.certificates[subject] = roles(member)
        }
    }

    private mutating func readTokens(_ member: Member) {
        guard let members = object(member, knowing: .tokens) else { return }
        var tokens = AcceptedTokens()
        tokens.algorithms = texts(members["algorithms"]).compactMap { name, element in
            if Self.algorithms.contains(name) { return name }
            refuse(
                element,
                "The algorithm “\(name.printable())” isn't supported.",
                hint: "Supported: \(Self.algorithms.joined(separator: ", "))."
            )
            return nil
        }
        if members["algorithms"] == nil {
            refuse(member, "“algorithms” is missing.", hint: #"Write "algorithms": ["RS256"]."#)
        }
        if members["keys"] == nil {
            refuse(member, "“keys” is missing.", hint: "Name the file or the address of the keys.")
        }
        tokens.keys = text(members["keys"]) ?? ""
        tokens.issuer = text(members["issuer"])
        tokens.audience = text(members["audience"])
        if let claim = text(members["roles"]) { tokens.rolesClaim = claim }
        if let leeway = members["leeway"] {
            if let seconds = leeway.value.int64, 0...3600 ~= seconds {
                tokens.leeway = Int(seconds)
            } else {
                refuse(leeway, "“leeway” must be a number of seconds from 0 to 3600.")
            }
        }
        if let user = members["user"] { tokens.user = userCondition(user) }
        policy.identity.tokens = tokens
    }

    static let algorithms = ["HS256", "RS256", "ES256", "EdDSA"]

    private mutating func userCondition(_ member: Member) -> ObjectPredicate? {
        guard let accounts = policy.identity.accounts, let entity = model.entity(named: accounts.entity) else {
            refuse(
                member,
                "“user” finds objects of accounts, and there are none.",
                hint: #"Write "accounts": {"entity": …}."#
            )
            return nil
        }
        return condition(member, on: entity, variables: [AccessVariable.claims: .any])
    }
}
