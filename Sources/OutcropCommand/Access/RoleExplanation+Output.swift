// SPDX-License-Identifier: Apache-2.0

// The text and the JSON of an explanation.

import AccessRules
import Identities
import JSON
import Predicates

extension RoleExplanation {
    var text: StyledText {
        let extending = extended.isEmpty ? "" : ", which extends \(Wording.list(extended))"
        let owning = roles.isEmpty ? " without a role" : " as \(Wording.list(roles))"
        var lines = [StyledText("\(subject)\(isAccount ? owning : extending), and objects of \(entity):", .bold)]
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
            isAccount ? "user" : "role": .string(subject),
            "roles": .array(roles.map(JSONValue.string)),
            "extends": .array(extended.map(JSONValue.string)),
            "entity": .string(entity),
            "administers": .bool(administers),
            "verbs": .object(JSONObject(decisions.map { ($0.verb.rawValue, .object($0.json)) })),
            "unreadable": .array(unreadable.map(JSONValue.string)),
            "unwritable": .array(unwritable.map(JSONValue.string)),
            "set": .object(JSONObject(forced.map { ($0.property, .string($0.value.words)) })),
        ]
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
