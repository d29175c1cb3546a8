// SPDX-License-Identifier: Apache-2.0

// Validation rules that batches can check; all others are left to the engine's validation.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// The validation rules of an attribute.
struct AttributeRule: Sendable {
    private let isOptional: Bool
    private let length: ClosedRange<Int>?
    private let least: Int64?
    private let most: Int64?
    /// Whether there are other rules.
    private let isOpaque: Bool

    init(_ attribute: AttributeDescription) {
        let described = attribute.attribute
        isOptional = described.isOptional
        let shortest = described.minimumLength
        let longest = described.maximumLength
        length =
            shortest == nil && longest == nil || shortest ?? 0 > longest ?? .max
            ? nil : (shortest ?? 0)...(longest ?? .max)
        least = described.minimumValue?.asInteger
        most = described.maximumValue?.asInteger
        isOpaque =
            described.regularExpression != nil || described.minimumValue != nil && least == nil
            || described.maximumValue != nil && most == nil
            || attribute.hasTransformer || attribute.elements.contains { !AttributeRule($0).isEmpty }
    }

    private var isEmpty: Bool { isOptional && length == nil && least == nil && most == nil && !isOpaque }

    /// False for a value that is invalid or may be.
    func passes(_ value: Value) -> Bool {
        switch value {
        case .null: return isOptional
        case .integer(let number) where !isOpaque: return number >= least ?? .min && number <= most ?? .max
        case .string(let text) where !isOpaque: return length?.contains(text.utf16.count) ?? true
        default: return !isOpaque && least == nil && most == nil
        }
    }
}

extension AttributeRule {
    /// SQL terms, one of which is true for an invalid value, or nil if SQL can't check the rules.
    func failure(of column: SQL) -> [SQL]? {
        guard !isOpaque, length == nil else { return nil }
        return (isOptional ? [] : ["\(column) IS NULL"])
            + (least.map { ["\(column) < \(literal: .integer($0))"] } ?? [])
            + (most.map { ["\(column) > \(literal: .integer($0))"] } ?? [])
    }
}

extension Value {
    fileprivate var asInteger: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
