// SPDX-License-Identifier: Apache-2.0

// Comparison of values in predicates: numbers exactly, text under options, and different kinds never.

package import FoundationEssentials

extension Value {
    /// Whether the values are equal under `==`. Null is equal to itself.
    package func isEqual(to other: Value, _ options: Comparison.Options = []) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        case (.string(let left), .string(let right)): Text.equal(left, right, options)
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1, options) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count && left.allSatisfy { right[$0]?.isEqual(to: $1, options) == true }
        default: order(to: other, options) == .orderedSame
        }
    }

    /// The order of the values under `<`, or nil for different kinds or kinds without an order.
    package func order(to other: Value, _ options: Comparison.Options = []) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        case (.date(let left), .date(let right)):
            return left.compare(right)
        case (.uuid(let left), .uuid(let right)):
            return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
        case (.reference(let left), .reference(let right)):
            return left.order(to: right)
        case (.data(let left), .data(let right)):
            return left == right
                ? .orderedSame : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
        default:
            if let left = text, let right = other.text { return Text.order(left, right, options) }
            if let left = Number(self), let right = Number(other) { return left.order(right) }
            return nil
        }
    }

    /// A total order over all values: null first, then numbers, text, dates, UUIDs, data, references.
    package func sortOrder(to other: Value, _ options: Comparison.Options = []) -> ComparisonResult {
        if sortRank != other.sortRank { return sortRank < other.sortRank ? .orderedAscending : .orderedDescending }
        switch (self, other) {
        case (.reference(let left), .reference(let right)):
            return left.order(to: right)
        case (.array(let left), .array(let right)):
            let first = zip(left, right).lazy.map { $0.sortOrder(to: $1, options) }.first { $0 != .orderedSame }
            return first ?? Value.integer(Int64(left.count)).sortOrder(to: .integer(Int64(right.count)))
        case (.dictionary(let left), .dictionary(let right)):
            return Value.array(left.sortedPairs).sortOrder(to: .array(right.sortedPairs), options)
        default:
            return order(to: other, options) ?? .orderedSame
        }
    }

    /// The text of strings and URIs, which are comparable with each other.
    var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }

    /// The value's kind in words, for errors.
    var kind: String {
        switch self {
        case .null: "nil"
        case .bool, .integer, .double, .decimal: "a number"
        case .string: "text"
        case .uri: "a URI"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .reference: "an object"
        case .array: "a list"
        case .dictionary: "a dictionary"
        }
    }

    private var sortRank: Int {
        switch self {
        case .null: 0
        // NaN equals nothing, but needs a place in the order.
        case .double(let double) where double.isNaN: 1
        case .decimal(let decimal) where decimal.isNaN: 1
        case .bool, .integer, .double, .decimal: 2
        case .string, .uri: 3
        case .date: 4
        case .uuid: 5
        case .data: 6
        case .reference: 7
        case .array: 8
        case .dictionary: 9
        }
    }
}

extension [String: Value] {
    fileprivate var sortedPairs: [Value] {
        sorted { Text.order($0.key, $1.key) == .orderedAscending }.map { .array([.string($0.key), $0.value]) }
    }
}
