// SPDX-License-Identifier: Apache-2.0

// The meaning of queries, the division of text into words, and the fragments of results.

import FoundationEssentials
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Search queries")
struct SearchQueryTests {
    private static func finds(_ query: String, _ texts: String...) throws -> Bool {
        let query = try SearchQuery(query)
        var tally = SearchTally(query)
        for text in texts { tally.add(SearchWords.folded(text).span, for: query) }
        return query.matches(tally)
    }

    @Test(
        "a query finds words, phrases and prefixes, combined by AND, OR and NOT",
        arguments: [
            ("graph", true), ("GRAPH", true), ("grap", false), ("grap*", true), ("raph*", false),
            ("object graph", true), ("object AND graph", true), ("object missing", false),
            ("missing OR graph", true), ("missing OR absent", false),
            ("object NOT graph", false), ("object NOT missing", true), ("object AND NOT missing", true),
            ("NOT missing object", true), ("NOT graph object", false),
            ("object NOT (missing OR absent)", true), ("object NOT (missing OR graph)", false),
            ("missing OR object NOT absent", true), ("missing OR object NOT graph", false),
            ("absent missing OR object graph", true), ("(absent OR object) graph", true),
            ("\"object graph\"", true), ("\"graph object\"", false), ("\"object gra\"", false),
            ("\"object gra\" OR missing", false), ("\"object gra\"*", true), ("\"n object graph\"", false),
            ("\"AND\"", false), ("and", false), ("\"graph and\"", false),
            ("object-graph", true), ("graph-object", false), ("(object) (graph)", true), ("((object))", true),
            ("object & graph", true), ("\"\" object", true), ("object*graph", true), ("café", true),
            ("CAFE\u{301}", true),
        ]
    )
    func meaning(query: String, isFound: Bool) throws {
        #expect(try Self.finds(query, "An object graph", "Cafe") == isFound)
    }

    @Test("a query finds words in a text's first mebibyte only", arguments: ["a", "ä", "字"])
    func longTexts(letter: String) throws {
        let length = SearchWords.textLimit - 10 * letter.utf8.count
        let spaces = String(repeating: letter + " ", count: length / (letter.utf8.count + 1))
        let text = spaces + "inside " + String(repeating: " ", count: 100) + "outside"
        #expect(try Self.finds("inside", text))
        #expect(try !Self.finds("outside", text))
    }

    @Test("a phrase doesn't match across two texts")
    func textsApart() throws {
        #expect(try !Self.finds("\"one two\"", "one", "two"))
        #expect(try Self.finds("one two", "one", "two"))
    }

    @Test(
        "an invalid query is an error with the reason and position",
        arguments: [
            ("", 0, "The search has no words."), ("  & - *", 7, "The search has no words."),
            ("\"\"", 2, "The search has no words."), ("()", 1, "The search has no words."),
            ("OR a", 0, "“OR” lacks a word on one side."), ("a OR", 2, "“OR” lacks a word on one side."),
            ("a OR OR b", 2, "“OR” lacks a word on one side."),
            ("AND a", 0, "“AND” lacks a word on one side."),
            ("é AND", 2, "“AND” lacks a word on one side."),
            ("a AND AND b", 2, "“AND” lacks a word on one side."),
            ("a NOT", 2, "“NOT” lacks a word on one side."),
            ("a NOT NOT b", 2, "“NOT” lacks a word on one side."),
            ("NOT a", 0, "“NOT” excludes results of other words, but there are none."),
            ("a OR NOT b", 5, "“NOT” excludes results of other words, but there are none."),
            ("a (NOT b)", 3, "“NOT” excludes results of other words, but there are none."),
            ("a \"b", 2, "The quotation that begins here isn't closed."),
            ("(a", 0, "The parenthesis that opens here isn't closed."),
            ("a (b (c)", 2, "The parenthesis that opens here isn't closed."),
            ("a)", 1, "The parenthesis that closes here wasn't opened."),
            (String(repeating: "a", count: 1001), 1000, "A search can have at most 1000 characters."),
            (String(repeating: "a ", count: 33), 64, "A search can have at most 32 words and phrases."),
            (String(repeating: "(", count: 17) + "a", 16, "Parentheses can be nested at most 16 levels deep."),
        ]
    )
    func mistakes(text: String, position: Int, message: String) {
        #expect {
            try SearchQuery(text)
        } throws: { error in
            guard let error = error as? SearchError else { return false }
            return (error.position, error.message) == (position, message)
        }
    }

    @Test("any text is read as a query or refused", arguments: SeededGenerator.seeds(4))
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "(", ")", "\"", "*", " ", "AND", "OR", "NOT", "a", "é", "日本", "😀", "\u{301}", "\u{0}", "-", "\u{200D}",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined(separator: random.chance(70) ? " " : "")
            guard let query = try? SearchQuery(text) else { continue }
            #expect(!query.terms.isEmpty && query.wantedCount > 0, "seed \(seed): \(text)")
        }
    }

    @Test(
        "text is divided into folded words, and an ideograph is a word of its own",
        arguments: [
            ("Core Data's", "core data s"), ("O’Brien & sons", "o brien sons"),
            ("ÉCLAIR e\u{301}clair", "eclair eclair"),
            ("Straße STRASSE", "strasse strasse"), ("日本語ok", "日 本 語 ok"), ("don\u{AD}t", "dont"),
            ("a\u{200B}b", "ab"), ("😀 x 👨‍👩‍👧", "x"), ("\u{301}\u{301}", ""), ("", ""), ("v1.2_3", "v1 2 3"),
            ("한국어", "한국어"), ("カタ", "カ タ"), ("nul\u{0}byte", "nul byte"),
            (String(repeating: "x", count: 300), String(repeating: "x", count: 200)),
            (String(repeating: "ж", count: 300), String(repeating: "ж", count: 100)),
        ]
    )
    func words(text: String, folded: String) {
        #expect(String(decoding: SearchWords.folded(text), as: UTF8.self) == folded)
    }

    @Test("the fast folding of ASCII agrees with the general one")
    func ascii() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let text = String(
                (0..<20).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0..<128, using: &random))) }
            )
            let slow = SearchWords.words(in: text).map { String(decoding: $0.folded, as: UTF8.self) }
            #expect(String(decoding: SearchWords.folded(text), as: UTF8.self) == slow.joined(separator: " "))
        }
    }
}

@Suite("Search highlights")
struct SearchHighlightTests {
    @Test(
        "a highlight marks whole words and phrases and escapes the rest",
        arguments: [
            ("graph", "A <b>graph</b> & more", "A &lt;b&gt;<mark>graph</mark>&lt;/b&gt; &amp; more"),
            ("gra*", "Graphs, \"grapes\"", "<mark>Graphs</mark>, &quot;<mark>grapes</mark>&quot;"),
            ("\"object graph\" graph", "object graph graph", "<mark>object graph</mark> <mark>graph</mark>"),
            ("cafe", "Le Cafe\u{301}!", "Le <mark>Cafe\u{301}</mark>!"), ("東京", "大東京都", "大<mark>東京</mark>都"),
            ("a NOT b", "a 'b' c", "<mark>a</mark> &#39;b&#39; c"),
            ("\"a b\" OR \"b c\"", "a b c", "<mark>a b c</mark>"),
        ]
    )
    func marks(query: String, text: String, html: String) throws {
        #expect(SearchFragment(of: text, try SearchQuery(query))?.html == html)
    }

    @Test("a fragment shows a part of a long text, and is nil without a match")
    func fragments() throws {
        let words = (0..<100).map { "w\($0)" }
        let query = try SearchQuery("w50")
        let html = try #require(SearchFragment(of: words.joined(separator: " "), query)?.html)
        #expect(html.hasPrefix("…w42 w43") && html.hasSuffix("w81…") && html.contains("w49 <mark>w50</mark> w51"))
        let end = try #require(SearchFragment(of: words.joined(separator: " "), SearchQuery("w99"))?.html)
        #expect(end.hasPrefix("…w60") && end.hasSuffix("<mark>w99</mark>"))
        #expect(SearchFragment(of: "nothing", query) == nil)
        #expect(SearchFragment(of: "", query) == nil)
    }
}
