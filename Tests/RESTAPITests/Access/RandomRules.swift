// SPDX-License-Identifier: Apache-2.0

// Random access rules, as the text of an access file and as conditions that say what is readable.

import JSON
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

struct RandomRules {
    /// The text of the access file.
    let text: String
    /// What the identity sends as its credential.
    let credential: String
    /// The email of the identity's account, or nil.
    let email: String?
    /// The conditions of the identity's roles by entity; none for entities of which nothing is readable.
    private let conditions: [String: [String]]

    static let roles = ["one", "two", "three"]

    init(_ generator: SeededGenerator) {
        var random = RandomConditions(generator, isOfRules: true)
        let roles = Self.roles.filter { _ in random.generator.chance(50) }
        let own = roles.isEmpty ? ["one"] : roles
        // The third role extends the first.
        let all = own.contains("three") ? Set(own + ["one"]) : Set(own)
        email = random.generator.chance(70) ? "a\(random.number(1...2))" : nil
        credential = own.joined(separator: ",") + (email.map { " \($0)" } ?? "")
        var conditions: [String: [String]] = [:]
        var entities: [String] = []
        for entity in BlogEntity.all where entity.name != "Contact" || random.generator.chance(30) {
            guard random.generator.chance(92) else { continue }
            var rules: [String] = []
            var readable: [String] = []
            for role in Self.roles where random.generator.chance(60) {
                let condition: String
                switch random.number(0...9) {
                case 0: condition = "true"
                case 1: condition = "false"
                case 2...3: condition = "true"
                default: condition = "\"\(random.condition(on: entity))\""
                }
                rules.append("\"\(role)\": \(condition)")
                if all.contains(role) {
                    readable.append(
                        condition == "true"
                            ? "TRUEPREDICATE"
                            : condition == "false" ? "FALSEPREDICATE" : "\(condition.dropFirst().dropLast())"
                    )
                }
            }
            var members = ["\"read\": {\(rules.joined(separator: ", "))}"]
            if random.generator.chance(25) {
                let names = entity.texts.dropFirst() + entity.numbers + entity.toOnes.keys + entity.toManys.keys
                let hidden = names.sorted().filter { _ in random.generator.chance(25) }
                let rules = hidden.map { "\"\($0)\": {\"read\": [\(random.generator.chance(60) ? "" : "\"two\"")]}" }
                if !rules.isEmpty, entity.name != "Post" {
                    members.append("\"properties\": {\(rules.joined(separator: ", "))}")
                } else if entity.name == "Post" {
                    let all = ["\"commentCount\": {\"read\": []}"] + rules
                    members.append("\"properties\": {\(all.joined(separator: ", "))}")
                }
            } else if entity.name == "Post" {
                members.append("\"properties\": {\"commentCount\": {\"read\": []}}")
            }
            conditions[entity.name] = readable
            entities.append("\"\(entity.name)\": {\(members.joined(separator: ", "))}")
        }
        self.conditions = conditions
        text = """
            {
              "identity": {
                "accounts": {"entity": "User", "name": "email", "password": "note"},
                "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "email == $CLAIMS.email"}
              },
              "roles": {"one": {}, "two": {}, "three": {"extends": ["one"]}, "admin": {"administers": true}},
              "rules": {
                \(entities.joined(separator: ",\n    "))
              }
            }
            """
    }

    /// The conditions for objects of an entity, of which one must hold.
    ///
    /// - Parameter user: The identity's account, or nil: then no comparison with it holds.
    func conditions(for entity: EntityDescription, user: ManagedObjectID?) throws -> [ObjectPredicate] {
        let names = entity.name == "User" || entity.name == "Group" ? [entity.name, "Contact"] : [entity.name]
        let texts = names.lazy.compactMap { conditions[$0] }.first ?? []
        return try texts.map { text in
            let text = user == nil ? text.replacing(/[\w.$]+ (==|!=) \$USER/, with: "FALSEPREDICATE") : text
            let predicate = try ObjectPredicate(template: text)
            guard let user else { return predicate }
            return predicate.substituting(variables: ["USER": user.value])
        }
    }
}
