// SPDX-License-Identifier: Apache-2.0

// What can be said at once of values that are to be saved; the rest is for the engine's own validation.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// What the model demands of an attribute's values.
struct AttributeRule: Sendable {
    private let isOptional: Bool
    private let length: ClosedRange<Int>?
    private let least: Int64?
    private let most: Int64?
    /// Whether there is more to it.
    private let isOpaque: Bool

    init(_ attribute: AttributeDescription) {
        let described = attribute.attribute
        isOptional = described.isOptional
        let (shortest, longest) = (described.minimumLength, described.maximumLength)
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

    /// False for a value that can't be saved, or of which that isn't known.
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
    /// What is true of a column that has a value against the rules; nil if SQL can't tell.
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
