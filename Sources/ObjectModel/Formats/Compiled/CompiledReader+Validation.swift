// SPDX-License-Identifier: Apache-2.0

// Attribute validation, which compiled models express as predicates.

import Predicates
import PropertyList

extension CompiledReader {
    /// Converts the predicates into bounds and patterns, and reports those that have no equivalent.
    mutating func readValidation(of object: ArchivedObject, into attribute: inout Attribute) throws(ModelError) {
        for value in try members(object["NSValidationPredicates"]) {
            do {
                for condition in try predicate(value).conditions where !attribute.applyCondition(condition) {
                    report("The validation predicate “\(condition)” isn't supported here, and is ignored.")
                }
            } catch {
                report("A validation predicate can't be read: \(error.message)")
            }
        }
    }
}

extension ObjectPredicate {
    /// The operands of the conjunction, or the predicate itself.
    fileprivate var conditions: [ObjectPredicate] {
        if case .and(let predicates) = self { predicates.flatMap(\.conditions) } else { [self] }
    }
}

extension Attribute {
    /// Converts a condition to one of the attribute's bounds, if it has that form.
    fileprivate mutating func applyCondition(_ condition: ObjectPredicate) -> Bool {
        guard case .comparison(let comparison) = condition, comparison.modifier == .direct, comparison.options.isEmpty,
            case .constant(let bound) = comparison.right
        else { return false }
        let isLength =
            [.keyPath("length"), .function(.length, [.evaluatedObject])].contains(comparison.left) && type == .string
        let isValue = comparison.left == .evaluatedObject && type != .string
        switch comparison.operator {
        case .greaterOrEqual where isLength: return Self.set(&minimumLength, bound)
        case .lessOrEqual where isLength: return Self.set(&maximumLength, bound)
        case .greaterOrEqual where isValue: return Self.set(&minimumValue, type.value(compiled: bound))
        case .lessOrEqual where isValue: return Self.set(&maximumValue, type.value(compiled: bound))
        case .matches where comparison.left == .evaluatedObject && type == .string:
            guard case .string(let pattern) = bound else { return false }
            return Self.set(&regularExpression, pattern)
        default: return false
        }
    }

    /// Sets a bound unless it is set already, since only one of a kind can be kept.
    private static func set<Bound>(_ property: inout Bound?, _ bound: Bound?) -> Bool {
        guard property == nil, let bound else { return false }
        property = bound
        return true
    }

    private static func set(_ length: inout Int?, _ bound: Value) -> Bool {
        guard case .integer(let number) = bound, number >= 0 else { return false }
        return set(&length, Int(exactly: number))
    }
}
