// SPDX-License-Identifier: Apache-2.0

// Decisions as sentences and as JSON.

import Identities
package import JSON
import Predicates

extension AccessDecision {
    /// One sentence for each rule: `if published == YES, by the rule for public.`
    ///
    /// - Parameter explained: The entity of the objects.
    package func sentences(on explained: String) -> [String] {
        guard let entity else { return ["never: there is no rule."] }
        let source = entity == explained ? "" : " of \(entity)"
        guard !alternatives.isEmpty else { return ["never: no rule\(source) is for this role."] }
        return alternatives.map { "\($0.condition(for: verb)), by the rule\(source) for \($0.source)." }
    }

    package var json: JSONObject {
        ["entity": entity.map(JSONValue.string) ?? .null, "rules": .array(alternatives.map { .object($0.json) })]
    }
}

extension AccessDecision.Alternative {
    package var json: JSONObject {
        [
            "role": .string(path.last ?? ""),
            "inheritance": .array(path.map(JSONValue.string)),
            "where": .string(rule.existing.description),
            "check": .string(rule.resulting.description),
        ]
    }

    /// `editor`, or `public` with the roles in between.
    fileprivate var source: String {
        guard path.count > 1, let last = path.last else { return path.first ?? "" }
        return "\(last) (\(path.dropLast().joined(separator: " extends ")) extends \(last))"
    }

    fileprivate func condition(for verb: AccessVerb) -> String {
        let always = ObjectPredicate.constant(true)
        var parts: [String] = []
        if rule.existing != always { parts.append("if \(rule.existing)") }
        if rule.resulting != always, rule.resulting != rule.existing {
            parts.append(verb == .create ? "if \(rule.resulting)" : "if \(rule.resulting) afterwards")
        }
        if rule.resulting == rule.existing, rule.existing != always { return parts[0] + ", before and afterwards" }
        return parts.isEmpty ? "always" : parts.joined(separator: " and ")
    }
}

extension AccessPolicy {
    /// Why some roles can't write a property: `“views” can be written by nobody.`
    package func sentence(onWriting property: String, lineage: [String], roles: Set<String>) -> String {
        func list(_ names: [String]) -> String { names.isEmpty ? "nobody" : names.joined(separator: ", ") }
        let rules = lineage.compactMap { self.rules[$0]?.properties[property] }
        if !canRead(property, lineage: lineage, roles: roles), let readers = rules.lazy.compactMap(\.readers).first {
            return "“\(property)” can be read by \(list(readers)), and only then written."
        }
        guard let writers = rules.lazy.compactMap(\.writers).first else {
            return "No rule permits to write “\(property)”, which the server uses itself."
        }
        return "“\(property)” can be written by \(list(writers))."
    }
}
