// SPDX-License-Identifier: Apache-2.0

// The engine's functions for stores with objects in memory, with custom objects.

import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Evaluation of fetches in memory")
struct MemoryFetchTests {
    private struct Thing: KeyValueObject {
        var values: [String: Value]

        var reference: ObjectReference? { nil }

        func operand(forKey key: String) -> Operand? { .value(values[key] ?? .null) }
    }

    private func request(_ predicate: String? = nil, by order: String = "") throws -> StoreFetchRequest {
        StoreFetchRequest(
            entity: try #require(try Bookshop.model.get().entity(named: "Book")),
            predicate: try predicate.map { try ObjectPredicate($0) },
            sortDescriptors: try order.isEmpty ? [] : ObjectSortDescriptor.list(parsing: order)
        )
    }

    @Test("a request finds matching objects in order, limited to the window")
    func objects() throws {
        let things = [3, 1, 4, 1, 5, 9].map { Thing(values: ["n": .integer($0)]) }
        var request = try request("n > 1", by: "-n")
        (request.offset, request.limit) = (1, 2)
        #expect(try request.objects(among: things).map { $0.values["n"] } == [5, 4])
    }

    @Test(
        "grouping and distinct rows treat values as the same if they are equal",
        arguments: [
            [[1, 1.0, true, .decimal(1)]], [["é"], ["e\u{301}"]], [["a", .uri("a")]], [[.null, .null], [0]],
            [[.array([1, "x"]), .array([1.0, "x"])], [.array([2, "x"])]],
            [[.dictionary(["a": 1]), .dictionary(["a": 1.0])], [.dictionary(["b": 1])]],
            [[.integer(.max)], [.integer(.max - 1)]], [[.uuid(UUID())], [.uuid(UUID())]], [[0.5, .decimal(0.5)]],
            [[.data(Data([1])), .data(Data([1]))], [.data(Data([2]))]],
        ] as [[[Value]]]
    )
    func sameValues(groups: [[Value]]) throws {
        let things = groups.flatMap(\.self).map { Thing(values: ["v": $0]) }
        let value = ExpressionDescription(keyPath: "v")
        let grouped = TableRequest(columns: [ExpressionDescription("n", .count)], groupBy: [value.expression])
        #expect(try request().table(grouped, of: things).rows == groups.map { [.integer(Int64($0.count))] })
        let distinct = TableRequest(columns: [value], isDistinct: true)
        #expect(try request().table(distinct, of: things).rows == groups.map { [$0[0]] })
        let counted = TableRequest(columns: [ExpressionDescription("n", .count, of: "v", isDistinct: true)])
        let present = groups.count { $0[0] != .null }
        #expect(try request().table(counted, of: things).rows == [[.integer(Int64(present))]])
    }

    @Test("random tables agree with a plain computation", arguments: SeededGenerator.seeds(40))
    func randomTables(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func value(_ range: ClosedRange<Int64>) -> Value {
            random.chance(20) ? .null : .integer(.random(in: range, using: &random))
        }
        let things = (0..<Int.random(in: 0...30, using: &random)).map { _ in
            Thing(values: ["a": value(0...3), "b": value(0...3), "n": value(-9...9)])
        }
        let paths = ["a", "b"].filter { _ in random.chance(60) }
        let functions: [Function] = [.count, .sum, .minimum, .maximum]
        let isDistinct = random.chance(50)
        let least = Int64.random(in: 0...4, using: &random)
        var request = try request("n != 3")
        request.offset = Int.random(in: 0...3, using: &random)
        request.limit = random.chance(50) ? nil : Int.random(in: 1...5, using: &random)
        let columns =
            paths.map(ExpressionDescription.init(keyPath:))
            + functions.map { ExpressionDescription($0.rawValue, $0, of: "n", isDistinct: isDistinct) }
        request.sortDescriptors = paths.map { ObjectSortDescriptor($0, ascending: random.chance(50)) }
        let table = TableRequest(
            columns: columns,
            groupBy: paths.map { .keyPath($0) },
            having: paths.isEmpty ? nil : try ObjectPredicate("count:(SELF) >= %d", least)
        )

        let matching = things.filter { $0.values["n"] != 3 }
        var groups = Dictionary(grouping: matching) { thing in paths.map { thing.values[$0] ?? .null } }
        if paths.isEmpty { groups[[], default: []] += [] } else { groups = groups.filter { $1.count >= least } }
        let sorted = groups.sorted { one, other in
            for (index, descriptor) in request.sortDescriptors.enumerated() {
                let order = descriptor.compare(one.key[index], other.key[index])
                if order != .orderedSame { return order == .orderedAscending }
            }
            return false
        }
        let expected = sorted.map { key, members in
            var numbers = members.compactMap { $0.values["n"]?.number }
            if isDistinct { numbers = Array(Set(numbers)) }
            let aggregates: [Value] = [
                .integer(Int64(numbers.count)), .integer(numbers.reduce(0, +)),
                numbers.min().map(Value.integer) ?? .null, numbers.max().map(Value.integer) ?? .null,
            ]
            return key + aggregates
        }
        let window = Array(expected.dropFirst(request.offset).prefix(request.limit ?? .max))
        #expect(try request.table(table, of: things).rows == window)
    }
}

extension Value {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
