// SPDX-License-Identifier: Apache-2.0

// The rules of an access file about properties and forced values.

import JSON
import ObjectModel
import Predicates
import SourceText

extension AccessFileReader {
    mutating func readProperties(of entity: Entity, _ member: Member) -> [String: PropertyRules] {
        guard let list = list(member), let names = member.value.object?.names else { return [:] }
        var rules: [String: PropertyRules] = [:]
        for (name, member) in zip(names, list) where property(name, of: entity, member) != nil {
            guard let members = object(member, knowing: .property) else { continue }
            rules[name] = PropertyRules(
                readers: members["read"].map { roles($0) },
                writers: members["write"].map { roles($0) }
            )
        }
        return rules
    }

    mutating func readForced(of entity: Entity, _ member: Member) -> [String: ForcedValue] {
        guard let list = list(member), let names = member.value.object?.names else { return [:] }
        var values: [String: ForcedValue] = [:]
        for (name, member) in zip(names, list) {
            switch property(name, of: entity, member) {
            case .attribute(let attribute) where isPassword(attribute, of: entity):
                refuse(member, "The password of an account can't be set.")
            case .attribute(let attribute): values[name] = forcedValue(of: attribute, member)
            case .relationship(let relationship): values[name] = forcedObject(of: relationship, member)
            case .fetched: refuse(member, "A fetched property can't be set.")
            case nil: break
            }
        }
        return values
    }

    private func isPassword(_ attribute: Attribute, of entity: Entity) -> Bool {
        guard let accounts = policy.identity.accounts, attribute.name == accounts.password else { return false }
        return model.isEntity(entity.name, kindOf: accounts.entity)
            || model.isEntity(accounts.entity, kindOf: entity.name)
    }

    private mutating func property(_ name: String, of entity: Entity, _ member: Member) -> Property? {
        if let property = model.property(named: name, of: entity) { return property }
        let names =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
            + model.fetchedProperties(of: entity).map(\.name)
        refuse(
            member,
            "\(entity.name) has no property “\(name.printable())”.",
            hint: Spelling.hint(for: name, among: names)
        )
        return nil
    }

    private mutating func forcedValue(of attribute: Attribute, _ member: Member) -> ForcedValue? {
        if let variable = variable(member) { return variable }
        let value: Value? =
            switch member.value.kind {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .string(let text): .string(text)
            case .number(let number): number.int64.map(Value.integer) ?? member.value.double.map(Value.double)
            case .array, .object: nil
            }
        guard let value, let accepted = value == .null ? value : attribute.type.accepting(value) else {
            refuse(member, "“\(attribute.name)” can't be set to \(member.value.kindName).")
            return nil
        }
        return .value(accepted)
    }

    private mutating func forcedObject(of relationship: Relationship, _ member: Member) -> ForcedValue? {
        guard !relationship.isToMany, member.value.string == "$\(AccessVariable.user)" || member.value.isNull else {
            refuse(member, "A to-one relationship can be set to “$USER” or null, and a to-many one can't be set.")
            return nil
        }
        if member.value.isNull { return .value(.null) }
        guard let accounts = policy.identity.accounts,
            model.isEntity(accounts.entity, kindOf: relationship.destinationName)
        else {
            refuse(
                member,
                "“\(relationship.name)” refers to \(relationship.destinationName), which isn't the entity of accounts."
            )
            return nil
        }
        return .user
    }

    /// The variable that a text names; nil for other values.
    private mutating func variable(_ member: Member) -> ForcedValue? {
        guard let text = member.value.string, text.hasPrefix("$") else { return nil }
        let steps = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch steps.first {
        case AccessVariable.claims where steps.count > 1 && AccessVariable.tokenClaims.contains(steps[1]):
            refuseTokenClaim(steps[1], member)
            return nil
        case AccessVariable.now where steps.count == 1: return .now
        case AccessVariable.claims where steps.count > 1 && !steps.contains(""): return .claim(Array(steps.dropFirst()))
        default:
            refuse(
                member,
                "“\(text.printable())” can't be the value of an attribute.",
                hint: "Known: $NOW, $CLAIMS.name."
            )
            return nil
        }
    }
}
