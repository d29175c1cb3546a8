// SPDX-License-Identifier: Apache-2.0

// The rules for an attribute's values: types, lengths, bounds and patterns.

import FoundationEssentials
package import Predicates

/// What values of an attribute may be saved. The check of a model, the validation of objects and batches have these
/// rules in common; each words a violation itself.
package struct AttributeRules: Hashable, Sendable {
    package enum Violation {
        case missing
        case tooShort(minimum: Int)
        case tooLong(maximum: Int)
        case notMatching(pattern: String)
        case tooSmall(minimum: Value)
        case tooLarge(maximum: Value)
    }

    package let isOptional: Bool
    package let minimumLength: Int?
    package let maximumLength: Int?
    package let pattern: String?
    package let minimum: Value?
    package let maximum: Value?
    /// Whether values other than nil are limited.
    package let hasLimits: Bool

    package init(_ attribute: Attribute) {
        isOptional = attribute.isOptional
        minimumLength = attribute.minimumLength
        maximumLength = attribute.maximumLength
        pattern = attribute.regularExpression
        minimum = attribute.minimumValue
        maximum = attribute.maximumValue
        hasLimits =
            minimumLength != nil || maximumLength != nil || pattern != nil || minimum != nil || maximum != nil
    }

    /// The rules that a value of the attribute's type violates.
    ///
    /// - Parameter matches: Whether a text matches a pattern.
    package func violations(of value: Value, matches: (_ text: String, _ pattern: String) -> Bool) -> [Violation] {
        if case .null = value { return isOptional ? [] : [.missing] }
        guard hasLimits else { return [] }
        var violations: [Violation] = []
        if case .string(let text) = value {
            let length = text.utf16.count
            if let minimumLength, length < minimumLength { violations.append(.tooShort(minimum: minimumLength)) }
            if let maximumLength, length > maximumLength { violations.append(.tooLong(maximum: maximumLength)) }
            if let pattern, !matches(text, pattern) { violations.append(.notMatching(pattern: pattern)) }
        }
        if let minimum, value.order(to: minimum) == .orderedAscending {
            violations.append(.tooSmall(minimum: minimum))
        }
        if let maximum, value.order(to: maximum) == .orderedDescending {
            violations.append(.tooLarge(maximum: maximum))
        }
        return violations
    }
}

extension AttributeType {
    /// The value converted to this type, such as an integer to a double, or nil if it can't be.
    package func accepting(_ value: Value) -> Value? {
        switch (self, value) {
        case (.int16, .integer(let number)): return Int16(exactly: number) == nil ? nil : value
        case (.int32, .integer(let number)): return Int32(exactly: number) == nil ? nil : value
        case (.double, .double(let number)): return number.isNaN ? nil : value
        case (.date, .date(let date)): return date.timeIntervalSinceReferenceDate.isFinite ? value : nil
        case (.int64, .integer), (.string, .string), (.bool, .bool), (.binary, .data), (.uuid, .uuid), (.uri, .uri),
            (.objectID, .reference), (.composite, .dictionary):
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
        case (.transformable, _), (.undefined, _): return value
        default: return nil
        }
    }
}
