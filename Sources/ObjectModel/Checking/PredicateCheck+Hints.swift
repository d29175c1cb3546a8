// SPDX-License-Identifier: Apache-2.0

// How to compare values whose types differ.

import Predicates

extension PredicateCheck {
    /// A hint for a comparison of values of two types, which can't be equal.
    func hint(for comparison: Comparison, _ left: ExpressionType, _ right: ExpressionType) -> String? {
        switch (left, right) {
        case (.date, .number), (.number, .date):
            areProperties(comparison)
                ? "Write CAST(seconds, \"NSDate\"), in seconds since 2001."
                : "Write a date as CAST(\"2026-01-31T00:00:00Z\", \"NSDate\")."
        case (.date, .text), (.text, .date): "Write a date as CAST(\"2026-01-31T00:00:00Z\", \"NSDate\")."
        case (.uuid, .text), (.text, .uuid): "Write CAST('…', \"NSUUID\")."
        case (.number, .text), (.text, .number): quoteHint(comparison)
        case (.object(let entity), .text): propertyHint(comparison, entity)
        // The operands of CONTAINS are compared in the opposite order.
        case (.text, .object(let entity)) where comparison.operator == .contains: propertyHint(comparison, entity)
        default: nil
        }
    }

    private func areProperties(_ comparison: Comparison) -> Bool {
        name(of: comparison.left) != nil && name(of: comparison.right) != nil
    }

    /// Which of a number and a text is written wrongly.
    private func quoteHint(_ comparison: Comparison) -> String? {
        for constant in comparison.left.constants + comparison.right.constants {
            switch ExpressionType(constant) {
            case .number: return "Text is written in quotes."
            case .text: return "Numbers are written without quotes."
            default: break
            }
        }
        return nil
    }

    /// The comparison with a property of an object instead of the object itself.
    private func propertyHint(_ comparison: Comparison, _ entityName: String) -> String? {
        guard case .keyPath(of: .evaluatedObject, let keys) = comparison.left,
            case .constant(.string) = comparison.right,
            [.equal, .notEqual, .contains].contains(comparison.operator),
            let attribute = textAttribute(ofEntity: entityName)
        else { return nil }
        var better = comparison
        better.left = .keyPath(of: .evaluatedObject, keys + [.name(attribute)])
        if comparison.operator == .contains {
            better.operator = .equal
            better.modifier = .any
        }
        return "Compare a property: \(ObjectPredicate.comparison(better))."
    }

    /// The attribute that names an entity's objects best, or nil if it has no text.
    private func textAttribute(ofEntity name: String) -> String? {
        guard let entity = model.entity(named: name) else { return nil }
        let names = model.lineage(of: entity).flatMap(\.properties).compactMap { property in
            if case .attribute(let attribute) = property, attribute.type == .string, !attribute.isTransient {
                attribute.name
            } else {
                nil
            }
        }
        return names.first { $0 == "name" || $0 == "title" } ?? names.first
    }
}
