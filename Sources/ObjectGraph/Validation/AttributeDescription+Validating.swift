// SPDX-License-Identifier: Apache-2.0

// The model's rules for attribute values.

import FoundationEssentials
import ObjectModel
import Predicates
import SourceText

extension AttributeDescription {
    /// The failures of a value to be saved.
    func failures(of value: Value, using patterns: PatternChecker) -> [ValidationFailure] {
        guard value != .null else {
            return attribute.isOptional ? [] : [failure(.missingMandatoryProperty, value, "needs a value")]
        }
        var failures: [ValidationFailure] = []
        if case .string(let text) = value {
            let length = text.utf16.count
            if let least = attribute.minimumLength, length < least {
                failures.append(
                    failure(.stringTooShort, value, "needs at least \(least) character\(least == 1 ? "" : "s")")
                )
            }
            if let most = attribute.maximumLength, length > most {
                failures.append(
                    failure(.stringTooLong, value, "has more than \(most) character\(most == 1 ? "" : "s")")
                )
            }
            if let pattern = attribute.regularExpression, !patterns.matches(text, pattern) {
                failures.append(failure(.stringPatternMatching, value, "doesn't match \(pattern)"))
            }
        }
        let isDate = type == .date
        if let least = attribute.minimumValue, patterns.isLess(value, least) {
            failures.append(failure(isDate ? .dateTooSoon : .numberTooSmall, value, "is less than \(least.words)"))
        }
        if let most = attribute.maximumValue, patterns.isLess(most, value) {
            failures.append(failure(isDate ? .dateTooLate : .numberTooLarge, value, "is more than \(most.words)"))
        }
        if let transformer, let reason = value.reasonAgainst(transformer) {
            failures.append(failure(.general, value, "can't be transformed: \(reason)"))
        }
        if case .dictionary(let members) = value, !elements.isEmpty {
            for element in elements {
                failures += element.failures(of: members[element.name] ?? .null, using: patterns).map { inner in
                    var outer = inner
                    outer.property = "\(name).\(inner.property ?? element.name)"
                    outer.message = "\(name).\(inner.message)"
                    return outer
                }
            }
        }
        return failures
    }

    private func failure(_ code: ValidationFailure.Code, _ value: Value, _ reason: String) -> ValidationFailure {
        ValidationFailure(code, "\(name) \(reason).", property: name, value: value)
    }
}

/// Compares values and matches texts like predicates; caches compiled expressions.
final class PatternChecker {
    private let evaluator = Evaluator(now: Date(timeIntervalSinceReferenceDate: 0))

    private struct Subject: KeyValueObject {
        let value: Value
        var reference: ObjectReference? { nil }
        func operand(forKey key: String) -> Operand? { .value(value) }
    }

    func matches(_ text: String, _ pattern: String) -> Bool {
        holds(.matches, .string(text), .string(pattern))
    }

    func isLess(_ one: Value, _ other: Value) -> Bool { holds(.less, one, other) }

    /// False if the values can't be compared; the model's check has validated bounds and patterns.
    private func holds(_ operation: Comparison.Operator, _ one: Value, _ other: Value) -> Bool {
        let predicate = ObjectPredicate.comparing(.keyPath("value"), operation, .constant(other))
        return (try? evaluator.matches(predicate, Subject(value: one))) ?? false
    }
}

extension Value {
    /// Why a transformer can't transform the value. Untransformed bytes are kept as they are.
    fileprivate func reasonAgainst(_ transformer: any AttributeTransformer) -> (any Error)? {
        if case .data = self { return nil }
        do {
            _ = try transformer.bytes(of: self)
            return nil
        } catch {
            return error
        }
    }

    /// A bound, for messages.
    fileprivate var words: String {
        switch self {
        case .decimal(let number): number.description
        case .date(let date): DateText.text(date) ?? date.description
        default: ObjectExpression.constant(self).description
        }
    }
}
