// SPDX-License-Identifier: Apache-2.0

// Attributes: a type, with defaults, bounds and settings that fit it.

import FoundationEssentials
import Predicates

extension ModelCheck {
    mutating func check(_ attribute: Attribute, of entity: Entity) {
        checkType(of: attribute, entity.name)
        checkDefault(of: attribute, entity.name)
        checkBounds(of: attribute, entity.name)
        checkRegularExpression(of: attribute, entity.name)
        checkDerivation(of: attribute, entity)
    }

    /// Checks that also apply to the attributes of composites; the owner is an entity or a composite.
    mutating func checkType(of attribute: Attribute, _ owner: String) {
        let name = attribute.name
        switch attribute.type {
        case .undefined where !attribute.isTransient && !isUnread(owner, name):
            let hint = "Give it a type, or make it transient."
            report(.attributeType, owner, name, "“\(name)” has no type, so it can't be stored.", hint: hint)
        case .composite(let composite) where model.composite(named: composite) == nil:
            report(
                .compositeUnknown,
                owner,
                name,
                "“\(name)” has the unknown composite “\(composite)”.",
                hint: guess(composite) { $0.composites.map(\.name) }
            )
        case .transformable(let transformer?) where Self.insecureTransformers.contains(transformer):
            report(
                .attributeTransformer,
                owner,
                name,
                "The transformer \(transformer) of “\(name)” reads archives of any class, which is unsafe.",
                hint: "Use NSSecureUnarchiveFromData, or your own transformer."
            )
        default: break
        }
        if attribute.allowsExternalStorage, attribute.type != .binary {
            let message =
                "Only binary values can be stored externally, but “\(name)” is of type \(attribute.type.name)."
            report(.attributeExternalStorage, owner, name, message)
        }
    }

    mutating func checkDefault(of attribute: Attribute, _ owner: String) {
        guard let value = attribute.defaultValue, value != .null else { return }
        let name = attribute.name
        if let problem = attribute.type.mismatch(with: value) {
            return report(.attributeDefault, owner, name, "The default value of “\(name)” \(problem).")
        }
        let violations = AttributeRules(attribute).violations(of: value) { text, pattern in
            // An invalid pattern is reported as such.
            (try? RegularExpression(pattern).matches(text)) ?? true
        }
        for violation in violations.map(\.words) {
            let message = "The default value of “\(name)” \(violation), so new objects can't be saved as they are."
            report(.attributeInvalidDefault, owner, name, message)
        }
    }

    mutating func checkBounds(of attribute: Attribute, _ owner: String) {
        let name = attribute.name
        let type = attribute.type
        if attribute.minimumValue != nil || attribute.maximumValue != nil {
            if type.isNumeric || type == .date || type == .undefined {
                for bound in [attribute.minimumValue, attribute.maximumValue].compactMap(\.self) {
                    guard let problem = type.mismatch(with: bound) else { continue }
                    report(.attributeBounds, owner, name, "A bound of “\(name)” \(problem).")
                }
                if let minimum = attribute.minimumValue, let maximum = attribute.maximumValue,
                    minimum.order(to: maximum) == .orderedDescending
                {
                    let message = "The minimum of “\(name)” is above its maximum, so no value is valid."
                    report(.attributeBounds, owner, name, message)
                }
            } else {
                let hint =
                    type == .string ? "The length of a string is bounded by minLength and maxLength." : nil
                reportUnfit("bounds", attribute, owner, hint: hint)
            }
        }
        if attribute.minimumLength != nil || attribute.maximumLength != nil {
            if type != .string, type != .undefined {
                reportUnfit("bounds of its length", attribute, owner)
            } else if (attribute.minimumLength ?? 0) < 0 || (attribute.maximumLength ?? 0) < 0 {
                report(.attributeBounds, owner, name, "The length of “\(name)” can't be negative.")
            } else if let minimum = attribute.minimumLength, let maximum = attribute.maximumLength, minimum > maximum {
                let message = "The minimum length of “\(name)” is above its maximum length, so no value is valid."
                report(.attributeBounds, owner, name, message)
            }
        }
    }

    mutating func checkRegularExpression(of attribute: Attribute, _ owner: String) {
        guard let pattern = attribute.regularExpression else { return }
        let name = attribute.name
        guard attribute.type == .string || attribute.type == .undefined else {
            return reportUnfit("a regular expression", attribute, owner)
        }
        do throws(EvaluationError) {
            _ = try RegularExpression(pattern)
        } catch {
            let message = "The pattern “\(pattern)” of “\(name)” can't be used: \(error.message)"
            report(.attributeRegularExpression, owner, name, message)
        }
    }

    private mutating func reportUnfit(
        _ validation: String,
        _ attribute: Attribute,
        _ owner: String,
        hint: String? = nil
    ) {
        let message = "“\(attribute.name)” has \(validation), which has no meaning for the type \(attribute.type.name)."
        report(.attributeValidation, owner, attribute.name, message, hint: hint)
    }

    private static let insecureTransformers: Set = [
        "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
    ]
}

extension AttributeRules.Violation {
    /// The end of a sentence that begins with the value.
    fileprivate var words: String {
        switch self {
        case .missing: "is missing"
        case .tooShort: "is too short"
        case .tooLong: "is too long"
        case .notMatching: "doesn't match"
        case .tooSmall: "is below the minimum"
        case .tooLarge: "is above the maximum"
        }
    }
}
