// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import Testing

@Suite("Sort descriptors")
struct SortDescriptorTests {
    let blog = Blog()

    @Test(
        "a sort descriptor's short text form is read and written",
        arguments: [
            ("-createdAt", ObjectSortDescriptor("createdAt", ascending: false)),
            ("title", ObjectSortDescriptor("title")),
            ("title[cd]", ObjectSortDescriptor("title", options: folding)),
            ("-author.name[c]", ObjectSortDescriptor("author.name", ascending: false, options: .caseInsensitive)),
            ("posts.@count", ObjectSortDescriptor("posts.@count")),
            ("title[l]", ObjectSortDescriptor("title", options: .localeSensitive)),
            ("größe_2", ObjectSortDescriptor("größe_2")),
        ]
    )
    func text(text: String, descriptor: ObjectSortDescriptor) throws {
        #expect(try ObjectSortDescriptor(parsing: text) == descriptor)
        #expect(descriptor.description == text)
        #expect(
            try ObjectSortDescriptor.list(parsing: "\(text), - b , \(text)")
                == [descriptor, ObjectSortDescriptor("b", ascending: false), descriptor]
        )
    }

    @Test(
        "an unreadable sort descriptor is an error with its position",
        arguments: [
            ("", .missingKeyPath, 0), ("-", .missingKeyPath, 1), ("a,,b", .missingKeyPath, 2),
            ("a,", .missingKeyPath, 2),
            ("a..b", .invalidKey, 2), ("a,b.2", .invalidKey, 4), ("a b", .invalidKey, 0), ("--a", .invalidKey, 1),
            ("a.@total", .invalidKey, 2), ("+a", .invalidKey, 0), ("a[x]", .invalidOptions, 1),
            ("a[]", .invalidOptions, 1),
            ("a[c", .invalidOptions, 1), ("a[c]b", .invalidOptions, 1), ("é,a[", .invalidOptions, 3),
            ("[c]", .missingKeyPath, 0),
        ] as [(String, SortDescriptorError.Code, Int)]
    )
    func errors(text: String, code: SortDescriptorError.Code, position: Int) {
        do {
            let list = try ObjectSortDescriptor.list(parsing: text)
            Issue.record("read as \(list)")
        } catch {
            #expect(error.code == code)
            #expect(error.position == position)
            #expect(!error.hint.isEmpty)
        }
    }

    @Test("a list of sort descriptors is refused where one is expected")
    func single() {
        #expect(throws: SortDescriptorError.self) { try ObjectSortDescriptor(parsing: "a,b") }
    }

    private func sorted(_ values: [Value], _ descriptor: String) throws -> [Value] {
        let things = values.map { Thing(nil, ["x": $0]) }
        return try things.sorted(by: ObjectSortDescriptor.list(parsing: descriptor)).map { thing in
            if case .value(let value)? = thing.properties["x"] { value } else { "missing" }
        }
    }

    @Test("nil is first in ascending and last in descending order")
    func nulls() throws {
        #expect(try sorted([2, nil, 1], "x") == [nil, 1, 2])
        #expect(try sorted([2, nil, 1], "-x") == [2, 1, nil])
    }

    @Test("text is sorted by code point, folded, or by the root locale")
    func textOrder() throws {
        #expect(try sorted(["b", "Ä", "a", "B", ""], "x") == ["", "B", "a", "b", "Ä"])
        #expect(try sorted(["b", "Ä", "a", "B"], "x[cd]") == ["Ä", "a", "b", "B"])
        #expect(try sorted(["b", "Ä", "a", "B"], "x[c]") == ["a", "b", "B", "Ä"])
        #expect(try sorted(["b", "Ä", "a", "B"], "x[l]") == ["a", "Ä", "b", "B"])
    }

    @Test("numbers of mixed types are sorted by value, dates by time, and false before true")
    func values() throws {
        let big: Value = .integer(9_007_199_254_740_993)
        #expect(
            try sorted([big, .double(9_007_199_254_740_992), .decimal(1), .double(0.5)], "x")
                == [.double(0.5), .decimal(1), .double(9_007_199_254_740_992), big]
        )
        #expect(try sorted([.date(epoch + 1), .date(epoch)], "x") == [.date(epoch), .date(epoch + 1)])
        #expect(try sorted([true, false], "x") == [false, true])
    }

    @Test("later descriptors order equal objects, and the sort is stable")
    func several() throws {
        let things = [("b", 1), ("a", 2), ("B", 0), ("a", 1), ("b", 1)].enumerated().map { index, pair in
            Thing(String(index), ["name": .string(pair.0), "n": .integer(pair.1)])
        }
        let order = try things.sorted(by: ObjectSortDescriptor.list(parsing: "name[c],-n")).map { $0.reference?.uri }
        #expect(order == ["1", "3", "0", "4", "2"])
        let existentials: [any KeyValueObject] = things
        let same = try existentials.sorted(by: ObjectSortDescriptor.list(parsing: "name[c],-n")).map {
            $0.reference?.uri
        }
        #expect(same == order)
        #expect(try things.sorted(by: []).map { $0.reference?.uri } == ["0", "1", "2", "3", "4"])
    }

    @Test("objects are sorted by reference or key path, and to-many keys are refused")
    func objects() throws {
        let (author, posts) = (blog.author, blog.posts)
        #expect(try posts.sorted(by: [ObjectSortDescriptor("author")]).first === posts[1])
        #expect(try posts.sorted(by: [ObjectSortDescriptor("author.name", ascending: false)]).first === posts[0])
        #expect(try posts.sorted(by: [ObjectSortDescriptor("tags.@count")]).first === posts[1])
        #expect(errorCode { try posts.sorted(by: [ObjectSortDescriptor("tags")]) } == .toManyNotAllowed)
        #expect(errorCode { try [author, author].sorted(by: [ObjectSortDescriptor("oops")]) } == .unknownKey)
    }

    @Test("the order is total and consistent over values of all kinds", arguments: ["x", "-x", "x[cd]", "x[l]"])
    func totalOrder(text: String) throws {
        let descriptor = try ObjectSortDescriptor(parsing: text)
        let values = RandomPredicates.values + [.double(.nan), .decimal(.nan), .double(.infinity), [2], ["a"]]
        func order(_ left: Value, _ right: Value) -> Int { descriptor.compare(left, right).rawValue }
        for first in values {
            #expect(order(first, first) == 0)
            for second in values {
                #expect(order(first, second) == -order(second, first), "\(first) and \(second)")
                guard order(first, second) <= 0 else { continue }
                for third in values where order(second, third) <= 0 {
                    let isStrict = order(first, second) < 0 || order(second, third) < 0
                    #expect(order(first, third) <= (isStrict ? -1 : 0), "\(first), \(second), \(third)")
                }
            }
        }
    }

    @Test("comparing two objects agrees with sorting them")
    func compareObjects() throws {
        let evaluator = Evaluator(now: epoch)
        let (low, high) = (Thing(nil, ["x": "A"]), Thing(nil, ["x": "b"]))
        #expect(try ObjectSortDescriptor("x").compare(low, high, evaluator) == .orderedAscending)
        #expect(try ObjectSortDescriptor("x", ascending: false).compare(low, high, evaluator) == .orderedDescending)
        #expect(try ObjectSortDescriptor("x").compare(low, low, evaluator) == .orderedSame)
    }
}
