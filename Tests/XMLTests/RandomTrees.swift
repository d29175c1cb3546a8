// SPDX-License-Identifier: Apache-2.0
// Makes trees from a seed, in the shape of the reader's trees: no empty texts, and no two texts side by side.

import TestSupport
import XML

struct RandomTrees: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func element(depth: Int) -> XMLElement {
        var element = XMLElement(pick(["a", "größe", "x:y", "_1", "entity"]))
        for name in ["a", "b", "名", "c-d"] where chance(1, in: 2) { element[name] = text(upTo: 8) }
        for _ in 0..<Int.random(in: 0...4, using: &self) where depth > 0 {
            element.children.append(node(after: element.children.last, depth: depth))
        }
        return element
    }

    private mutating func node(after last: XMLNode?, depth: Int) -> XMLNode {
        if chance(1, in: 8) { return .comment(pick(["", " c ", "- x", "<&>\n"])) }
        if case .text = last { return .element(element(depth: depth - 1)) }
        if chance(1, in: 2) { return .element(element(depth: depth - 1)) }
        return .text(chance(1, in: 2) ? pick([" ", "\n    "]) : text(upTo: 8) + "x")
    }

    private mutating func text(upTo length: Int) -> String {
        let characters: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "<", ">", "&", "\"", "'", "\n", "\t", "\r", "]", ";", "#", "ü", "\u{301}", "€", "😀",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...length, using: &self) { text.unicodeScalars.append(pick(characters)) }
        return text
    }

    private mutating func chance(_ part: Int, in whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &self) < part
    }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
