// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import Testing

@Suite("Comparisons of values")
struct ComparisonTests {
    @Test(
        "== and != treat nil as a value and are opposites",
        arguments: [
            (nil, nil, true), (nil, "a", false), ("a", nil, false), ("a", "a", true), (1, nil, false), (0, nil, false),
            (false, nil, false), ("", nil, false),
        ] as [(Value, Value, Bool)]
    )
    func nilEquality(left: Value, right: Value, isEqual: Bool) throws {
        #expect(try compare(left, .equal, right) == isEqual)
        #expect(try compare(left, .notEqual, right) == !isEqual)
    }

    @Test(
        "ordering and text operators are false with nil on either side",
        arguments: [
            .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith, .contains, .like, .matches,
            .between,
        ] as [Comparison.Operator]
    )
    func nilOrder(operation: Comparison.Operator) throws {
        #expect(try !compare(nil, operation, "a"))
        #expect(try !compare("a", operation, nil))
        #expect(try !compare(nil, operation, nil))
        #expect(try !compare(nil, operation, ["a", "b"]))
    }

    @Test("BETWEEN is false if a bound is nil")
    func nilBound() throws {
        #expect(try !compare(1, .between, [nil, 2]))
        #expect(try !compare(1, .between, [0, nil]))
    }

    @Test("BETWEEN includes its bounds and needs exactly two of them")
    func between() throws {
        #expect(try compare(1, .between, [1, 3]))
        #expect(try compare(3, .between, [1, 3]))
        #expect(try !compare(4, .between, [1, 3]))
        #expect(try !compare(1, .between, [1]))
        #expect(try !compare(1, .between, [1, 2, 3]))
        #expect(try !compare(1, .between, 1))
        #expect(try compare("B", .between, ["a", "c"], caseInsensitive))
    }

    static let big: Int64 = 9_007_199_254_740_993  // 2^53 + 1, which no double is.

    @Test(
        "numbers of mixed types are compared by their exact values",
        arguments: [
            (.integer(1), .double(1), .orderedSame),
            (true, 1, .orderedSame),
            (false, .double(0), .orderedSame),
            (.double(-0.0), 0, .orderedSame),
            (.integer(big), .double(9_007_199_254_740_992), .orderedDescending),
            (.integer(big), .decimal(Decimal(big)), .orderedSame),
            (.decimal(Decimal(big)), .double(9_007_199_254_740_992), .orderedDescending),
            (.integer(.max), .double(0x1p63), .orderedAscending),
            (.integer(.min), .double(-0x1p63), .orderedSame),
            (.integer(.max), .double(.infinity), .orderedAscending),
            (.integer(.min), .double(-.infinity), .orderedDescending),
            (.integer(-1), .double(-1.5), .orderedDescending),
            (.integer(1), .double(1.5), .orderedAscending),
            (.decimal(Decimal(string: "0.1")!), .double(0.1), .orderedSame),
            (.decimal(Decimal(string: "0.30000000000000004")!), .double(0.1 + 0.2), .orderedSame),
            (.decimal(Decimal(string: "2.50")!), .decimal(Decimal(string: "2.5")!), .orderedSame),
            (.decimal(2), .double(1e300), .orderedAscending),
            (.decimal(2), .double(1.5e150), .orderedAscending), (.decimal(-2), .double(-1.5e150), .orderedDescending),
            (.decimal(Decimal(string: "150000000000000000000000e127")!), .double(1.5e150), .orderedSame),
            (.decimal(Decimal(string: "150000000000000000000001e127")!), .double(1.5e150), .orderedDescending),
            (.decimal(Decimal(string: "1e127")!), .double(1e128), .orderedAscending),
            (.decimal(Decimal(string: "1000e127")!), .double(1e130), .orderedSame),
            (.decimal(.greatestFiniteMagnitude), .double(1e166), .orderedAscending),
            (.decimal(Decimal(string: "1e-128")!), .double(1.2345678901234567e-120), .orderedAscending),
            (.decimal(Decimal(string: "-1e-128")!), .double(-1.2345678901234567e-120), .orderedDescending),
            (.decimal(Decimal(string: "1e-128")!), .double(1e-129), .orderedDescending),
            (.decimal(Decimal(string: "1e-128")!), .double(1e-128), .orderedSame),
            (.decimal(-2), .double(-1e300), .orderedDescending),
            (.decimal(0), .double(1e-300), .orderedAscending),
            (.decimal(2), .double(1e-300), .orderedDescending),
            (.decimal(0), .double(0), .orderedSame),
            (.decimal(3), .double(.infinity), .orderedAscending),
            (.integer(.max), .decimal(Decimal(string: "9223372036854775807.5")!), .orderedAscending),
        ] as [(Value, Value, ComparisonResult)]
    )
    func mixedNumbers(left: Value, right: Value, order: ComparisonResult) throws {
        #expect(try compare(left, .equal, right) == (order == .orderedSame))
        #expect(try compare(right, .equal, left) == (order == .orderedSame))
        #expect(try compare(left, .less, right) == (order == .orderedAscending))
        #expect(try compare(right, .greater, left) == (order == .orderedAscending))
        #expect(try compare(left, .greater, right) == (order == .orderedDescending))
        #expect(try compare(left, .lessOrEqual, right) == (order != .orderedDescending))
        #expect(try compare(left, .greaterOrEqual, right) == (order != .orderedAscending))
        #expect(try compare(left, .in, [right]) == (order == .orderedSame))
    }

    @Test("NaN equals nothing and has no order")
    func notANumber() throws {
        let nan = Value.double(.nan)
        for other in [nan, 0, .double(1), .decimal(1), .decimal(.nan)] {
            #expect(try !compare(nan, .equal, other))
            #expect(try !compare(nan, .lessOrEqual, other))
            #expect(try !compare(other, .greaterOrEqual, nan))
        }
    }

    static let kinds: [Value] = [
        1, "1", .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data("1".utf8)),
        .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!), .reference(ObjectReference(uri: "1")), [1],
        ["1"], .dictionary(["1": 1]),
    ]

    @Test("values of different kinds are never equal and never ordered", arguments: kinds.indices)
    func unlikeKinds(index: Int) throws {
        for (other, right) in Self.kinds.enumerated() where other != index {
            let left = Self.kinds[index]
            #expect(try !compare(left, .equal, right))
            #expect(try compare(left, .notEqual, right))
            #expect(try !compare(left, .less, right))
            #expect(try !compare(left, .greaterOrEqual, right))
        }
        #expect(try compare(Self.kinds[index], .equal, Self.kinds[index]))
    }

    @Test("a URI is compared with text by its characters")
    func uris() throws {
        #expect(try compare(.uri("http://a/"), .equal, "http://a/"))
        #expect(try compare(.uri("http://a/"), .beginsWith, "HTTP", caseInsensitive))
        #expect(try compare(.uri("a"), .less, .uri("b")))
    }

    @Test("dates are compared by time, and UUIDs and data by their bytes")
    func orders() throws {
        #expect(try compare(.date(epoch), .less, .date(epoch + 0.001)))
        #expect(try compare(.date(epoch), .between, [.date(epoch), .date(epoch + 1)]))
        let low = UUID(uuidString: "0FFFFFFF-0000-0000-0000-000000000000")!
        let high = UUID(uuidString: "F0000000-0000-0000-0000-000000000000")!
        #expect(try compare(.uuid(low), .less, .uuid(high)))
        #expect(try compare(.data(Data([1, 2])), .less, .data(Data([1, 2, 0]))))
        #expect(try compare(.data(Data([2])), .greater, .data(Data([1, 255]))))
    }

    @Test("lists are equal member by member, and dictionaries key by key")
    func composites() throws {
        #expect(try compare([1, "a"], .equal, [.double(1), "a"]))
        #expect(try !compare([1], .equal, [1, 2]))
        #expect(try compare(["A"], .equal, ["a"], caseInsensitive))
        #expect(try compare(.dictionary(["a": 1]), .equal, .dictionary(["a": .decimal(1)])))
        #expect(try !compare(.dictionary(["a": 1]), .equal, .dictionary(["b": 1])))
    }

    @Test("text is compared by code point, so composed and decomposed letters differ")
    func codePoints() throws {
        #expect(try !compare("e\u{301}", .equal, "é"))
        #expect(try compare("Z", .less, "a"))
        #expect(try compare("z", .less, "é"))
        #expect(try compare("\u{FFFF}", .less, "\u{10000}"))
        #expect(try compare("", .less, "a"))
        #expect(try compare("ab", .greater, "a"))
    }

    @Test("options fold both sides of equality, order and membership, and n overrides them")
    func options() throws {
        #expect(try compare("HÉLLO", .equal, "hello", folding))
        #expect(try !compare("HÉLLO", .equal, "hello", caseInsensitive))
        #expect(try compare("HÉLLO", .equal, "HELLO", diacriticInsensitive))
        #expect(try !compare("HÉLLO", .notEqual, "hello", folding))
        #expect(try compare("B", .greater, "a", caseInsensitive))
        #expect(try !compare("B", .greater, "a"))
        #expect(try compare("É", .in, ["e"], folding))
        #expect(try !compare("A", .equal, "a", [.normalized, .caseInsensitive, .diacriticInsensitive]))
        #expect(try !compare("A", .like, "a", [.normalized, .caseInsensitive]))
        #expect(try !compare("A", .matches, "a", [.normalized, .caseInsensitive]))
    }

    @Test("the l option orders text by the root locale, with accents and case after letters")
    func locale() throws {
        #expect(try compare("a", .less, "B", .localeSensitive))
        #expect(try compare("ä", .less, "b", .localeSensitive))
        #expect(try !compare("ä", .less, "b"))
        #expect(try compare("e\u{301}", .equal, "é", .localeSensitive))
        #expect(try !compare("a", .equal, "A", .localeSensitive))
        #expect(try compare("a", .equal, "A", [.localeSensitive, .caseInsensitive]))
        #expect(try compare("e\u{301}", .in, .array(Array(repeating: "é", count: 20)), .localeSensitive))
    }
}
