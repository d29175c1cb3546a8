// SPDX-License-Identifier: Apache-2.0

// The rules of an access file.

import Identities
import JSON
import ObjectModel
import Predicates
import SourceText

extension AccessFileReader {
    mutating func readRules(_ member: Member) {
        guard let list = list(member), let names = member.value.object?.names else { return }
        for (name, member) in zip(names, list) {
            guard let entity = entity(name, member) else { continue }
            guard let members = object(member, knowing: .entity) else { continue }
            var rules = EntityRules()
            for verb in AccessVerb.allCases {
                guard let member = members[verb.rawValue] else { continue }
                rules.verbs[verb] = readRules(for: verb, of: entity, member)
            }
            if let member = members["properties"] { rules.properties = readProperties(of: entity, member) }
            if let member = members["set"] { rules.forced = readForced(of: entity, member) }
            policy.rules[name] = rules
        }
    }

    private mutating func readRules(
        for verb: AccessVerb,
        of entity: Entity,
        _ member: Member
    ) -> [String: AccessRule] {
        let example = policy.roles.keys.min().map { "Write a rule for each role: {\"\($0)\": true}." }
        guard let list = list(member, hint: example), let names = member.value.object?.names else { return [:] }
        var rules: [String: AccessRule] = [:]
        for (role, member) in zip(names, list) where isRole(role, member) {
            rules[role] = rule(for: verb, on: entity, member)
        }
        return rules
    }

    /// Nil for a rule that is refused, or false.
    private mutating func rule(for verb: AccessVerb, on entity: Entity, _ member: Member) -> AccessRule? {
        if member.value.object != nil {
            let known: AccessKeys = verb == .update ? .update : verb == .create ? .creation : .existing
            guard let members = object(member, knowing: known) else { return nil }
            let existing = members["where"].map { permission($0, on: entity) } ?? .constant(true)
            let resulting = members["check"].map { permission($0, on: entity) } ?? .constant(true)
            guard let existing, let resulting else { return nil }
            return AccessRule(existing: existing, resulting: resulting)
        }
        guard let condition = permission(member, on: entity), condition != .constant(false) else { return nil }
        return switch verb {
        case .read, .delete: AccessRule(existing: condition)
        case .create: AccessRule(resulting: condition)
        // Otherwise an object could be changed into one that the role may not change.
        case .update: AccessRule(existing: condition, resulting: condition)
        }
    }

    /// A condition, `true` or `false`.
    private mutating func permission(_ member: Member, on entity: Entity) -> ObjectPredicate? {
        if let isPermitted = member.value.bool { return .constant(isPermitted) }
        guard member.value.string != nil else {
            refuse(member, "A rule must be true, false or a predicate, not \(member.value.kindName).")
            return nil
        }
        return condition(member, on: entity, variables: variables)
    }

    private var variables: [String: PredicateVariable] {
        let user = policy.identity.accounts.map { PredicateVariable.object($0.entity) }
        return [
            AccessVariable.user: user ?? .any, AccessVariable.claims: .any, AccessVariable.roles: .any,
            AccessVariable.now: .value(.date),
        ]
    }

    /// The predicate of a text, checked against the model.
    mutating func condition(
        _ member: Member,
        on entity: Entity,
        variables: [String: PredicateVariable]
    ) -> ObjectPredicate? {
        guard let text = text(member) else { return nil }
        let predicate: ObjectPredicate
        do throws(FormatError) {
            predicate = try ObjectPredicate(template: text)
        } catch {
            refuse(
                member,
                "The predicate can't be read\(Self.place(of: error, in: text)): \(error.message)",
                hint: error.hint
            )
            return nil
        }
        guard !predicate.hasPlaceholders else {
            refuse(member, "The predicate has placeholders.", hint: "Write the values themselves.")
            return nil
        }
        let unknown = predicate.freeVariables.subtracting(variables.keys).sorted()
        if let name = unknown.first {
            let names = variables.keys.sorted().map { "$\($0)" }
            refuse(
                member,
                "The predicate has the variable “$\(name)”.",
                hint: Spelling.hint(for: name, among: variables.keys) ?? "Known: \(names.joined(separator: ", "))."
            )
            return nil
        }
        if policy.identity.accounts == nil, predicate.freeVariables.contains(AccessVariable.user) {
            refuse(
                member,
                "“$USER” is an account's object, and there are no accounts.",
                hint: #"Write "identity": {"accounts": …}."#
            )
            return nil
        }
        if let name = predicate.tokenClaims.sorted().first {
            refuseTokenClaim(name, member)
            return nil
        }
        let issues = model.check(predicate, on: entity, variables: variables)
        for issue in issues where issue.severity == .error || Self.fatal.contains(issue.code) {
            refuse(member, issue.message, hint: issue.hint)
        }
        return issues.contains { $0.severity == .error || Self.fatal.contains($0.code) } ? nil : predicate
    }

    /// Where a mistake is: ` at its character 6, “BEGINWITH 'a'”`.
    private static func place(of error: FormatError, in text: String) -> String {
        guard let offset = error.offset else { return "" }
        let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
        let rest = String(decoding: text.utf8.dropFirst(offset), as: UTF8.self)
        guard !rest.isEmpty else { return " at its end" }
        let shown = rest.count > longestExcerpt ? rest.prefix(longestExcerpt) + "…" : rest[...]
        return " at its character \(before.count + 1), “\(String(shown).printable())”"
    }

    private static let longestExcerpt = 30
    private static let fatal: Set<ModelIssue.Code> = [.predicateType, .predicateTransient]

    mutating func refuseTokenClaim(_ name: String, _ member: Member) {
        refuse(
            member,
            "“$CLAIMS.\(name)” can't be used, since it differs with each token of the same sender.",
            hint: "The server itself checks when a token is valid. Use claims about the sender, such as “$CLAIMS.sub”."
        )
    }
}

extension ObjectPredicate {
    /// The claims in it that say something of a token rather than of its sender.
    fileprivate var tokenClaims: Set<String> {
        var names: Set<String> = []
        forEachPart({ names.formUnion($0.tokenClaims) }, { names.formUnion($0.tokenClaims) })
        return names
    }
}

extension ObjectExpression {
    fileprivate var tokenClaims: Set<String> {
        if case .keyPath(of: .variable(AccessVariable.claims), let keys) = self, case .name(let name)? = keys.first {
            return AccessVariable.tokenClaims.intersection([name])
        }
        var names: Set<String> = []
        forEachPart({ names.formUnion($0.tokenClaims) }, { names.formUnion($0.tokenClaims) })
        return names
    }
}
