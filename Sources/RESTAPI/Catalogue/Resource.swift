// SPDX-License-Identifier: Apache-2.0

// An entity as a resource of the API.

import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// An entity, its path, and its properties by their names in bodies and key paths.
final class Resource: Sendable {
    let entity: EntityDescription
    /// The entity in the version of the model whose names clients use; usually the same.
    let described: EntityDescription
    /// The alias in the model, or else the entity's name; used in links.
    let path: String
    /// The readable properties, in the model's order.
    let properties: [ResourceProperty]
    /// The properties that aren't inherited.
    let ownProperties: [ResourceProperty]
    /// The beginning of references to its objects, `posts/`, escaped for JSON.
    let referencePrefix: [UInt8]
    private let includesTransients: Bool
    /// The names that another version of the model has for the properties; nil for the served version.
    private let names: VersionNames?
    /// The number of attributes in `properties`, and of attributes and relationships.
    private let attributeCount: Int
    private let storedCount: Int

    /// - Parameter parent: The resource of the parent entity, or nil.
    /// - Parameter includesTransients: Whether to include properties that stores don't keep.
    init(_ entity: EntityDescription, below parent: Resource?, includesTransients: Bool = false) {
        self.entity = entity
        described = entity
        names = nil
        self.includesTransients = includesTransients
        path = entity.entity.userInfo["path"] ?? entity.name
        referencePrefix = Self.referencePrefix(path)
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

    /// An entity with the names and properties that it has in another version of the model.
    ///
    /// - Parameter resource: The resource of that version's entity.
    init(_ entity: EntityDescription, describedBy resource: Resource, _ names: VersionNames) {
        self.entity = entity
        self.names = names
        described = resource.entity
        includesTransients = resource.includesTransients
        path = resource.path
        referencePrefix = resource.referencePrefix
        properties = resource.properties.compactMap { names.properties[$0.name] }
        ownProperties = resource.ownProperties.compactMap { names.properties[$0.name] }
        attributeCount = resource.attributeCount
        storedCount = resource.storedCount
    }

    /// An entity that another version of the model doesn't have.
    init(hidden entity: EntityDescription) {
        self.entity = entity
        described = entity
        names = VersionNames(properties: [:])
        includesTransients = false
        path = entity.entity.userInfo["path"] ?? entity.name
        referencePrefix = Self.referencePrefix(path)
        properties = []
        ownProperties = []
        attributeCount = 0
        storedCount = 0
    }

    private static func referencePrefix(_ path: String) -> [UInt8] {
        Array("\(ObjectShape.escaped(RequestTarget.encode(segment: path)))/".utf8)
    }

    /// The entity's name for clients.
    var name: String { described.name }

    func property(named name: String) -> ResourceProperty? {
        if let names {
            let property = names.properties[name]
            return includesTransients || property?.property.isTransient == false ? property : nil
        }
        guard let property = ResourceProperty.modelName(of: name).flatMap(entity.property(named:)),
            includesTransients || !property.isTransient
        else { return nil }
        return ResourceProperty(property)
    }

    /// The step of a key path in the served model, or nil for a name that can't be one.
    func key(named name: String) -> Key? {
        guard let names, name != "_id", name != "_entity" else { return Key(inAPI: name) }
        return names.properties[name].map { .name($0.property.name) }
    }

    /// The name for clients of a property, or nil if they don't know it.
    func name(ofProperty modelName: String) -> String? {
        if let names { return names.byModelName[modelName] }
        return ResourceProperty.name(of: modelName)
    }

    /// The name for clients of a property or of an element of a composite, `address.zip`; nil if they don't know the
    /// property.
    func name(ofPath path: String) -> String? {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = name(ofProperty: steps[0]) else { return nil }
        return ([first] + steps.dropFirst().map { ResourceProperty.name(of: $0) }).joined(separator: ".")
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
    /// What clients of another version of the model see in place of null; nil if they see null.
    private(set) var shownForNull: Value?
    /// What is stored if clients of another version send null; nil if null is stored.
    private(set) var storedForNull: Value?

    init(_ property: PropertyDescription) {
        self.property = property
        name = Self.name(of: property.name)
    }

    /// A property as another version of the model has it.
    init(_ property: PropertyDescription, as shape: PropertyShape) {
        self.property = property
        name = Self.name(of: shape.name)
        guard case .attribute(let attribute) = property else { return }
        shownForNull = shape.shownForNull.map { attribute.accepting($0) ?? $0 }
        storedForNull = shape.storedForNull.map { attribute.accepting($0) ?? $0 }
    }

    /// A stored value as clients see it.
    func shown(_ value: Value) -> Value { value == .null ? shownForNull ?? value : value }

    /// A client's value as it is stored.
    func stored(_ value: Value) -> Value { value == .null ? storedForNull ?? value : value }

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

/// The properties of an entity in another version of the model.
struct VersionNames: Sendable {
    /// By their names for clients.
    let properties: [String: ResourceProperty]
    /// The names for clients by those in the served model.
    let byModelName: [String: String]

    init(properties: [String: ResourceProperty]) {
        self.properties = properties
        byModelName = Dictionary(uniqueKeysWithValues: properties.values.map { ($0.property.name, $0.name) })
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
