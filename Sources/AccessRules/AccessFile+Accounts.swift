// SPDX-License-Identifier: Apache-2.0

// The part of an access file about accounts.

import JSON
import ObjectModel
import Predicates
import SourceText

extension AccessFileReader {
    mutating func readAccounts(_ member: Member) {
        guard let members = object(member, knowing: .accounts) else { return }
        for name in ["entity", "name", "password"] where members[name] == nil {
            refuse(member, "“\(name)” is missing.")
        }
        guard let place = members["entity"], let entityName = text(place), let entity = entity(entityName, place) else {
            return
        }
        let name = attribute(members["name"], of: entity, .string)
        let password = attribute(members["password"], of: entity, .string)
        if let name, let place = members["name"] { checkName(name, of: entity, place) }
        if let password, let place = members["password"] { checkPassword(password, of: entity, place) }
        if let name, name.name == password?.name, let place = members["password"] {
            refuse(place, "The name and the password can't be the same attribute.")
        }
        let roles = attribute(members["roles"], of: entity, .string)
        let verified = attribute(members["verified"], of: entity, .bool)
        if let roles, roles.name == password?.name || roles.name == name?.name, let place = members["roles"] {
            refuse(place, "The attribute of roles can't be that of the name or the password.")
        }
        let baseRole = readBaseRole(members["baseRole"])
        guard let name, let password else { return }
        policy.identity.accounts = AccountSettings(
            entity: entity.name,
            name: name.name,
            password: password.name,
            roles: roles?.name,
            baseRole: baseRole,
            verified: verified?.name,
            messages: members["messages"].flatMap { readMessages($0) }
        )
    }

    private mutating func readBaseRole(_ member: Member?) -> String? {
        guard let member, let name = text(member), isRole(name, member) else { return nil }
        if policy.administers(policy.closure(of: [name])) {
            refuse(member, "The role of all accounts may not administer.")
        }
        return name
    }

    /// The attribute that a member names; refuses others, and those that the server can't set.
    private mutating func attribute(_ member: Member?, of entity: Entity, _ type: AttributeType) -> Attribute? {
        guard let member, let name = text(member) else { return nil }
        let attributes = model.attributes(of: entity)
        guard let attribute = attributes.first(where: { $0.name == name }) else {
            refuse(
                member,
                "\(entity.name) has no attribute “\(name.printable())”.",
                hint: Spelling.hint(for: name, among: attributes.map(\.name))
            )
            return nil
        }
        guard attribute.type == type else {
            refuse(member, "“\(name)” must be an attribute of the type \(type == .bool ? "Boolean" : "String").")
            return nil
        }
        guard !attribute.isDerived, !attribute.isTransient else {
            refuse(member, "“\(name)” is \(attribute.isDerived ? "derived" : "transient"), so it can't be set.")
            return nil
        }
        return attribute
    }

    /// Without unique names, a sign-up could make another account with the same name.
    private mutating func checkName(_ attribute: Attribute, of entity: Entity, _ member: Member) {
        let constraints = model.lineage(of: entity).flatMap(\.uniquenessConstraints)
        guard !constraints.contains([attribute.name]) else { return }
        refuse(
            member,
            "The names of accounts must be unique, and “\(attribute.name)” isn't.",
            hint: "Add a uniqueness constraint of \(entity.name) with “\(attribute.name)” alone to the model."
        )
    }

    /// Refuses attributes whose values are shown elsewhere, or that can't have a hash.
    private mutating func checkPassword(_ attribute: Attribute, of entity: Entity, _ member: Member) {
        func refuse(_ reason: String) {
            problems.append(
                AccessProblem(
                    "“\(attribute.name)” can't have the hash of a password: \(reason).",
                    at: member.path,
                    position: member.position
                )
            )
        }
        if attribute.maximumLength.map({ $0 < Self.hashLength }) ?? false {
            refuse("it may have less than \(Self.hashLength) characters")
        }
        if attribute.minimumLength.map({ $0 > Self.shortestHash }) ?? false {
            refuse("it must have more than \(Self.shortestHash) characters")
        }
        if attribute.regularExpression != nil { refuse("it has a pattern") }
        if attribute.defaultValue.map({ $0 != .null }) ?? false { refuse("it has a default value") }
        if attribute.isSearchIndexed { refuse("it is in the search index") }
        if attribute.isPreservedAfterDeletion { refuse("the history keeps it when its object is deleted") }
        if model.lineage(of: entity).flatMap(\.uniquenessConstraints).joined().contains(attribute.name) {
            refuse("it is part of a uniqueness constraint")
        }
        for other in model.entities {
            for derived in other.attributes where derived.derivation?.names(attribute.name) == true {
                refuse("“\(other.name).\(derived.name)” is computed from it")
            }
        }
    }

    /// What a hash has at most, and at least.
    private static let hashLength = 128
    private static let shortestHash = 64
}

extension String {
    /// Whether a derivation has a key path with a name.
    fileprivate func names(_ name: String) -> Bool {
        guard let expression = try? ObjectExpression(template: self) else { return false }
        return expression.names(name)
    }
}

extension ObjectExpression {
    fileprivate func names(_ name: String) -> Bool {
        if case .keyPath(_, let keys) = self, keys.contains(.name(name)) { return true }
        var isNamed = false
        forEachPart({ isNamed = isNamed || $0.names(name) }, { isNamed = isNamed || $0.names(name) })
        return isNamed
    }
}

extension ObjectPredicate {
    fileprivate func names(_ name: String) -> Bool {
        var isNamed = false
        forEachPart({ isNamed = isNamed || $0.names(name) }, { isNamed = isNamed || $0.names(name) })
        return isNamed
    }
}
