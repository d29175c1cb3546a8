// SPDX-License-Identifier: Apache-2.0

// The text and the JSON of an explanation.

import AccessRules
import Identities
import JSON
import Predicates

extension RoleExplanation {
    var text: StyledText {
        let with = extended.isEmpty ? "" : ", which extends \(Wording.list(extended))"
        var lines = [StyledText("\(role)\(with), and objects of \(entity):", .bold)]
        guard !administers else { return (lines + ["It administers, and may do everything."]).joined(separator: "\n") }
        for decision in decisions {
            let verb = decision.verb.rawValue
            let sentences = decision.sentences(on: entity)
            for (index, sentence) in sentences.enumerated() {
                let head = index == 0 ? verb : ""
                lines.append(StyledText("  " + head + String(repeating: " ", count: 8 - head.count) + sentence))
            }
        }
        if !unreadable.isEmpty { lines.append(StyledText("Can't be read: \(unreadable.joined(separator: ", "))")) }
        if !unwritable.isEmpty { lines.append(StyledText("Can't be written: \(unwritable.joined(separator: ", "))")) }
        for (property, value) in forced {
            lines.append(StyledText("Set by a creation: \(property) = \(value.words)"))
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONObject {
        [
            "role": .string(role),
            "extends": .array(extended.map(JSONValue.string)),
            "entity": .string(entity),
            "administers": .bool(administers),
            "verbs": .object(JSONObject(decisions.map { ($0.verb.rawValue, $0.json) })),
            "unreadable": .array(unreadable.map(JSONValue.string)),
            "unwritable": .array(unwritable.map(JSONValue.string)),
            "set": .object(JSONObject(forced.map { ($0.property, .string($0.value.words)) })),
        ]
    }
}

extension RoleExplanation.Decision {
    /// One sentence for each rule.
    fileprivate func sentences(on explained: String) -> [String] {
        guard let entity else { return ["never: there is no rule."] }
        let source = entity == explained ? "" : " of \(entity)"
        guard !alternatives.isEmpty else { return ["never: no rule\(source) is for this role."] }
        return alternatives.map { alternative in
            "\(alternative.condition(for: verb)), by the rule\(source) for \(alternative.source)."
        }
    }

    fileprivate var json: JSONValue {
        var json: JSONObject = ["entity": entity.map(JSONValue.string) ?? .null]
        json["rules"] = .array(
            alternatives.map { alternative in
                [
                    "role": .string(alternative.path.last ?? ""),
                    "inheritance": .array(alternative.path.map(JSONValue.string)),
                    "where": .string(alternative.rule.existing.description),
                    "check": .string(alternative.rule.resulting.description),
                ]
            }
        )
        return .object(json)
    }
}

extension RoleExplanation.Alternative {
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

extension ForcedValue {
    fileprivate var words: String {
        switch self {
        case .value(let value): ObjectExpression.constant(value).description
        case .user: "$USER"
        case .claim(let path): "$CLAIMS." + path.joined(separator: ".")
        case .now: "$NOW"
        }
    }
}
