// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import TestSupport
import Testing

@Suite("Functions and casts")
struct FunctionTests {
    private func value(_ function: Function, _ arguments: Value...) throws -> Value? {
        try evaluate(.function(function, arguments.map(ObjectExpression.constant)))
    }

    @Test("every function except the aggregates gives nil for nil")
    func nilArguments() throws {
        let aggregates: [Function] = [.sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation]
        for function in Function.allCases where !aggregates.contains(function) && function.arity != 0...0 {
            let first = [Value](repeating: 2, count: function.arity.lowerBound - 1) + [.null]
            for arguments in [first, first.reversed()] {
                let result = try evaluate(.function(function, arguments.map(ObjectExpression.constant)))
                #expect(result == .null, "\(function)")
            }
        }
    }

    @Test("a wrong number of arguments is an error")
    func arity() {
        #expect(errorCode { try value(.add, 1) } == .wrongArgumentCount)
        #expect(errorCode { try value(.sum) } == .wrongArgumentCount)
        #expect(errorCode { try value(.now, 1) } == .wrongArgumentCount)
        #expect(errorCode { try value(.length, "a", "b") } == .wrongArgumentCount)
    }

    @Test(
        "arithmetic keeps integers and decimals, and an overflow gives a double",
        arguments: [
            (.add, 1, 2, 3), (.add, 1, .double(0.5), .double(1.5)), (.add, true, 1, 2),
            (.add, .integer(.max), 1, .double(0x1p63)),
            (.add, .decimal(Decimal(string: "0.1")!), .double(0.2), .decimal(Decimal(string: "0.3")!)),
            (.subtract, 1, 2, -1), (.subtract, .integer(.min), 1, .double(-0x1p63)),
            (.multiply, 3, 4, 12), (.multiply, .integer(.max), 2, .double(0x1p64)),
            (.multiply, .decimal(3), 4, .decimal(12)),
            (.divide, 5, 2, 2), (.divide, -5, 2, -2), (.divide, .double(5), 2, .double(2.5)),
            (.divide, .decimal(5), 2, .decimal(Decimal(string: "2.5")!)),
            (.divide, .integer(.min), -1, .double(0x1p63)),
            (.divide, 1, 0, nil), (.divide, .double(1), .double(0), nil), (.divide, .decimal(1), 0, nil),
            (.modulus, 7, 3, 1), (.modulus, -7, 3, -1), (.modulus, .double(5.5), 2, .double(1.5)),
            (.modulus, .decimal(Decimal(string: "-5.5")!), 2, .decimal(Decimal(string: "-1.5")!)),
            (.modulus, 7, 0, nil), (.modulus, .integer(.min), -1, 0),
            (.raise, 2, 3, .double(8)), (.raise, -1, .double(0.5), nil), (.raise, 0, -1, .double(.infinity)),
            (.bitwiseAnd, 6, 3, 2), (.bitwiseOr, 6, 3, 7), (.bitwiseXor, 6, 3, 5),
            (.bitwiseAnd, .double(6), .decimal(3), 2), (.bitwiseAnd, .double(6.5), 3, nil),
            (.leftShift, 1, 4, 16), (.leftShift, 1, 64, 0), (.leftShift, 1, .integer(.max), 0),
            (.leftShift, 16, -4, 1), (.leftShift, 16, .integer(.min), 0),
            (.rightShift, 16, 4, 1), (.rightShift, -1, 100, -1), (.rightShift, 1, -4, 16),
        ] as [(Function, Value, Value, Value)]
    )
    func arithmetic(function: Function, left: Value, right: Value, expected: Value) throws {
        #expect(try value(function, left, right) == expected)
    }

    @Test(
        "a product too small for a decimal is a double",
        arguments: [
            ("1e-90", "1e-90"), ("1e-128", "0.1"), ("-1e-128", "12.5"), ("1e-128", "1e-128"), ("1e-64", "1e-65"),
        ]
    )
    func smallProducts(left: String, right: String) throws {
        let expected = try #require(Double(left)) * #require(Double(right))
        let (left, right) = (Value.decimal(Decimal(string: left)!), Value.decimal(Decimal(string: right)!))
        #expect(try value(.multiply, left, right) == .double(expected))
        #expect(try value(.multiply, right, left) == .double(expected))
    }

    @Test("no arithmetic with the smallest and largest decimals traps")
    func limits() throws {
        let texts = [
            "0", "3", "-7.5", "1e-128", "-1e-128", "99999999999999999999999999999999999999e-128", "1e-90", "1e127",
            "-340282366920938463463374607431768211455e127", "0.1234567890123456789012345678901234567",
        ]
        let numbers =
            texts.map { Value.decimal(Decimal(string: $0)!) } + [.double(1e-300), .double(1e300), .integer(.min)]
        let functions: [Function] = [.add, .subtract, .multiply, .divide, .modulus, .raise]
        for left in numbers {
            for right in numbers {
                for function in functions { _ = try value(function, left, right) }
                for function in [Function.sum, .average, .median, .standardDeviation] {
                    #expect(try value(function, .array([left, right])) != .null, "\(function) of \(left), \(right)")
                }
            }
            for function in [Function.floor, .ceiling, .truncate, .negate, .absolute] {
                #expect(try value(function, left) != .null, "\(function) of \(left)")
            }
        }
    }

    @Test(
        "functions of one number have the expected results",
        arguments: [
            (.negate, 3, -3), (.negate, .double(0.5), .double(-0.5)), (.negate, .integer(.min), .double(0x1p63)),
            (.absolute, -3, 3), (.absolute, .integer(.min), .double(0x1p63)), (.absolute, .decimal(-2), .decimal(2)),
            (.absolute, .double(-1.5), .double(1.5)),
            (.floor, 3, 3), (.floor, .double(-1.5), .double(-2)),
            (.floor, .decimal(Decimal(string: "-1.5")!), .decimal(-2)),
            (.ceiling, .double(-1.5), .double(-1)), (.ceiling, .decimal(Decimal(string: "1.5")!), .decimal(2)),
            (.floor, .decimal(Decimal(string: "-0.5")!), .decimal(-1)),
            (.ceiling, .decimal(Decimal(string: "-0.5")!), .decimal(0)),
            (.truncate, .double(-1.5), .double(-1)), (.truncate, .decimal(Decimal(string: "-1.5")!), .decimal(-1)),
            (.squareRoot, 9, .double(3)), (.squareRoot, -1, nil),
            (.logarithm, 1000, .double(3)), (.logarithm, 0, nil), (.logarithm, -1, nil),
            (.naturalLogarithm, 1, .double(0)), (.naturalLogarithm, 0, nil), (.exponential, 0, .double(1)),
            (.onesComplement, 0, -1), (.onesComplement, .double(0.5), nil), (.randomBelow, 0, nil),
            (.randomBelow, -1, nil), (.randomBelow, 1, 0), (.noIndex, 5, 5),
        ] as [(Function, Value, Value)]
    )
    func unary(function: Function, argument: Value, expected: Value) throws {
        #expect(try value(function, argument) == expected)
    }

    @Test("text functions have the expected results")
    func text() throws {
        #expect(try value(.uppercase, "straße") == "STRASSE")
        #expect(try value(.lowercase, "ÀB") == "àb")
        #expect(try value(.canonical, "ÀB") == "ab")
        #expect(try value(.length, "👍é") == 3)
        #expect(try value(.length, .data(Data([1, 2]))) == 2)
        #expect(try value(.length, .uri("abc")) == 3)
        for property in ["abc", .uri("abc"), .data(Data([1, 2, 3]))] as [Value] {
            #expect(try evaluate(key("x.length"), Plain(properties: ["x": property])) == 3)
        }
    }

    @Test("an argument of the wrong kind is an error", arguments: [Function.length, .uppercase, .canonical])
    func wrongKinds(function: Function) {
        #expect(errorCode { try value(function, 1) } == .wrongKind)
        #expect(errorCode { try value(.add, "1", 1) } == .wrongKind)
        #expect(errorCode { try value(.add, .date(epoch), "1") } == .wrongKind)
        #expect(errorCode { try value(.subtract, 1, .date(epoch)) } == .wrongKind)
        #expect(errorCode { try value(.sum, ["a"]) } == .wrongKind)
        #expect(errorCode { try value(.union, 1, [2]) } == .wrongKind)
        #expect(errorCode { try evaluate(call(.add, .evaluatedObject, constant(1))) } == .wrongKind)
    }

    @Test(
        "operands of the wrong kind are nil in untyped values, and aggregates ignore them",
        arguments: [
            ("json.a + 1", nil), ("1 - json.a", nil), ("abs:(json.a)", nil), ("uppercase:(json.n)", nil),
            ("json.a.length", 1), ("length:(json.n)", nil), ("uppercase:(json)", nil), ("json.n + 1", 3),
            ("sum:(json.mixed)", 4), ("json.mixed.@sum", 4), ("json.mixed.@avg", 2), ("average:(json.mixed)", 2),
            ("stddev:(json.mixed)", 1), ("median:(json.mixed)", 2), ("json.a.@sum", 0), ("json.a.@avg", nil),
            ("sum:({json.a, json.n, n})", 7), ("json.mixed[1] + 1", nil), ("json.mixed[0] + 1", 2),
            ("SUBQUERY(json.mixed, $m, $m + 1 == 2).@count", 1), ("(json.a + 1) + 1", nil),
            ("TERNARY(n == 5, json.a, n) + 1", nil), ("max:(json.mixed) + 1", nil), ("n + json.a", nil),
            ("text + 1", "error"), ("uppercase:(n)", "error"), ("size.unit + 1", "error"), ("list.@sum", "error"),
            ("sum:({text, json.n})", "error"), ("uppercase:(n) + json.n", "error"),
            ("SUBQUERY(list, $m, $m + 1 == 2).@count", "error"), ("uppercase:(CAST(json.a, 'NSNumber'))", nil),
        ] as [(String, Value?)]
    )
    func untypedOperands(text: String, expected: Value?) throws {
        let object = Plain(properties: [
            "json": .dictionary(["a": "x", "n": 2, "mixed": .array([1, "x", 3, .null])]),
            "n": 5, "text": "t", "list": .array(["a"]), "size": .dictionary(["unit": "m"]),
        ])
        let expression = try ObjectExpression(text)
        if expected == "error" {
            #expect(errorCode { try evaluate(expression, object) } == .wrongKind)
        } else {
            #expect(try evaluate(expression, object)?.isEqual(to: expected ?? .null, []) == true)
        }
    }

    @Test("seconds are added to dates, and the difference of dates is in seconds")
    func dates() throws {
        #expect(try value(.add, .date(epoch), 60) == .date(epoch + 60))
        #expect(try value(.add, .double(0.5), .date(epoch)) == .date(epoch + 0.5))
        #expect(try value(.subtract, .date(epoch), 60) == .date(epoch - 60))
        #expect(try value(.subtract, .date(epoch + 60), .date(epoch)) == .double(60))
        #expect(try value(.add, .date(epoch), .double(-.infinity)) == .null)
        #expect(try value(.add, .double(.infinity), .date(epoch)) == .null)
        #expect(try value(.subtract, .date(epoch), .double(.infinity)) == .null)
        #expect(try value(.now) == .date(epoch))
    }

    @Test("aggregates ignore nil, and accept one collection or several values")
    func aggregates() throws {
        for (function, expected) in [
            (.sum, 10), (.count, 4), (.minimum, 1), (.maximum, 5), (.average, .double(2.5)), (.median, .double(2)),
            (.mode, 2), (.standardDeviation, .double(1.5)),
        ] as [(Function, Value)] {
            #expect(try value(function, [5, 2, 1, nil, 2]) == expected)
            #expect(try value(function, 5, 2, 1, nil, 2) == expected)
            #expect(try value(function, [5, 2], [1, 2], nil) == expected)
        }
        #expect(try value(.median, [3, 1, 2]) == 2)
        #expect(try value(.mode, [3, 1, 3, 1]) == 1)
        #expect(try value(.sum, [.integer(.max), 1]) == .double(0x1p63))
        #expect(try value(.sum, [1, .decimal(2), .double(0.5)]) == .decimal(Decimal(string: "3.5")!))
        #expect(try value(.average, [.decimal(1), 2]) == .decimal(Decimal(string: "1.5")!))
        #expect(try value(.maximum, ["a", "b"]) == "b")
        #expect(try value(.minimum, [.date(epoch + 1), .date(epoch)]) == .date(epoch))
        #expect(try value(.standardDeviation, [3]) == .double(0))
    }

    @Test("aggregates over no values are nil, except count and sum, which are 0")
    func aggregatesOverNothing() throws {
        for function in [.minimum, .maximum, .average, .median, .mode, .standardDeviation] as [Function] {
            #expect(try value(function, []) == .null)
            #expect(try value(function, nil) == .null)
        }
        #expect(try value(.sum, []) == 0)
        #expect(try value(.count, [nil]) == 0)
    }

    @Test("union, intersect and minus give sets in the order of their members")
    func sets() throws {
        let first = constant([3, 1, 3, 2])
        let second = constant([.double(2), 4, 3])
        #expect(try members(call(.union, first, second)) == [3, 1, 2, 4])
        #expect(try members(call(.intersect, first, second)) == [3, 2])
        #expect(try members(call(.minus, first, second)) == [1])
        let nested = constant([
            [1, "a"], [.double(1), "a"], .dictionary(["k": 1]), .dictionary(["k": true]), ["a", 1],
        ])
        #expect(try members(call(.union, nested, nested)) == [[1, "a"], .dictionary(["k": 1]), ["a", 1]])
        #expect(try evaluate(key("x.@count"), Thing(nil, ["x": [nil, [nil]]])) == 1)
    }

    @Test("the given random source is used")
    func random() throws {
        func draw(seed: UInt64) throws -> [Value?] {
            let evaluator = Evaluator(now: epoch, random: SeededGenerator(seed: seed))
            return try [call(.random), call(.randomBelow, constant(100)), call(.random)].map {
                guard case .value(let value) = try evaluator.operand(of: $0, for: Plain()) else { return nil }
                return value
            }
        }
        #expect(try draw(seed: 1) == draw(seed: 1))
        #expect(try draw(seed: 1) != draw(seed: 2))
        guard case .double(let number)? = try draw(seed: 3)[0], case .integer(let below)? = try draw(seed: 3)[1] else {
            Issue.record("not numbers")
            return
        }
        #expect((0..<1).contains(number))
        #expect((0..<100).contains(below))
    }

    static let uuid = UUID(uuidString: "5A3F0000-0000-0000-0000-000000000001")!

    @Test(
        "casts have the expected results",
        arguments: [
            ("12", .number, 12), ("12.5", .number, .double(12.5)), ("x", .number, nil), ("", .number, nil),
            ("1e999", .number, nil), ("nan", .number, nil), (true, .number, 1),
            (.date(epoch + 1.5), .number, .double(1.5)),
            (.decimal(2), .number, .decimal(2)), (.uuid(uuid), .number, nil),
            ("0.1", .decimal, .decimal(Decimal(string: "0.1")!)),
            (.double(0.1), .decimal, .decimal(Decimal(string: "0.1")!)),
            (.integer(.max), .decimal, .decimal(Decimal(string: "9223372036854775807")!)), ("1 apple", .decimal, nil),
            ("0x1F", .decimal, nil),
            (1, .string, "1"), (.double(2), .string, "2"), (.double(2.5), .string, "2.5"), (true, .string, "1"),
            (.date(epoch), .string, "2001-01-01T00:00:00Z"), (.date(epoch + 0.25), .string, "2001-01-01T00:00:00.250Z"),
            (.uuid(uuid), .string, .string(uuid.uuidString)), (.data(Data([0, 1])), .string, "AAE="),
            (.uri("a:b"), .string, "a:b"), (.reference(ObjectReference(uri: "r")), .string, "r"), ([1], .string, nil),
            (0, .date, .date(epoch)), (.double(1.5), .date, .date(epoch + 1.5)), ("60", .date, .date(epoch + 60)),
            ("2001-01-01T00:01:00Z", .date, .date(epoch + 60)), ("2001-01-01T01:00:00+01:00", .date, .date(epoch)),
            ("2001-01-01T00:00:00.250Z", .date, .date(epoch + 0.25)), ("2001-01-02", .date, .date(epoch + 86_400)),
            ("yesterday", .date, nil), (.double(.infinity), .date, nil),
            ("AAE=", .data, .data(Data([0, 1]))), ("?", .data, nil), (1, .data, nil),
            ("5a3f0000-0000-0000-0000-000000000001", .uuid, .uuid(uuid)), ("5a3f", .uuid, nil),
            ("a:b", .uri, .uri("a:b")), (1, .uri, nil),
            (.dictionary(["a": 1]), .dictionary, .dictionary(["a": 1])), ([1], .dictionary, nil),
            ("r", .reference, .reference(ObjectReference(uri: "r"))), (1, .reference, nil),
        ] as [(Value, CastType, Value)]
    )
    func casts(value: Value, type: CastType, expected: Value) throws {
        #expect(value.cast(to: type) == expected)
        #expect(try evaluate(.cast(constant(value), type)) == expected)
        #expect(Value.null.cast(to: type) == .null)
    }

    @Test("a cast object is its reference")
    func castObjects() throws {
        #expect(try evaluate(.cast(.evaluatedObject, .string), Thing("post/1")) == "post/1")
        #expect(try evaluate(.cast(.evaluatedObject, .reference), Plain()) == .null)
    }

    @Test("TERNARY evaluates only the branch that its condition chooses")
    func ternary() throws {
        let condition = ObjectPredicate.comparing(key("x"), .greater, constant(1))
        let expression = ObjectExpression.ternary(condition, constant("hot"), key("missing"))
        #expect(try evaluate(expression, Plain(properties: ["x": 2])) == "hot")
        #expect(errorCode { try evaluate(expression, Plain(properties: ["x": 1])) } == .unknownKey)
    }
}
