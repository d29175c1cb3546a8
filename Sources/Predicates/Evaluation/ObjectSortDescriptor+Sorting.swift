// SPDX-License-Identifier: Apache-2.0

// Sorting in memory, in an order that is total whatever the values are.

public import FoundationEssentials

extension ObjectSortDescriptor {
    /// How two objects are ordered.
    public func compare(
        _ left: any KeyValueObject,
        _ right: any KeyValueObject,
        _ evaluator: Evaluator
    ) throws -> ComparisonResult {
        try order(sortKey(of: left, evaluator), sortKey(of: right, evaluator))
    }

    /// How two values are ordered that the objects have under the key path.
    public func compare(_ left: Value, _ right: Value) -> ComparisonResult {
        order(folded(left), folded(right))
    }

    /// What an object is sorted by. It is folded here, once, and not with every comparison.
    fileprivate func sortKey(of object: any KeyValueObject, _ evaluator: Evaluator) throws -> Value {
        switch try evaluator.operand(of: keyPath, for: object) {
        case .value(let value): folded(value)
        case .object(let object): object.reference.map(Value.reference) ?? .null
        case .collection: throw EvaluationError.toManyNotAllowed(in: "sorting")
        }
    }

    private func folded(_ value: Value) -> Value {
        value.text.map { .string(Text.folded($0, options)) } ?? value
    }

    fileprivate func order(_ left: Value, _ right: Value) -> ComparisonResult {
        let order = left.sortOrder(to: right, options.intersection(.localeSensitive))
        return ascending ? order : order.reversed
    }
}

extension Sequence where Element: KeyValueObject {
    /// The objects in the order of the descriptors. Objects that are equal in all of them stay as they are.
    public func sorted(by descriptors: [ObjectSortDescriptor], _ evaluator: Evaluator? = nil) throws -> [Element] {
        try Sorting.sorted(Array(self), by: descriptors, evaluator) { $0 }
    }
}

extension Sequence where Element == any KeyValueObject {
    /// The objects in the order of the descriptors. Objects that are equal in all of them stay as they are.
    public func sorted(by descriptors: [ObjectSortDescriptor], _ evaluator: Evaluator? = nil) throws -> [Element] {
        try Sorting.sorted(Array(self), by: descriptors, evaluator) { $0 }
    }
}

private enum Sorting {
    static func sorted<Element>(
        _ elements: [Element],
        by descriptors: [ObjectSortDescriptor],
        _ evaluator: Evaluator?,
        _ object: (Element) -> any KeyValueObject
    ) throws -> [Element] {
        let evaluator = evaluator ?? Evaluator(now: Date())
        let keys = try elements.map { element in
            try descriptors.map { try $0.sortKey(of: object(element), evaluator) }
        }
        let places = elements.indices.sorted { left, right in
            for (index, descriptor) in descriptors.enumerated() {
                let order = descriptor.order(keys[left][index], keys[right][index])
                if order != .orderedSame { return order == .orderedAscending }
            }
            return left < right
        }
        return places.map { elements[$0] }
    }
}
