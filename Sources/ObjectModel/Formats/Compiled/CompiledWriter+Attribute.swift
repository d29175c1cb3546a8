// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Predicates
import PropertyList

extension CompiledWriter {
    mutating func write(_ attribute: Attribute, of entity: Entity) throws(ModelError) {
        let place = place(ofProperty: attribute.name, of: entity.name)
        try write(attribute, entity: self.place(ofEntity: entity.name), at: place, depth: 0)
    }

    private mutating func write(
        _ attribute: Attribute,
        entity: PropertyListValue,
        at place: PropertyListValue,
        depth: Int
    ) throws(ModelError) {
        let validation = try addValidation(of: attribute)
        let flags = PropertyFlags(
            optional: attribute.isOptional,
            readOnly: attribute.isDerived,
            transient: attribute.isTransient,
            validated: !validation.isEmpty
        )
        var contents = contents(
            ofProperty: attribute.name,
            entity: entity,
            flags: flags,
            renamingIdentifier: attribute.renamingIdentifier,
            versionHashModifier: attribute.versionHashModifier,
            userInfo: attribute.userInfo
        )
        contents += validation
        var bits: CompiledFlags = []
        if attribute.allowsExternalStorage { bits.insert(.externalStorage) }
        if attribute.isPreservedAfterDeletion { bits.insert(.preservedAfterDeletion) }
        let className = attribute.extras[attribute: CompiledNames.customClass] ?? attribute.type.compiledClassName
        contents += [
            ("NSAttributeType", .integer(Int128(attribute.type.compiledNumber))),
            ("NSAttributeValueClassName", builder.add(className)),
            ("NSDefaultValue", try addDefault(of: attribute)),
            ("NSValueTransformerName", builder.add(attribute.type.transformerName)),
            ("NSFlagsKey", .integer(Int128(bits.rawValue))),
        ]
        if attribute.isIndexed { contents.append(("NSIsIndexed", true)) }
        if attribute.isSearchIndexed { contents.append(("NSIndexedBySpotlight", true)) }
        var chain = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
        if let derivation = attribute.derivation {
            contents.append(("NSDerivationExpression", try add(expression: derivation)))
            contents.append(("NSFilteringPredicate", KeyedArchiveBuilder.null))
            chain.insert("NSDerivedAttributeDescription", at: 0)
        } else if let composite = attribute.type.compositeName {
            contents.append((CompiledNames.compositeName, builder.add(composite)))
            contents.append((CompiledNames.compositeElements, try addElements(of: composite, depth: depth)))
            chain.insert("NSCompositeAttributeDescription", at: 0)
        }
        builder.fill(place, class: chain, contents)
    }

    private mutating func addElements(of composite: String, depth: Int) throws(ModelError) -> PropertyListValue {
        guard depth < CompositeCollection.maximumDepth else {
            throw .unwritable("The composite “\(composite)” is nested too deeply for a compiled model.")
        }
        var places: [PropertyListValue] = []
        for attribute in model.composite(named: composite)?.attributes ?? [] {
            let place = builder.reserve()
            try write(attribute, entity: KeyedArchiveBuilder.null, at: place, depth: depth + 1)
            places.append(place)
        }
        return builder.add(array: places)
    }

    private mutating func addDefault(of attribute: Attribute) throws(ModelError) -> PropertyListValue {
        guard let value = attribute.defaultValue, value != .null else { return KeyedArchiveBuilder.null }
        return try builder.add(value)
    }

    /// The bounds as predicates, each with the number of Core Data's validation error.
    private mutating func addValidation(of attribute: Attribute) throws(ModelError) -> [(String, PropertyListValue)] {
        let isDate = attribute.type == .date
        let length = ObjectExpression.keyPath("length")
        let bounds: [(ObjectExpression, Comparison.Operator, Value?, Int)] = [
            (.evaluatedObject, .greaterOrEqual, attribute.minimumValue, isDate ? 1640 : 1620),
            (.evaluatedObject, .lessOrEqual, attribute.maximumValue, isDate ? 1630 : 1610),
            (length, .greaterOrEqual, attribute.minimumLength.map { .integer(Int64($0)) }, 1670),
            (length, .lessOrEqual, attribute.maximumLength.map { .integer(Int64($0)) }, 1660),
            (.evaluatedObject, .matches, attribute.regularExpression.map(Value.string), 1680),
        ]
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        for (left, `operator`, bound, warning) in bounds {
            guard let bound else { continue }
            predicates.append(try builder.add(.comparing(left, `operator`, .constant(bound))))
            warnings.append(builder.add(.integer(Int128(warning))))
        }
        guard !predicates.isEmpty else { return [] }
        return [
            ("NSValidationPredicates", builder.add(array: predicates, mutable: true)),
            ("NSValidationWarnings", builder.add(array: warnings, mutable: true)),
        ]
    }
}
