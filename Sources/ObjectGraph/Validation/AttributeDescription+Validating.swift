// SPDX-License-Identifier: Apache-2.0

// The model's rules for attribute values.

import FoundationEssentials
import ObjectModel
package import Predicates
import SourceText

extension AttributeDescription {
    /// Whether a value of the attribute's type can be invalid.
    package var isLimited: Bool {
        !rules.isOptional || rules.hasLimits || hasTransformer || elements.contains(where: \.isLimited)
    }

    /// The failures of a value to be saved.
    package func failures(of value: Value, using patterns: PatternChecker) -> [ValidationFailure] {
        var failures = rules.violations(of: value, matches: patterns.matches).map { failure($0, value) }
        if case .null = value { return failures }
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

    private func failure(_ violation: AttributeRules.Violation, _ value: Value) -> ValidationFailure {
        func characters(_ count: Int) -> String { "\(count) character\(count == 1 ? "" : "s")" }
        switch violation {
        case .missing: return failure(.missingMandatoryProperty, value, "needs a value")
        case .tooShort(let least): return failure(.stringTooShort, value, "needs at least \(characters(least))")
        case .tooLong(let most): return failure(.stringTooLong, value, "has more than \(characters(most))")
        case .notMatching(let pattern): return failure(.stringPatternMatching, value, "doesn't match \(pattern)")
        case .tooSmall(let least):
            return failure(type == .date ? .dateTooSoon : .numberTooSmall, value, "is less than \(least.words)")
        case .tooLarge(let most):
            return failure(type == .date ? .dateTooLate : .numberTooLarge, value, "is more than \(most.words)")
        }
    }

    private func failure(_ code: ValidationFailure.Code, _ value: Value, _ reason: String) -> ValidationFailure {
        ValidationFailure(code, "\(name) \(reason).", property: name, value: value)
    }
}

/// Matches texts like predicates; caches compiled expressions.
package final class PatternChecker {
    private let evaluator = Evaluator(now: Date(timeIntervalSinceReferenceDate: 0))

    package init() {}

    /// False if ICU gives up; the model's check has validated the patterns.
    func matches(_ text: String, _ pattern: String) -> Bool {
        (try? evaluator.regularExpression(pattern).matches(text)) ?? false
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
