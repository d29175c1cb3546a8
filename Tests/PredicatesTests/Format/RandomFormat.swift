// SPDX-License-Identifier: Apache-2.0

// Random predicates and expressions, for properties that must hold for all of them.

import FoundationEssentials
import Predicates
import TestSupport

/// Makes trees of all shapes in the language, including unusual ones.
struct RandomFormat {
    private var generator: SeededGenerator
    private var arguments = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func predicate(_ depth: Int = 4) -> ObjectPredicate {
        switch depth == 0 ? 0 : below(6) {
        case 0: .constant(flip())
        case 1: .not(predicate(depth - 1))
        case 2: .and((0..<(2 + below(3))).map { _ in predicate(depth - 1) })
        case 3: .or((0..<(2 + below(3))).map { _ in predicate(depth - 1) })
        default:
            .comparing(
                expression(depth - 1),
                pick(Comparison.Operator.allCases),
                expression(depth - 1),
                modifier: pick(Comparison.Modifier.allCases),
                options: Comparison.Options(rawValue: flip() ? 0 : UInt8(below(16)))
            )
        }
    }

    mutating func expression(_ depth: Int = 4) -> ObjectExpression {
        switch depth <= 0 ? below(5) : below(14) {
        case 0: return .constant(value(2))
        case 1: return .evaluatedObject
        case 2: return .variable(pick(["x", "_local_1", "FETCH_SOURCE", "ähnlich"]))
        case 3:
            defer { arguments += 1 }
            return .argument(
                FormatArgument(index: flip() ? arguments : below(5), kind: pick(FormatArgument.Kind.allCases))
            )
        case 4, 5: return .keyPath(of: .evaluatedObject, keys())
        case 6: return .keyPath(of: expression(depth - 1), keys())
        case 7: return .element(of: expression(depth - 1), index(depth - 1))
        case 8: return .aggregate((0..<below(4)).map { _ in expression(depth - 1) } + [.evaluatedObject])
        case 9: return .aggregate([.constant(value(1)), .constant(value(1))])
        case 10: return .cast(expression(depth - 1), pick(CastType.allCases))
        case 11: return .ternary(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
        case 12: return .subquery(expression(depth - 1), variable: "y", predicate(depth - 1))
        default:
            let function = pick(Function.allCases)
            let count = function.arity.lowerBound + (function.arity.count > 1 ? below(3) : 0)
            return .function(function, (0..<count).map { _ in expression(depth - 1) })
        }
    }

    private mutating func index(_ depth: Int) -> ElementIndex {
        switch below(4) {
        case 0: .first
        case 1: .last
        case 2: .size
        default: .at(expression(depth))
        }
    }

    private mutating func keys() -> [Key] {
        (0..<(1 + below(3))).map { _ in
            switch below(8) {
            case 0: .collection(pick(CollectionOperator.allCases))
            case 1: .argument(below(3))
            default:
                .name(
                    pick([
                        "a", "name", "in", "SIZE", "first", "cast", "Ünï", "two words", "1st", "", "a\u{A0}b", "self",
                        "minus", "q\"", "count",
                    ])
                )
            }
        }
    }

    private mutating func value(_ depth: Int) -> Value {
        switch below(depth == 0 ? 11 : 13) {
        case 0: .null
        case 1: .bool(flip())
        case 2: .integer(pick([0, 1, -1, 42, .max, .min]))
        case 3: .double(pick([0, -0.5, 1e300, .leastNonzeroMagnitude, 3.0, -.infinity, .infinity, 0.1]))
        case 4: .decimal(pick([1, -1, Decimal(string: "12345678901234567890.12345678")!, Decimal(string: "-0.1")!]))
        case 5, 6:
            .string(
                pick(["", "a", "it's", "\"", "\\", "a\\*b", "\n\t\r\u{1}", "日本", "👩‍👩‍👧", "%@ %K", "e\u{301}", "\u{7F}9"])
            )
        case 7: .date(Date(timeIntervalSinceReferenceDate: pick([0, 0.1, -1e9, 7.25e8 + 0.123456])))
        case 8: .data(Data([UInt8](repeating: 7, count: below(4))))
        case 9: .uuid(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!)
        case 10:
            flip() ? .uri("https://example.org/?a=%20") : .reference(ObjectReference(uri: "x-coredata://S/Post/p1"))
        case 11: .array((0..<below(4)).map { _ in value(depth - 1) })
        default: .dictionary(["b": value(depth - 1), "a": value(depth - 1)])
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    private mutating func flip() -> Bool { Bool.random(using: &generator) }
    private mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
