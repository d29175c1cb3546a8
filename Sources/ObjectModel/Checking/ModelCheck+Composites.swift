// SPDX-License-Identifier: Apache-2.0

// Composites: suitable attributes, and no cycles.

extension ModelCheck {
    mutating func checkComposites() {
        var seen: Set<String> = []
        for composite in model.composites {
            let name = composite.name
            if !name.isIdentifier {
                report(.compositeName, name, "“\(name)” can't be the name of a composite.")
            }
            if !seen.insert(name).inserted {
                report(.compositeDuplicate, name, "Several composites have the name \(name).")
            } else if composites[name] == nil {
                report(.compositeCycle, name, "The composite \(name) contains itself, directly or indirectly.")
            }
            if composite.attributes.isEmpty {
                report(.compositeEmpty, name, "The composite \(name) has no attributes.")
            }
            var names: Set<String> = []
            for attribute in composite.attributes {
                check(attribute, of: composite)
                if !names.insert(attribute.name).inserted {
                    let message = "The composite \(name) has several attributes “\(attribute.name)”."
                    report(.propertyDuplicate, name, attribute.name, message)
                }
            }
        }
    }

    private mutating func check(_ attribute: Attribute, of composite: Composite) {
        if !attribute.name.isIdentifier {
            let message = "“\(attribute.name)” can't be the name of an attribute."
            report(.propertyName, composite.name, attribute.name, message)
        }
        if attribute.isDerived || attribute.isTransient {
            let message =
                "“\(attribute.name)” is \(attribute.isDerived ? "derived" : "transient"), which attributes of composites can't be."
            report(.compositeContent, composite.name, attribute.name, message)
        }
        check(attribute.userInfo, of: composite.name, attribute.name)
        checkType(of: attribute, composite.name)
        checkDefault(of: attribute, composite.name)
        checkBounds(of: attribute, composite.name)
        checkRegularExpression(of: attribute, composite.name)
    }
}
