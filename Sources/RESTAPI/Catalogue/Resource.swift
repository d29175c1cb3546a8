// SPDX-License-Identifier: Apache-2.0

// An entity as a resource of the API.

import HTTPMessage
import ObjectGraph
import ObjectModel
import SourceText

/// An entity, its path, and its properties by their names in bodies and key paths.
final class Resource: Sendable {
    let entity: EntityDescription
    /// The alias in the model, or else the entity's name; used in links.
    let path: String
    /// The readable properties, in the model's order.
    let properties: [ResourceProperty]
    /// The properties that aren't inherited.
    let ownProperties: [ResourceProperty]
    /// The beginning of references to its objects, `posts/`, escaped for JSON.
    let referencePrefix: [UInt8]
    private let includesTransients: Bool
    /// The number of attributes in `properties`, and of attributes and relationships.
    private let attributeCount: Int
    private let storedCount: Int

    /// - Parameter parent: The resource of the parent entity, or nil.
    /// - Parameter includesTransients: Whether to include properties that stores don't keep.
    init(_ entity: EntityDescription, below parent: Resource?, includesTransients: Bool = false) {
        self.entity = entity
        self.includesTransients = includesTransients
        path = entity.entity.userInfo["path"] ?? entity.name
        referencePrefix = Array("\(ObjectShape.escaped(RequestTarget.encode(segment: path)))/".utf8)
        let own = entity.ownProperties.filter { includesTransients || !$0.isTransient }.map(ResourceProperty.init)
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
            includesTransients || !property.isTransient
        else { return nil }
        return ResourceProperty(property)
    }

    /// A sentence that suggests the nearest property.
    func hint(for name: String, also others: [String] = []) -> String? {
        Spelling.hint(for: name, among: properties.map(\.name) + others)
    }

    /// Why the path can't be used.
    var problems: [String] {
        var problems: [String] = []
        let target = try? RequestTarget("/api/" + RequestTarget.encode(segment: path))
        let isSegment = target?.segments == ["api", path] && !path.contains("/")
        if !isSegment || path.unicodeScalars.contains(where: { $0.value < 0x21 }) {
            problems.append(
                "“\(path)” can't be the path of \(entity.name): it must be one path segment without spaces, and not “.” or “..”."
            )
        }
        return problems
    }
}

/// A property with its name in the API, where a leading underscore is doubled.
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

    /// The property's name in the model, or nil for reserved keys.
    static func modelName(of name: String) -> String? {
        if name.hasPrefix("__") { return String(name.dropFirst()) }
        return name.hasPrefix("_") ? nil : name
    }
}

extension PropertyDescription {
    /// Whether stores don't keep it.
    fileprivate var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        case .fetched: false
        }
    }
}
