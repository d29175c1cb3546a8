// SPDX-License-Identifier: Apache-2.0

// Equality of values in groups and distinct rows, consistent with `==` in predicates.

import FoundationEssentials
import Predicates

struct DistinctValue: Hashable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    static func == (one: Self, other: Self) -> Bool { one.value.isEqual(to: other.value) }

    /// Numbers of all types may be equal, as may text and URIs. Canonically equivalent texts have equal hashes but
    /// aren't equal.
    func hash(into hasher: inout Hasher) {
        switch value {
        case .bool(let bool): hasher.combine(bool ? 1.0 : 0.0)
        case .integer(let integer): hasher.combine(Double(integer))
        case .double(let double): hasher.combine(double)
        case .decimal(let decimal): hasher.combine(Double(decimal.description) ?? .nan)
        case .string(let text), .uri(let text): hasher.combine(text)
        case .array(let values): for value in values { hasher.combine(DistinctValue(value)) }
        case .dictionary(let values): hasher.combine(values.count)
        default: hasher.combine(value)
        }
    }
}
