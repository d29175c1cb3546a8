// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import TestSupport
import Testing

@Suite("Laws of evaluation")
struct EvaluationPropertyTests {
    let blog = Blog()

    @Test("reordering terms doesn't change a result", arguments: SeededGenerator.seeds(1))
    func reordering(seed: UInt64) throws {
        try forRandomPredicates(seed) { predicate, object in
            let holds = try predicate.evaluate(with: object)
            #expect(try predicate.reorderedForEvaluation.evaluate(with: object) == holds)
        }
    }

    @Test("NOT negates, and De Morgan's laws hold", arguments: SeededGenerator.seeds(1))
    func negation(seed: UInt64) throws {
        try forRandomPredicates(seed) { predicate, object in
            let holds = try predicate.evaluate(with: object)
            #expect(try ObjectPredicate.not(predicate).evaluate(with: object) == !holds)
            switch predicate {
            case .and(let terms):
                #expect(try ObjectPredicate.or(terms.map(ObjectPredicate.not)).evaluate(with: object) == !holds)
            case .or(let terms):
                #expect(try ObjectPredicate.and(terms.map(ObjectPredicate.not)).evaluate(with: object) == !holds)
            default: break
            }
        }
    }

    @Test("the opposite of == is !=, directly and across ANY and ALL", arguments: SeededGenerator.seeds(1))
    func opposites(seed: UInt64) throws {
        try forRandomPredicates(seed) { predicate, object in
            guard case .comparison(var comparison) = predicate, comparison.operator == .equal else { return }
            comparison.operator = .notEqual
            switch comparison.modifier {
            case .any: comparison.modifier = .all
            case .all: comparison.modifier = .any
            case .direct: break
            }
            let opposite = try ObjectPredicate.comparison(comparison).evaluate(with: object)
            let holds = try predicate.evaluate(with: object)
            #expect(opposite == !holds)
        }
    }

    @Test("ANY is equivalent to a SUBQUERY that finds a member", arguments: SeededGenerator.seeds(1))
    func anyIsSubquery(seed: UInt64) throws {
        try forRandomPredicates(seed) { predicate, object in
            guard case .comparison(var comparison) = predicate, comparison.modifier == .any else { return }
            let collection = comparison.left
            comparison.left = .variable("member")
            comparison.modifier = .direct
            let found = ObjectExpression.subquery(collection, variable: "member", .comparison(comparison))
            let subquery = ObjectPredicate.comparing(.element(of: found, .size), .greater, .constant(0))
            let holds = try predicate.evaluate(with: object)
            #expect(try subquery.evaluate(with: object) == holds)
        }
    }

    @Test("a predicate parsed from its text gives the same results", arguments: SeededGenerator.seeds(1))
    func text(seed: UInt64) throws {
        try forRandomPredicates(seed) { predicate, object in
            let holds = try predicate.evaluate(with: object)
            #expect(try ObjectPredicate(predicate.description).evaluate(with: object) == holds)
        }
    }

    @Test("equality and order agree, and IN agrees with equality")
    func consistency() throws {
        let values = RandomPredicates.values
        for left in values {
            for right in values {
                for options in [[], caseInsensitive, folding, .localeSensitive] as [Comparison.Options] {
                    let isEqual = try compare(left, .equal, right, options)
                    #expect(try compare(right, .equal, left, options) == isEqual)
                    #expect(try compare(left, .in, [right], options) == isEqual)
                    let padded = Value.array(Array(repeating: "padding", count: 20) + [right])
                    #expect(try compare(left, .in, padded, options) == (isEqual || left == "padding"))
                    #expect(try compare(left, .less, right, options) == compare(right, .greater, left, options))
                    let isOrdered = try compare(left, .lessOrEqual, right, options)
                    let isEither = try compare(left, .less, right, options) || isEqual
                    if isOrdered { #expect(isEither) }
                    #expect(try !(compare(left, .less, right, options) && isEqual))
                }
            }
        }
    }

    @Test(
        "predicates and expressions of any shape evaluate or throw, and never trap",
        arguments: SeededGenerator.seeds(8)
    )
    func anyShape(seed: UInt64) {
        var format = RandomFormat(seed: seed)
        let (author, posts) = (blog.author, blog.posts)
        let names = [
            "a", "name", "in", "SIZE", "first", "cast", "Ünï", "two words", "1st", "", "a\u{A0}b", "minus", "q\"",
        ]
        for (index, name) in names.enumerated() {
            posts[0].properties[name] =
                [
                    .null, .object(author), .object(posts[0]), .collection([.object(posts[0]), .null]), .value("text"),
                    .value([1, nil, "a"]), .value(.integer(.min)), .value(.decimal(.nan)), .value(.double(.infinity)),
                    .value(.dictionary(["a": 1])), .value(.date(epoch)), .value(.bool(true)), .value(.data(Data())),
                ][index]
        }
        let evaluator = Evaluator(
            variables: [
                "x": .object(posts[0]), "_local_1": .value("text"), "FETCH_SOURCE": .object(author), "ähnlich": .null,
            ],
            now: epoch
        )
        var results = 0
        for _ in 0..<1_500 {
            let predicate = format.predicate(5)
            if (try? evaluator.matches(predicate, posts[0])) != nil { results += 1 }
            _ = try? evaluator.matches(predicate.reorderedForEvaluation, posts[0])
            _ = try? evaluator.operand(of: format.expression(5), for: posts[0])
        }
        #expect(results > 50)
    }

    @Test("reordering puts cheap terms first, in their order, and expensive ones last")
    func order() throws {
        let predicate = try ObjectPredicate(
            """
            SUBQUERY(tags, $t, $t.b LIKE 'x' AND $t.a == 1).@count > 0 AND ANY tags.a == 1 AND a MATCHES 'x' AND b LIKE 'x*' \
            AND (c CONTAINS 'x' OR d == 1) AND length:(e) > 1 AND f.g == 1 AND h == 1 AND i < 2 AND TRUEPREDICATE
            """
        )
        let expected = try ObjectPredicate(
            """
            TRUEPREDICATE AND h == 1 AND i < 2 AND f.g == 1 AND length:(e) > 1 AND (d == 1 OR c CONTAINS 'x') \
            AND b LIKE 'x*' AND a MATCHES 'x' AND ANY tags.a == 1 AND SUBQUERY(tags, $t, $t.a == 1 AND $t.b LIKE 'x').@count > 0
            """
        )
        #expect(predicate.reorderedForEvaluation == expected)
        #expect(expected.reorderedForEvaluation == expected)
    }

    private func forRandomPredicates(_ seed: UInt64, _ check: (ObjectPredicate, Thing) throws -> Void) throws {
        var random = RandomPredicates(seed: seed)
        for _ in 0..<1_500 {
            let (predicate, object) = (random.predicate(depth: 3), random.object(depth: 2))
            do {
                try check(predicate, object)
            } catch {
                Issue.record("seed \(seed): \(predicate) threw \(error)")
            }
        }
    }
}

/// Random predicates that fit random objects, so that evaluating them doesn't throw.
struct RandomPredicates {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    static let values: [Value] = [
        nil, 0, 1, -1, 2, true, false, .double(1), .double(1.5), .double(-0.0), .integer(.max), .double(0x1p63),
        .integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), .decimal(9_007_199_254_740_993), .decimal(1),
        .decimal(Decimal(string: "0.1")!), .double(0.1), "", "a", "A", "ä", "a\u{308}", "Ä", "b", "ß", "SS", "a*", "?",
        .uri("a"), .date(epoch), .date(epoch + 1), .data(Data()), .data(Data([1])),
        .reference(ObjectReference(uri: "a")),
        .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!), [], [1], ["a", nil], .dictionary(["a": 1]),
    ]

    mutating func object(depth: Int) -> Thing {
        let object = Thing(flip() ? "a" : nil, ["a": value(), "b": value(), "c": value()])
        object.properties["one"] = depth == 0 || flip() ? .null : .object(self.object(depth: depth - 1))
        let count = depth == 0 ? 0 : Int.random(in: 0...3, using: &generator)
        object.properties["many"] = .collection((0..<count).map { _ in .object(self.object(depth: depth - 1)) })
        return object
    }

    mutating func predicate(depth: Int) -> ObjectPredicate {
        switch depth == 0 ? 4 : Int.random(in: 0..<8, using: &generator) {
        case 0: .not(predicate(depth: depth - 1))
        case 1, 2: .and((0..<3).map { _ in predicate(depth: depth - 1) })
        case 3: .or((0..<3).map { _ in predicate(depth: depth - 1) })
        case 4, 5: comparison(single(), .direct)
        case 6:
            comparison(
                .keyPath(pick(["many.a", "many.b", "many.one.a", "many.many.c", "one.many.b"])),
                pick([.any, .all])
            )
        default:
            .comparing(
                .keyPath(
                    of: .subquery(
                        key("many"),
                        variable: "m",
                        .comparing(
                            .keyPath(of: .variable("m"), Key.path("a")),
                            pick(Self.operators),
                            .constant(value())
                        )
                    ),
                    [.collection(.count)]
                ),
                pick([.equal, .greater]),
                .constant(pick([0, 1]))
            )
        }
    }

    private static let operators = Comparison.Operator.allCases.filter { $0 != .matches }

    private mutating func comparison(_ left: ObjectExpression, _ modifier: Comparison.Modifier) -> ObjectPredicate {
        let operation = flip() ? .equal : pick(Self.operators)
        let right: ObjectExpression =
            switch operation {
            case .between: .constant([value(), value()])
            case .in: .constant(.array((0..<Int.random(in: 0...12, using: &generator)).map { _ in value() }))
            default: flip() ? single() : .constant(value())
            }
        let options: Comparison.Options = pick([[], [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]])
        return .comparing(left, operation, right, modifier: modifier, options: options)
    }

    private mutating func single() -> ObjectExpression {
        pick([
            key("a"), key("b"), key("c"), key("one.a"), key("one.one.b"), key("many.@count"), key("one"),
            .evaluatedObject, .element(of: key("many.a"), .first),
            .ternary(.comparing(key("a"), .equal, key("b")), key("a"), key("c")),
        ])
    }

    private mutating func value() -> Value { pick(Self.values) }
    private mutating func flip() -> Bool { Bool.random(using: &generator) }
    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }
}
