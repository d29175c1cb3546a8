// SPDX-License-Identifier: Apache-2.0

// Conditions for the objects with unique values.

import ObjectModel
import Predicates
import Testing

@testable import ObjectGraph

@Suite("Keys of unique values")
struct UniqueKeyTests {
    private static let model = Model {
        Entity("Seat") {
            Attribute("row", .string)
            Attribute("number", .int64)
            UniquenessConstraint("number")
            UniquenessConstraint("row", "number")
        }
    }

    /// The conditions for seats of a constraint.
    private static func conditions(_ seats: [(row: String, number: Int64)], constraint index: Int) throws -> [String] {
        let model = try ManagedObjectModel(model)
        let constraint = try #require(model.entity(named: "Seat")).uniquenessConstraints[index]
        let keys = seats.compactMap { row, number in
            UniqueKey(constraint) { $0.name == "row" ? .value(.string(row)) : .value(.integer(number)) }
        }
        return UniqueKey.predicates(of: keys, constraint).map(\.description)
    }

    @Test("the values of one property are a list")
    func oneProperty() throws {
        let conditions = try Self.conditions([("A", 1), ("B", 2)], constraint: 0)
        #expect(conditions == ["number IN {1, 2}"])
        #expect(try Self.conditions([], constraint: 0) == [])
    }

    @Test("the values of several properties are compared together")
    func severalProperties() throws {
        let conditions = try Self.conditions([("A", 1), ("A", 2), ("B", 3), ("A", 4)], constraint: 1)
        #expect(conditions == [#"row == "A" AND number IN {1, 2, 4} OR row == "B" AND number IN {3}"#])
    }

    @Test("many keys that share no value are divided")
    func manyKeys() throws {
        let conditions = try Self.conditions((1...450).map { ("\($0)", $0) }, constraint: 1)
        #expect(conditions.count == 3)
        #expect(conditions[2].hasPrefix(#"row == "401" AND number IN {401} OR "#))
    }
}
