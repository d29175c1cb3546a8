// SPDX-License-Identifier: Apache-2.0

// Operators on text and data. Prefixes become ranges where an index may help, and patterns become simpler operators
// where possible.

import Predicates
import SQLiteDriver

extension Translator {
    mutating func text(
        _ left: Term,
        _ operator: Comparison.Operator,
        _ right: Term,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        try left.expectReadable()
        try right.expectReadable()
        let isNullable = left.isNullable || right.isNullable
        if left.kind == .data && right.kind == .data {
            switch `operator` {
            case .beginsWith: return Condition("outcrop_begins(\(left.sql), \(right.sql))", isNullable: isNullable)
            case .endsWith: return Condition("outcrop_ends(\(left.sql), \(right.sql))", isNullable: isNullable)
            case .contains: return Condition("instr(\(left.sql), \(right.sql)) > 0", isNullable: isNullable)
            default: return .constant(false)
            }
        }
        guard left.kind.isText && right.kind.isText else { return .constant(false) }
        switch `operator` {
        case .like: return like(left, right, options)
        case .matches: return try matches(left, right, options)
        case .beginsWith: return begins(folded(left, options), folded(right, options))
        case .endsWith:
            let left = folded(left, options)
            let right = folded(right, options)
            return Condition("outcrop_ends(\(left.sql), \(right.sql))", isNullable: isNullable)
        default:  // CONTAINS
            let left = folded(left, options)
            let right = folded(right, options)
            return Condition("instr(\(left.sql), \(right.sql)) > 0", isNullable: isNullable)
        }
    }

    private func begins(_ left: Term, _ right: Term) -> Condition {
        guard left.isColumn, case .string(let part)? = right.constant else {
            return Condition(
                "outcrop_begins(\(left.sql), \(right.sql))",
                isNullable: left.isNullable || right.isNullable
            )
        }
        // Every text begins with the empty text.
        if part.isEmpty { return !isNull(left) }
        let from = Condition(
            "\(left.sql) >= \(value: .text(part))",
            isNullable: left.isNullable,
            isSelective: left.isIndexed
        )
        guard let end = part.endOfPrefix else { return from }
        return .all([from, Condition("\(left.sql) < \(value: .text(end))", isNullable: left.isNullable)])
    }

    private mutating func like(_ left: Term, _ right: Term, _ options: Comparison.Options) -> Condition {
        let isNullable = left.isNullable || right.isNullable
        if case .string(let pattern)? = right.constant, let (text, isBeginning) = pattern.plainPattern {
            let left = folded(left, options)
            let right = folded(Term(text: text), options)
            if isBeginning { return begins(left, right) }
            return Condition(
                "\(left.sql) = \(right.sql)",
                isNullable: isNullable,
                isSelective: left.isIndexed,
                opposite: "\(left.sql) IS NOT \(right.sql)"
            )
        }
        return Condition(
            "outcrop_like(\(left.sql), \(right.sql), \(options.foldingNumber))",
            isNullable: isNullable
        )
    }

    private func matches(
        _ left: Term,
        _ right: Term,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        if case .string(let pattern)? = right.constant, (try? RegularExpression(pattern, options)) == nil {
            throw Untranslatable("has an invalid regular expression")
        }
        return Condition(
            "outcrop_matches(\(left.sql), \(right.sql), \(options.foldingNumber))",
            isNullable: left.isNullable || right.isNullable
        )
    }

    /// Text with case and diacritics removed according to the options.
    func folded(_ term: Term, _ options: Comparison.Options) -> Term {
        let folding = options.foldingOptions
        if folding.isEmpty { return term }
        switch term.constant {
        case .string(let text)?, .uri(let text)?: return Term(text: Text.folded(text, folding))
        default: break
        }
        if folding == [.caseInsensitive, .diacriticInsensitive], let canonical = term.canonical {
            return Term(sql: canonical.sql, kind: .text, isColumn: true, isIndexed: canonical.isIndexed)
        }
        return Term(
            sql: "outcrop_fold(\(term.sql), \(folding.foldingNumber))",
            kind: .text,
            isNullable: term.isNullable
        )
    }

    /// The order of two texts in the root locale, as a number less than, equal to or greater than
    /// zero; NULL if one is nil.
    func ordering(_ left: Term, _ right: Term, _ options: Comparison.Options) -> SQL {
        let left = folded(left, options)
        let right = folded(right, options)
        return "outcrop_locale_order(\(left.sql), \(right.sql))"
    }

    /// The number of UTF-16 code units of text, or of bytes of data.
    func length(of term: Term) -> Term {
        let sql: SQL = term.kind == .data ? "length(\(term.sql))" : "outcrop_length(\(term.sql))"
        return Term(sql: sql, kind: .integer, isNullable: term.isNullable, isSmall: true)
    }
}

extension Term {
    init(text: String) {
        self.init(sql: .value(.text(text)), kind: .text, constant: .string(text), isNullable: false)
    }
}

extension Comparison.Options {
    /// The effective options of `[c]` and `[d]`, which `[n]` overrides.
    var foldingOptions: Comparison.Options {
        contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
    }

    /// The options as an argument of SQL functions.
    fileprivate var foldingNumber: SQL { .literal(.integer(Int64(foldingOptions.rawValue))) }
}

extension String {
    /// The least text greater than all texts with this prefix, or nil.
    fileprivate var endOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Skips the surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }

    /// The text of a `LIKE` pattern without wildcards, or with a star at its end only; nil for other patterns.
    fileprivate var plainPattern: (text: String, isBeginning: Bool)? {
        guard !unicodeScalars.contains("\\"), !unicodeScalars.contains("?") else { return nil }
        guard let star = unicodeScalars.firstIndex(of: "*") else { return (self, false) }
        guard unicodeScalars[star...].allSatisfy({ $0 == "*" }) else { return nil }
        return (String(unicodeScalars[..<star]), true)
    }
}
