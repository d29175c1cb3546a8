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
    private let byName: [String: PropertyDescription]

    init(
        _ entity: Entity,
        index: Int,
        kinds: Range<Int>,
        rootIndex: Int,
        attributes: [AttributeDescription],
        relationships: [RelationshipDescription],
        fetchedProperties: [FetchedPropertyDescription],
        uniquenessConstraints: [[String]],
        isWithoutWayBack: Bool
    ) {
        self.entity = entity
        self.index = index
        self.kinds = kinds
        self.rootIndex = rootIndex
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.isWithoutWayBack = isWithoutWayBack
        toOnes = relationships.filter { !$0.isToMany }
        toManys = relationships.filter(\.isToMany)
        transients = attributes.filter(\.isTransient)
        let properties =
            attributes.map(PropertyDescription.attribute) + relationships.map(PropertyDescription.relationship)
            + fetchedProperties.map(PropertyDescription.fetched)
        let byName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
        self.byName = byName
        self.uniquenessConstraints = uniquenessConstraints.map { names in names.compactMap { byName[$0] } }
    }

    public var name: String { entity.name }
    public var isAbstract: Bool { entity.isAbstract }

    /// Whether its objects are also objects of another entity.
    public func isKind(of other: EntityDescription) -> Bool { other.kinds.contains(index) }

    public func property(named name: String) -> PropertyDescription? { byName[name] }

    public func attribute(named name: String) -> AttributeDescription? {
        if case .attribute(let attribute) = byName[name] { attribute } else { nil }
    }

    public func relationship(named name: String) -> RelationshipDescription? {
        if case .relationship(let relationship) = byName[name] { relationship } else { nil }
    }
}

extension EntityDescription: Hashable, CustomStringConvertible {
    public static func == (one: EntityDescription, other: EntityDescription) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { name }
}
