// SPDX-License-Identifier: Apache-2.0

// Reads an access file and checks it against a model.

import JSON
package import ObjectModel
import Predicates
import SourceText

extension AccessPolicy {
    /// Reads the text of an access file. Throws all mistakes in it.
    package init(parsing bytes: [UInt8], for model: Model) throws(AccessProblems) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, allowingComments: true)
        } catch {
            throw AccessProblems([AccessProblem(error.message, position: error.position)])
        }
        var reader = AccessFileReader(model: model)
        reader.read(value)
        guard reader.problems.isEmpty else { throw AccessProblems(reader.problems) }
        self = reader.policy
    }
}

/// Reads the members of an access file, and collects the mistakes.
struct AccessFileReader {
    let model: Model
    var policy = AccessPolicy()
    var problems: [AccessProblem] = []

    mutating func read(_ value: JSONValue) {
        let file = member("", value)
        guard let members = object(file, knowing: .file) else { return }
        // Rules name roles, and conditions the entity of accounts.
        if let roles = members["roles"] { readRoles(roles) }
        if policy.roles.isEmpty {
            refuse(
                members["roles"] ?? file,
                "There are no roles.",
                hint: #"Write "roles": {"admin": {"administers": true}}."#
            )
        }
        if let identity = members["identity"] { readIdentity(identity) }
        if let rules = members["rules"] { readRules(rules) }
        if let limits = members["limits"] { readLimits(limits) }
    }

    // MARK: Members

    /// A value with its place.
    struct Member {
        let path: String
        let value: JSONValue
        let position: TextPosition?

        var name: String { path.split(separator: ".").last.map(String.init) ?? path }
    }

    private func member(_ path: String, _ value: JSONValue) -> Member {
        Member(path: path, value: value, position: value.position)
    }

    mutating func refuse(_ member: Member, _ message: String, hint: String? = nil) {
        problems.append(AccessProblem(message, at: member.path, position: member.position, hint: hint))
    }

    /// The members of an object in order; nil if the value is something else.
    mutating func list(_ member: Member, hint: String? = nil) -> [Member]? {
        guard let object = member.value.object else {
            refuse(member, "This must be an object, not \(member.value.kindName).", hint: hint)
            return nil
        }
        return object.members.map {
            Member(
                path: member.path.isEmpty ? $0.name : "\(member.path).\($0.name)",
                value: $0.value,
                position: $0.position
            )
        }
    }

    /// The members of an object by their names; nil if the value is something else. Refuses unknown names.
    mutating func object(_ member: Member, knowing known: AccessKeys) -> [String: Member]? {
        let names = known.keys
        guard let list = list(member), let object = member.value.object else { return nil }
        for (name, value) in zip(object.names, list) where !names.contains(name) {
            refuse(
                value,
                "There is no “\(name.printable())” here.",
                hint: known.hint(for: name) ?? "Known: \(names.joined(separator: ", "))."
            )
        }
        return Dictionary(uniqueKeysWithValues: zip(object.names, list))
    }

    mutating func text(_ member: Member?) -> String? {
        guard let member else { return nil }
        guard let text = member.value.string, !text.isEmpty else {
            refuse(member, "This must be a text, not \(member.value.string == nil ? member.value.kindName : "empty").")
            return nil
        }
        return text
    }

    mutating func flag(_ member: Member?) -> Bool {
        guard let member else { return false }
        if let flag = member.value.bool { return flag }
        refuse(member, "This must be true or false, not \(member.value.kindName).")
        return false
    }

    /// The texts of an array, with their places.
    mutating func texts(_ member: Member?) -> [(text: String, member: Member)] {
        guard let member else { return [] }
        guard let values = member.value.array else {
            refuse(member, "This must be an array of texts, not \(member.value.kindName).")
            return []
        }
        return values.compactMap { value in
            let element = Member(path: member.path, value: value, position: value.position ?? member.position)
            return text(element).map { ($0, element) }
        }
    }

    /// The names of roles in an array.
    mutating func roles(_ member: Member?) -> [String] {
        texts(member).compactMap { name, element in isRole(name, element) ? name : nil }
    }

    /// Whether there is a role of a name; refuses it otherwise.
    mutating func isRole(_ name: String, _ member: Member) -> Bool {
        if policy.roles[name] != nil { return true }
        refuse(
            member,
            "There is no role “\(name.printable())”.",
            hint: Spelling.hint(for: name, among: policy.roles.keys.sorted())
                ?? (policy.roles.isEmpty
                    ? "The file has no “roles”." : "Roles: \(policy.roles.keys.sorted().joined(separator: ", ")).")
        )
        return false
    }

    /// The entity of a name; refuses unknown ones.
    mutating func entity(_ name: String, _ member: Member) -> Entity? {
        if let entity = model.entity(named: name) { return entity }
        refuse(
            member,
            "The model has no entity “\(name.printable())”.",
            hint: Spelling.hint(for: name, among: model.entities.map(\.name))
        )
        return nil
    }
}
