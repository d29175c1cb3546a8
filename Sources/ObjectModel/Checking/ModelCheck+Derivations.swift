// SPDX-License-Identifier: Apache-2.0

// Derived attributes: only expressions that a store can maintain.

import Predicates

extension ModelCheck {
    mutating func checkDerivation(of attribute: Attribute, _ entity: Entity) {
        guard let derivation = attribute.derivation else { return }
        let name = attribute.name
        if attribute.defaultValue != nil, attribute.defaultValue != .null {
            let message = "“\(name)” is derived, so its default value has no effect."
            report(.derivedDefault, entity.name, name, message)
        }
        if attribute.isTransient {
            let message = "“\(name)” is both derived and transient, but derived values are stored."
            report(.derivedTransient, entity.name, name, message)
        }
        let part = "The derivation of “\(name)”"
        do throws(FormatError) {
            let expression = try ObjectExpression(template: derivation)
            check(expression, of: attribute, entity, part)
        } catch {
            reportSyntax(error, of: derivation, entity.name, name, part)
        }
    }

    private mutating func check(
        _ expression: ObjectExpression,
        of attribute: Attribute,
        _ entity: Entity,
        _ part: String
    ) {
        let name = attribute.name
        var checker = predicateCheck(on: entity, variables: [:], isForFetching: false)
        let type = checker.type(of: expression)
        report(checker.issues, entity.name, name, in: part)
        guard checker.issues.isEmpty else { return }
        guard isDerivable(expression, entity) else {
            return report(
                .derivedForm,
                entity.name,
                name,
                "\(part) is “\(expression)”, which a store can't keep up to date.",
                hint: "Use a path through to-one relationships, canonical:, uppercase: or lowercase: of such a path, "
                    + "now(), or @count or @sum of a to-many relationship."
            )
        }
        if !type.isComparable(to: ExpressionType(attribute.type, in: model)) {
            report(
                .derivedType,
                entity.name,
                name,
                "\(part) gives \(type.words), but “\(name)” is of type \(attribute.type.name)."
            )
        }
    }

    private func isDerivable(_ expression: ObjectExpression, _ entity: Entity) -> Bool {
        switch expression {
        case .function(.now, _): return true
        case .function(.canonical, let operands), .function(.uppercase, let operands),
            .function(.lowercase, let operands):
            guard let operand = operands.first, case .keyPath = operand else { return false }
            return isDerivable(operand, entity)
        case .keyPath(of: .evaluatedObject, let keys):
            var entity = entity
            for (position, key) in keys.enumerated() {
                guard case .name(let name) = key, let property = hierarchy.property(named: name, of: entity) else {
                    return false
                }
                let rest = Array(keys[(position + 1)...])
                switch property {
                case .attribute: return true
                case .relationship(let relationship) where relationship.isToMany:
                    if rest == [.collection(.count)] { return true }
                    guard rest.count == 2, case .name = rest[0] else { return false }
                    return rest[1] == .collection(.sum)
                case .relationship(let relationship):
                    guard let destination = model.entity(named: relationship.destinationName) else { return false }
                    entity = destination
                case .fetched: return false
                }
            }
            return false
        default: return false
        }
    }
}
