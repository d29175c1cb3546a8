// SPDX-License-Identifier: Apache-2.0

// Type checks of attribute values when they are set.

import FoundationEssentials
import ObjectModel
public import Predicates

extension AttributeDescription {
    /// The value converted to the attribute's type, such as an integer to a double or text to a URI; nil if it can't
    /// be. A nil value is always accepted; validation decides whether it can be saved.
    ///
    /// Stores convert values with this if their format has fewer types than the model.
    public func accepting(_ value: Value) -> Value? {
        switch (type, value) {
        case (_, .null): value
        case (.uri, .string(let text)): .uri(text)
        case (.composite, .dictionary(let members)): composite(members)
        default: type.accepting(value)
        }
    }

    /// The same for a computed value: a sum may have another numeric type than the attribute.
    func accepting(computed value: Value) -> Value? {
        if let accepted = accepting(value) { return accepted }
        switch value {
        case .double(let number): return Int64(exactly: number).flatMap { accepting(.integer($0)) }
        case .decimal(let number): return Int64(number.description).flatMap { accepting(.integer($0)) }
        default: return nil
        }
    }

    /// A composite's values, with initial values for missing elements.
    private func composite(_ members: [String: Value]) -> Value? {
        var accepted: [String: Value] = [:]
        for element in elements {
            guard let value = element.accepting(members[element.name] ?? element.initialValue) else { return nil }
            accepted[element.name] = value
        }
        return members.keys.allSatisfy { accepted[$0] != nil } ? .dictionary(accepted) : nil
    }
}
