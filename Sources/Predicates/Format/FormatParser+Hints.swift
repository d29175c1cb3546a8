// SPDX-License-Identifier: Apache-2.0

// What to write instead of what SQL has.

import SourceText

extension FormatParser {
    static let listHint = "Write lists as {1, 2, 3}."

    static let existsHint = "To test whether there are members, count them: tags.@count > 0."

    /// Whether an expression is the word `EXISTS`, which other words follow in SQL.
    static func isExists(_ expression: ObjectExpression) -> Bool {
        guard case .keyPath(of: .evaluatedObject, let keys) = expression, keys.count == 1,
            case .name(let name) = keys[0]
        else { return false }
        return name.lowercased() == "exists"
    }

    static func functionHint(_ name: String) -> String? {
        if name.lowercased() == "exists" { return existsHint }
        return Spelling.hint(for: name, among: Function.allCases.map(\.rawValue) + Function.aliases.keys.sorted())
    }

    /// A suggestion for a word in an operator's place.
    var operatorHint: String? {
        guard case .name(let word) = token.kind else { return nil }
        if let hint = Self.wordHints[word.lowercased()] { return hint }
        let operators: [Comparison.Operator] = [.between, .in, .beginsWith, .endsWith, .contains, .like, .matches]
        let words = ["AND", "OR"] + operators.map(\.rawValue) + ["UNION", "INTERSECT", "MINUS"]
        return Spelling.hint(for: word, among: words)
    }

    private static let wordHints = [
        "is": "Compare nil with == nil or != nil.",
        "ilike": "LIKE[c] ignores case. Its wildcards are * and ?.",
        "order": "A predicate has no order: sort with sort descriptors, or with the parameter “sort”.",
        "limit": "A predicate has no limit: use the fetch limit, or the parameter “limit”.",
    ]

    /// A suggestion for text that directly follows other text, as in `'O''Brien'`.
    var doubledQuoteHint: String? {
        guard case .string = token.kind, token.start > 0, lexer.bytes[token.start - 1] == lexer.bytes[token.start]
        else {
            return nil
        }
        return "Write a quote within text as \\' or \\\"."
    }
}
