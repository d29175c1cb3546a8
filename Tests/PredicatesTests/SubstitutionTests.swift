// SPDX-License-Identifier: Apache-2.0

// Substitution of arguments for placeholders, and of values for variables.

import FoundationEssentials
import Predicates
import Testing

@Suite("Substitution")
struct SubstitutionTests {
    @Test("arguments are inserted as values, whatever their text")
    func arguments() throws {
        let predicate = try ObjectPredicate("%K == %@ AND %K.size > %d", "author.name", "o'b\" OR 1 == 1", "tags", 3)
        #expect(predicate.description == #"author.name == "o'b\" OR 1 == 1" AND tags.#size > 3"#)
        #expect(
            try ObjectPredicate("x == %2$@ AND y == %1$@ AND z == %1$@", 1, 2).description
                == "x == 2 AND y == 1 AND z == 1"
        )
        #expect(try ObjectPredicate("SELF IN %@", [1, 2]).description == "SELF IN {1, 2}")
        #expect(
            try ObjectPredicate("d > %@", Date(timeIntervalSinceReferenceDate: 5)).description
                == "d > CAST(5.0, \"NSDate\")"
        )
        #expect(try ObjectPredicate("a == %@", nil as String?).description == "a == nil")
        #expect(try ObjectPredicate("%K > 0", "posts.@count") == ObjectPredicate("posts.@count > 0"))
    }

    @Test("a template can be filled repeatedly")
    func template() throws {
        let template = try ObjectPredicate(template: "name == %@ AND %K == $LIMIT")
        #expect(template.hasPlaceholders)
        #expect(template.freeVariables == ["LIMIT"])
        let filled = try template.substituting(arguments: ["a", "views"]).substituting(variables: ["LIMIT": 5])
        #expect(filled == (try ObjectPredicate("name == 'a' AND views == 5")))
        #expect(throws: FormatError.self) { try template.substituting(arguments: ["a"]) }
        #expect(throws: FormatError.self) { try template.substituting(arguments: ["a", "b", "c"]) }
    }

    @Test("a SUBQUERY's own variable is not replaced within it, and is not free")
    func shadowing() throws {
        let predicate = try ObjectPredicate("SUBQUERY($x.posts, $x, $x.views > $y).@count > $x")
        #expect(predicate.freeVariables == ["x", "y"])
        let filled = predicate.substituting(variables: ["x": 1, "y": 2])
        #expect(filled.description == "SUBQUERY((1).posts, $x, $x.views > 2).@count > 1")
        #expect(filled.freeVariables.isEmpty)
    }

    @Test("placeholders and variables are found everywhere in a predicate")
    func everywhere() throws {
        let format = "{$a, 1}[$b] == TERNARY($c == %@, %K, CAST($d, 'NSNumber')) OR NOT ANY abs:($e).x IN %@"
        let predicate = try ObjectPredicate(template: format)
        #expect(predicate.freeVariables == ["a", "b", "c", "d", "e"])
        let filled = try predicate.substituting(arguments: [1, "k", [2]])
            .substituting(variables: ["a": 1, "b": 0, "c": 2, "d": "3", "e": 4])
        #expect(!filled.hasPlaceholders && filled.freeVariables.isEmpty)
    }
}
