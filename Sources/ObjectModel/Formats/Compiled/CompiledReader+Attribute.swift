// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Predicates
import PropertyList
import XML

extension CompiledReader {
    mutating func attribute(
        _ object: ArchivedObject,
        name: String,
        depth: Int = 0
    ) throws(ModelError) -> Attribute {
        let type = try type(of: object, name: name, depth: depth)
        let flags = CompiledFlags(rawValue: object.integer("NSFlagsKey") ?? 0)
        var attribute = Attribute(
            name: name,
            type: type,
            isOptional: object.flag("NSIsOptional"),
            isTransient: object.flag("NSIsTransient"),
            derivation: derivation(of: object),
            allowsExternalStorage: flags.contains(.externalStorage),
            isPreservedAfterDeletion: flags.contains(.preservedAfterDeletion),
            isSearchIndexed: object.flag("NSIndexedBySpotlight"),
            isIndexed: object.flag("NSIsIndexed"),
            userInfo: try userInfo(object["NSUserInfo"]),
            renamingIdentifier: object.renamingIdentifier(besides: name),
            versionHashModifier: object.text("NSVersionHashModifier")
        )
        if let value = object["NSDefaultValue"], !value.isNull {
            attribute.defaultValue = value.modelValue.flatMap(type.value(compiled:))
            if attribute.defaultValue == nil {
                report("The default value isn't a valid \(type.name), and is ignored.")
            }
        }
        if case .transformable = type, let className = object.text("NSAttributeValueClassName") {
            attribute.extras.attributes.append(XMLAttribute(name: CompiledNames.customClass, value: className))
        }
        try readValidation(of: object, into: &attribute)
        return attribute
    }

    private mutating func type(
        of object: ArchivedObject,
        name: String,
        depth: Int
    ) throws(ModelError) -> AttributeType {
        let number = object.integer("NSAttributeType") ?? 0
        switch AttributeType(compiled: number) {
        case .transformable: return .transformable(transformer: object.text("NSValueTransformerName"))
        case .composite: return .composite(try composite(object, attributeName: name, depth: depth))
        case let type?: return type
        case nil:
            report("The attribute has the unknown type \(number), and is read as one without a type.")
            return .undefined
        }
    }

    private mutating func derivation(of object: ArchivedObject) -> String? {
        guard let archived = object["NSDerivationExpression"], !archived.isNull else { return nil }
        if let filter = object["NSFilteringPredicate"], !filter.isNull {
            let predicate = text(ofPredicate: filter)
            report("The derivation has a filter predicate, which is ignored: \(predicate).")
        }
        do {
            return try expression(archived).description
        } catch {
            report("The derivation can't be read: \(error.message)")
            return nil
        }
    }

    /// The name of the composite that an attribute's elements form.
    private mutating func composite(
        _ object: ArchivedObject,
        attributeName: String,
        depth: Int
    ) throws(ModelError) -> String {
        let name = object.text(CompiledNames.compositeName) ?? attributeName.withCapital
        guard depth < CompositeCollection.maximumDepth else {
            report("The composite is nested too deeply, and its attributes are ignored.")
            return composites.name(for: Composite(name: name, attributes: []))
        }
        let outer = place
        defer { place = outer }
        var attributes: [Attribute] = []
        for element in try elements(of: object) {
            guard let element = element.object, let elementName = element.text("NSPropertyName") else { continue }
            place.property = elementName
            attributes.append(try attribute(element, name: elementName, depth: depth + 1))
        }
        return composites.name(for: Composite(name: name, attributes: attributes))
    }

    /// The elements of a composite attribute under any key: no known archive shows which key Core Data uses.
    private mutating func elements(of object: ArchivedObject) throws(ModelError) -> [ArchivedValue] {
        let keys = [CompiledNames.compositeElements] + object.keys
        let lists = keys.lazy.compactMap { object[$0]?.members }
        let list = lists.first { $0.first?.object?.isKind(of: "NSAttributeDescription") ?? false }
        return try members(list.map(ArchivedValue.array))
    }
}

extension String {
    fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
