// SPDX-License-Identifier: Apache-2.0

// An entity with all that it inherits, as the engine uses it.

public import ObjectModel

/// What objects of one kind have. Inherited properties come first, so that a property has the same slot in all entities
/// that share it.
public final class EntityDescription: Sendable {
    public let entity: Entity
    public let attributes: [AttributeDescription]
    /// The relationships to one object, then those to many, each with a slot among its kind.
    public let relationships: [RelationshipDescription]
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The constraints that it has and inherits, as the slots of their attributes or to-one relationships.
    public let uniquenessConstraints: [[PropertyDescription]]
    /// Its place among the entities of the model.
    public let index: Int
    /// The places of itself and all entities below it.
    public let kinds: Range<Int>
    /// The place of the entity at the top of its hierarchy.
    public let rootIndex: Int
    public let toOnes: [RelationshipDescription]
    public let toManys: [RelationshipDescription]
    /// Whether its objects may be in relationships that have no inverse, so that nothing leads from them to who has them there.
    let isWithoutWayBack: Bool
    /// The attributes that no store keeps.
    let transients: [AttributeDescription]
    /// The attributes whose values are computed.
    let derivedAttributes: [AttributeDescription]
    /// What searches look into, in the order of the attributes.
    package let searchedTexts: [SearchedText]
    /// The properties that it doesn't inherit, in the order of the model.
    public let ownProperties: [PropertyDescription]
    private let names: PropertyNames<PropertyDescription>

    /// - Parameter parent: The entity that it inherits from, or nil.
    /// - Parameter names: The properties of all entities.
    init(
        _ entity: Entity,
        below parent: EntityDescription?,
        index: Int,
        kinds: Range<Int>,
        own: OwnProperties,
        names: PropertyNames<PropertyDescription>,
        isWithoutWayBack: Bool
    ) {
        self.entity = entity
        self.index = index
        self.kinds = kinds
        self.names = names
        rootIndex = parent?.rootIndex ?? index
        attributes = (parent?.attributes ?? []) + own.attributes
        relationships = (parent?.relationships ?? []) + own.relationships
        fetchedProperties = (parent?.fetchedProperties ?? []) + own.fetchedProperties
        self.isWithoutWayBack = isWithoutWayBack || parent?.isWithoutWayBack ?? false
        toOnes = (parent?.toOnes ?? []) + own.relationships.filter { !$0.isToMany }
        toManys = (parent?.toManys ?? []) + own.relationships.filter(\.isToMany)
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
