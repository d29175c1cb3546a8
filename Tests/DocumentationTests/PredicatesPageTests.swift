// SPDX-License-Identifier: Apache-2.0

// docs/predicates.md, compared with the words, operators and limits of the language.

import Testing

@testable import Predicates

@Suite("docs/predicates.md")
struct PredicatesPageTests {
    private let page: Page

    init() throws {
        page = try Page("docs/predicates.md")
    }

    /// The code spans in a section, and the words of those that have several.
    private func words(in heading: String) throws -> Set<String> {
        let code = try #require(page.section(heading), "There is no section “\(heading)”.").code
        return Set(code + code.flatMap { $0.split { " (){},".contains($0) }.map(String.init) })
    }

    @Test("docs/predicates.md has every comparison operator with its synonyms, and every option")
    func comparisons() throws {
        let words = try words(in: "Comparisons")
        for text in Comparison.Operator.allCases.map(\.rawValue) + ["=", "<>", "=<", "=>", "NOT"] {
            #expect(words.contains(text), "\(text)")
        }
        let options: [Comparison.Options] = [
            .caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive,
            [.caseInsensitive, .diacriticInsensitive],
        ]
        for option in options {
            let comparison = Comparison(.constant(.null), .like, .constant(.null), options: option)
            let text = ObjectPredicate.comparison(comparison).description
            #expect(words.contains(String(text.dropFirst("nil LIKE".count).dropLast(" nil".count))), "\(text)")
        }
    }

    @Test("docs/predicates.md has every way of combining predicates")
    func logic() throws {
        let words = try words(in: "Putting predicates together")
        let modifiers = Comparison.Modifier.allCases.map(\.rawValue).filter { !$0.isEmpty }
        let others = [
            "NOT", "!", "AND", "&&", "OR", "||", "SOME", "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY",
        ]
        for text in modifiers + others { #expect(words.contains(text), "\(text)") }
    }

    @Test("docs/predicates.md has every reserved word")
    func keywords() throws {
        let words = try words(in: "Key paths")
        for keyword in Keyword.allCases { #expect(words.contains(keyword.rawValue.uppercased()), "\(keyword)") }
    }

    @Test("docs/predicates.md has every collection operator, and no other")
    func collectionOperators() throws {
        let section = try #require(page.section("Key paths"))
        let listed = section.rows.flatMap { $0[0].codeSpans }
        #expect(listed.sorted() == CollectionOperator.allCases.map(\.rawValue).sorted())
    }

    @Test("docs/predicates.md has every cast type, and no other")
    func casts() throws {
        let names = try #require(page.section("Constants")).rows.flatMap { $0[0].codeSpans }
            .filter { $0.hasPrefix("NS") }
        #expect(names.sorted() == CastType.allCases.map(\.rawValue).sorted())
    }

    @Test("docs/predicates.md has every function, and no other")
    func functions() throws {
        let section = try #require(page.section("Expressions"))
        #expect(section.rows.flatMap { $0[0].codeSpans }.sorted() == Function.allCases.map(\.rawValue).sorted())
        for alias in Function.aliases.keys { #expect(section.code.contains(alias), "\(alias)") }
    }

    @Test("docs/predicates.md has every operator of expressions")
    func expressionOperators() throws {
        let words = try words(in: "Expressions")
        for text in InfixFunction.all.map(\.text) + ["~", "TERNARY"] { #expect(words.contains(text), "\(text)") }
    }

    @Test("docs/predicates.md uses every symbol of the language")
    func symbols() {
        let code = page.code + page.blocks.map(\.text)
        for symbol in Symbol.allCases {
            #expect(code.contains { $0.contains(symbol.rawValue) }, "\(symbol.rawValue)")
        }
    }

    @Test("docs/predicates.md has placeholders of every kind, each of them valid")
    func placeholders() throws {
        let texts = try #require(page.section("Placeholders and variables")).rows.flatMap { $0[0].codeSpans }
        var kinds: Set<Placeholder.Kind> = []
        for text in texts {
            let placeholders = try FormatParser.placeholders(of: text == "%K" ? "%K == 1" : "a == \(text)")
            kinds.formUnion(placeholders.map(\.kind))
            #expect(placeholders.count == 1, "\(text)")
        }
        #expect(kinds == [.value(.any), .value(.integer), .value(.float), .value(.string), .value(.character), .key])
    }

    @Test("the constants in docs/predicates.md are constants")
    func constants() throws {
        let rows = try #require(page.section("Constants")).rows.prefix { !$0[0].hasPrefix("`NS") }
        for text in rows.flatMap({ $0[0].codeSpans }) where !text.contains("…") && !text.contains("x}") {
            let expression = try ObjectExpression(template: text)
            guard case .constant = expression else {
                Issue.record("\(text) is \(expression).")
                continue
            }
        }
    }

    @Test("docs/predicates.md names the limits")
    func limits() throws {
        let text = try #require(page.section("Limits")).lines.joined(separator: " ").replacing(",", with: "")
        let limits = FormatLimits.standard
        for limit in [
            "\(limits.maximumLength) bytes", "\(limits.maximumTerms) terms", "\(limits.maximumDepth) levels of nesting",
        ] {
            #expect(text.contains(limit), "\(limit)")
        }
    }

    @Test("docs/predicates.md has every error code, and no other")
    func errorCodes() throws {
        let codes = FormatError.Code.allCases.map(\.rawValue) + EvaluationError.Code.allCases.map(\.rawValue)
        #expect(try #require(page.section("Errors")).rows.flatMap { $0[0].codeSpans } == codes)
    }

    /// What the page lists as refused, in a predicate that uses it.
    private static let refused: KeyValuePairs = [
        "FUNCTION(…)": "FUNCTION(a, 'b') == 1", "FETCH(…)": "FETCH(a, NO) == 1", "ANYKEY": "ANYKEY == 1",
        "isKindOfClass:": "self isKindOfClass: %@", "isMemberOfClass:": "self isMemberOfClass: %@",
        "UTI-CONFORMS-TO": "a UTI-CONFORMS-TO 'b'", "UTI-EQUALS": "a UTI-EQUALS 'b'", ":=": "a := 1",
        "distanceToLocation:fromLocation:": "distanceToLocation:fromLocation:(a, b) < 1",
        "@unionOfArrays": "a.@unionOfArrays.b == 1", "@unionOfSets": "a.@unionOfSets.b == 1",
        "@distinctUnionOfArrays": "a.@distinctUnionOfArrays.b == 1",
        "@distinctUnionOfSets": "a.@distinctUnionOfSets.b == 1",
        "@allKeys": "a.@allKeys == 1", "@allValues": "a.@allValues == 1", "link.$name": "link.$name == 1",
        "SELF.%@": "SELF.%@ == 1",
    ]

    @Test("everything that docs/predicates.md lists as refused is refused")
    func refusals() throws {
        let code = try #require(page.section("What is refused")).rows.flatMap { $0[0].codeSpans }
        #expect(code == Self.refused.map(\.key))
        for (_, format) in Self.refused {
            #expect(throws: FormatError.self, "\(format)") { try ObjectPredicate(template: format) }
        }
    }

    @Test("what docs/predicates.md has in place of SQL are predicates")
    func comingFromSQL() throws {
        let code = try #require(page.section("Coming from SQL")).rows.flatMap { $0[1].codeSpans }
        let predicates = code.filter { $0.contains(" ") }
        #expect(predicates.count > 15)
        for text in predicates { _ = try ObjectPredicate(template: text) }
    }

    @Test("the examples in docs/predicates.md are predicates and keep their meaning in canonical form")
    func examples() throws {
        let lines = page.blocks(in: "predicate").flatMap(\.lines)
        #expect(lines.count > 5)
        for line in lines {
            let predicate = try ObjectPredicate(template: line)
            #expect(try ObjectPredicate(template: predicate.description) == predicate, "\(line)")
        }
    }

    @Test("docs/predicates.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }
}

extension FormatParser {
    fileprivate static func placeholders(of format: String) throws -> [Placeholder] {
        var parser = try FormatParser(format, limits: .standard)
        _ = try parser.wholePredicate()
        return parser.placeholders
    }
}
