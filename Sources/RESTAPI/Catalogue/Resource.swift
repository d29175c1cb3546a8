// SPDX-License-Identifier: Apache-2.0

// An entity as the API shows it.

import HTTPMessage
import ObjectGraph
import ObjectModel
import SourceText

/// An entity, its path, and its properties by the names that they have in bodies and key paths.
final class Resource: Sendable {
    let entity: EntityDescription
    /// The alias that the model gives, else the entity's name: what stands in links.
    let path: String
    /// What can be read of its objects, in the order of the model.
    let properties: [ResourceProperty]
    /// Those of them that the entity doesn't inherit.
    let ownProperties: [ResourceProperty]
    /// What references to its objects begin with, `posts/`, as it stands in JSON.
    let referenceOpening: [UInt8]
    private let showsTransients: Bool
    /// How many of the properties are attributes, and how many attributes or relationships.
    private let attributeCount: Int
    private let storedCount: Int

    /// - Parameter parent: That of the entity from which this one inherits, or nil.
    /// - Parameter showsTransients: Whether properties are there that no store keeps.
    init(_ entity: EntityDescription, below parent: Resource?, showsTransients: Bool = false) {
        self.entity = entity
        self.showsTransients = showsTransients
        path = entity.entity.userInfo["path"] ?? entity.name
        referenceOpening = Array("\(ObjectShape.escaped(RequestTarget.encode(segment: path)))/".utf8)
        let own = entity.ownProperties.filter { showsTransients || !$0.isTransient }.map(ResourceProperty.init)
        let attributes = own.filter { $0.attribute != nil }
        let relationships = own.filter { $0.relationship != nil }
        let fetched = own.dropFirst(attributes.count + relationships.count)
        let inherited = parent?.properties ?? []
        let inheritedAttributes = parent?.attributeCount ?? 0
        let inheritedStored = parent?.storedCount ?? 0
        attributeCount = inheritedAttributes + attributes.count
        storedCount = inheritedStored + attributes.count + relationships.count
        var properties = inherited[..<inheritedAttributes] + attributes
        properties += inherited[inheritedAttributes..<inheritedStored] + relationships
        properties += inherited[inheritedStored...] + fetched
        self.properties = Array(properties)
        ownProperties = own
    }

    func property(named name: String) -> ResourceProperty? {
        guard let property = ResourceProperty.modelName(of: name).flatMap(entity.property(named:)),
            showsTransients || !property.isTransient
        else { return nil }
        return ResourceProperty(property)
    }

    /// The sentence that offers the nearest property.
    func hint(for name: String, also others: [String] = []) -> String? {
        Spelling.hint(for: name, among: properties.map(\.name) + others)
    }

    /// What keeps the path from being used.
    var problems: [String] {
        var problems: [String] = []
        let target = try? RequestTarget("/api/" + RequestTarget.encode(segment: path))
        let isSegment = target?.segments == ["api", path] && !path.contains("/")
        if !isSegment || path.unicodeScalars.contains(where: { $0.value < 0x21 }) {
            problems.append(
                "“\(path)” can't be the path of \(entity.name): it must be one word without slashes, and no dots alone."
            )
        }
        return problems
    }
}

/// A property as the API names it: one whose own name begins with an underscore has one more in front.
struct ResourceProperty: Hashable, Sendable {
    let name: String
    let property: PropertyDescription

    init(_ property: PropertyDescription) {
        self.property = property
        name = Self.name(of: property.name)
    }

    var attribute: AttributeDescription? {
        if case .attribute(let attribute) = property { attribute } else { nil }
    }

    var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = property { relationship } else { nil }
    }

    static func name(of modelName: String) -> String { modelName.hasPrefix("_") ? "_" + modelName : modelName }

    /// The property's name in the model; nil for the API's own keys.
    static func modelName(of name: String) -> String? {
        if name.hasPrefix("__") { return String(name.dropFirst()) }
        return name.hasPrefix("_") ? nil : name
    }
}

extension PropertyDescription {
    /// Whether no store keeps it.
    fileprivate var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        case .fetched: false
        }
    }
}
