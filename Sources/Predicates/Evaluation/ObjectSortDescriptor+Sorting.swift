// SPDX-License-Identifier: Apache-2.0

// Sorting in memory, in a total order over all values.

public import FoundationEssentials

extension ObjectSortDescriptor {
    /// The order of two objects.
    public func compare(
        _ left: any KeyValueObject,
        _ right: any KeyValueObject,
        _ evaluator: Evaluator
    ) throws -> ComparisonResult {
        try order(sortKey(of: left, evaluator), sortKey(of: right, evaluator))
    }

    /// The order of two values of the key path.
    public func compare(_ left: Value, _ right: Value) -> ComparisonResult {
        order(folded(left), folded(right))
    }

    /// The sort key of an object, folded once instead of in each comparison.
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
    /// The objects sorted stably by the descriptors.
    public func sorted(by descriptors: [ObjectSortDescriptor], _ evaluator: Evaluator? = nil) throws -> [Element] {
        try Sorting.sorted(Array(self), by: descriptors, evaluator) { $0 }
    }
}

extension Sequence where Element == any KeyValueObject {
    /// The objects sorted stably by the descriptors.
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
