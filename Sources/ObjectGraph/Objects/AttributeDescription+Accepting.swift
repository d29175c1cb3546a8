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
        if value == .null { return value }
        switch (type, value) {
        case (.int16, .integer(let number)): return Int16(exactly: number) == nil ? nil : value
        case (.int32, .integer(let number)): return Int32(exactly: number) == nil ? nil : value
        case (.double, .double(let number)): return number.isNaN ? nil : value
        case (.date, .date(let date)): return date.timeIntervalSinceReferenceDate.isFinite ? value : nil
        case (.int64, .integer), (.string, .string), (.bool, .bool), (.binary, .data), (.uuid, .uuid), (.uri, .uri),
            (.objectID, .reference):
            return value
        case (.decimal, .decimal(let number)): return number.isNaN ? nil : value
        case (.float, .double(let number)):
            // A larger number would become infinite.
            let float = Float(number)
            return number.isNaN || float.isInfinite && number.isFinite ? nil : .double(Double(float))
        case (.float, .integer(let number)): return .double(Double(Float(number)))
        case (.double, .integer(let number)): return .double(Double(number))
        case (.double, .decimal(let number)): return Double(number.description).map(Value.double)
        case (.float, .decimal(let number)): return Float(number.description).map { .double(Double($0)) }
        case (.decimal, .integer(let number)): return .decimal(Decimal(number))
        case (.decimal, .double(let number)):
            let decimal = number.isFinite ? Decimal(number) : .nan
            return decimal.isNaN ? nil : .decimal(decimal)
        case (.bool, .integer(0)): return .bool(false)
        case (.bool, .integer(1)): return .bool(true)
        case (.uri, .string(let text)): return .uri(text)
        case (.transformable, _), (.undefined, _): return value
        case (.composite, .dictionary(let members)): return composite(members)
        default: return nil
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
