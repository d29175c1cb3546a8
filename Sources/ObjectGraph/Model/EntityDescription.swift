// SPDX-License-Identifier: Apache-2.0

// An entity with its inherited properties, resolved for the engine.

public import ObjectModel

/// An entity with all its properties. Inherited ones come first, so that a property has the same slot in all entities
/// that share it.
public final class EntityDescription: Sendable {
    public let entity: Entity
    public let attributes: [AttributeDescription]
    /// The to-one relationships, then the to-many ones, each with a slot among its kind.
    public let relationships: [RelationshipDescription]
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The own and inherited constraints, as attributes and to-one relationships.
    public let uniquenessConstraints: [[PropertyDescription]]
    /// Its index among the entities of the model.
    public let index: Int
    /// The indices of itself and its subentities.
    public let kinds: Range<Int>
    /// The index of the root of its hierarchy.
    public let rootIndex: Int
    public let toOnes: [RelationshipDescription]
    public let toManys: [RelationshipDescription]
    /// Whether its objects may be destinations of relationships without an inverse, so that they don't know which
    /// objects refer to them.
    let mayHaveUnknownReferrers: Bool
    /// Whether a relationship denies deletions.
    let deniesDeletions: Bool
    /// The attributes that no store keeps.
    let transients: [AttributeDescription]
    /// The attributes whose values are computed.
    let derivedAttributes: [AttributeDescription]
    /// The texts that searches use, in the order of the attributes.
    package let searchedTexts: [SearchedText]
    /// The properties that it doesn't inherit, in the order of the model.
    public let ownProperties: [PropertyDescription]
    private let names: PropertyNames<PropertyDescription>

    /// - Parameter parent: The superentity, or nil.
    /// - Parameter names: The properties of all entities.
    init(
        _ entity: Entity,
        below parent: EntityDescription?,
        index: Int,
        kinds: Range<Int>,
        own: OwnProperties,
        names: PropertyNames<PropertyDescription>,
        mayHaveUnknownReferrers: Bool
    ) {
        self.entity = entity
        self.index = index
        self.kinds = kinds
        self.names = names
        rootIndex = parent?.rootIndex ?? index
        attributes = (parent?.attributes ?? []) + own.attributes
        relationships = (parent?.relationships ?? []) + own.relationships
        fetchedProperties = (parent?.fetchedProperties ?? []) + own.fetchedProperties
        self.mayHaveUnknownReferrers = mayHaveUnknownReferrers || parent?.mayHaveUnknownReferrers ?? false
        toOnes = (parent?.toOnes ?? []) + own.relationships.filter { !$0.isToMany }
        toManys = (parent?.toManys ?? []) + own.relationships.filter(\.isToMany)
        deniesDeletions = relationships.contains { $0.deleteRule == .deny }
        transients = (parent?.transients ?? []) + own.attributes.filter(\.isTransient)
        derivedAttributes = (parent?.derivedAttributes ?? []) + own.attributes.filter(\.isDerived)
        searchedTexts = (parent?.searchedTexts ?? []) + own.attributes.flatMap(\.searchedTexts)
        ownProperties = own.all
        uniquenessConstraints =
            (parent?.uniquenessConstraints ?? [])
            + entity.uniquenessConstraints.map { constraint in
                constraint.compactMap { names[$0, ofEntityAt: index] }
            }
    }

    public var name: String { entity.name }
    public var isAbstract: Bool { entity.isAbstract }

    /// Whether its objects are also objects of another entity.
    public func isKind(of other: EntityDescription) -> Bool { other.kinds.contains(index) }

    public func property(named name: String) -> PropertyDescription? { names[name, ofEntityAt: index] }

    public func attribute(named name: String) -> AttributeDescription? {
        if case .attribute(let attribute) = property(named: name) { attribute } else { nil }
    }

    public func relationship(named name: String) -> RelationshipDescription? {
        if case .relationship(let relationship) = property(named: name) { relationship } else { nil }
    }
}

extension EntityDescription: Hashable, CustomStringConvertible {
    public static func == (one: EntityDescription, other: EntityDescription) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { name }
}
