// SPDX-License-Identifier: Apache-2.0

// The properties of entities, as the engine uses them.

public import ObjectModel
public import Predicates

/// A property of an entity.
public enum PropertyDescription: Hashable, Sendable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case fetched(FetchedPropertyDescription)

    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetched(let property): property.name
        }
    }
}

/// An attribute and where its value stands.
public final class AttributeDescription: Sendable {
    public let attribute: Attribute
    /// Its place among the attributes of its entity.
    public let slot: Int
    /// What a composite attribute is made of.
    public let elements: [AttributeDescription]
    /// How a derived attribute is computed.
    public let derivation: ObjectExpression?
    /// What makes bytes of a transformable attribute's values; nil where the model names none, or none is registered.
    public let transformer: (any AttributeTransformer)?
    /// Whether it has a transformer, or an element of it has.
    public let hasTransformer: Bool

    init(
        _ attribute: Attribute,
        slot: Int,
        elements: [AttributeDescription],
        derivation: ObjectExpression?,
        transformer: (any AttributeTransformer)?
    ) {
        self.attribute = attribute
        self.slot = slot
        self.elements = elements
        self.derivation = derivation
        self.transformer = transformer
        hasTransformer = transformer != nil || elements.contains(where: \.hasTransformer)
    }

    /// What an object has before anything is set, in the attribute's own type: a model may give a decimal's default as an integer.
    var initialValue: Value { attribute.defaultValue.map { accepting($0) ?? $0 } ?? .null }

    public var name: String { attribute.name }
    public var type: AttributeType { attribute.type }
    public var isTransient: Bool { attribute.isTransient }
    public var isDerived: Bool { derivation != nil }
    /// Whether the store keeps it.
    public var isPersistent: Bool { !isTransient }
}

/// A relationship, where its value stands, and how it leads back.
public final class RelationshipDescription: Sendable {
    /// The relationship of the destination that leads back.
    public struct Inverse: Hashable, Sendable {
        public let name: String
        public let slot: Int
        public let isToMany: Bool
        public let isOrdered: Bool
    }

    public let relationship: Relationship
    /// Its place among the to-one relationships of its entity, or among the to-many ones.
    public let slot: Int
    public let inverse: Inverse?
    let destinationIndex: Int

    init(_ relationship: Relationship, slot: Int, inverse: Inverse?, destinationIndex: Int) {
        self.relationship = relationship
        self.slot = slot
        self.inverse = inverse
        self.destinationIndex = destinationIndex
    }

    public var name: String { relationship.name }
    public var isToMany: Bool { relationship.isToMany }
    public var isOrdered: Bool { relationship.isOrdered }
    public var isTransient: Bool { relationship.isTransient }
    public var deleteRule: DeleteRule { relationship.deleteRule }
    /// The inverse, if that leads to one object: the side that has the truth in its row.
    var inverseToOne: Inverse? { inverse.flatMap { $0.isToMany ? nil : $0 } }
    /// Whether it is to many on both sides, so that the store keeps its pairs apart from the objects.
    public var isManyToMany: Bool { isToMany && (inverse?.isToMany ?? true) }
}

/// A property whose value is the result of a fetch.
public final class FetchedPropertyDescription: Sendable {
    public let property: FetchedProperty

    init(_ property: FetchedProperty) {
        self.property = property
    }

    public var name: String { property.name }
}

// Descriptions are made once for a model and are themselves.
extension AttributeDescription: Hashable, CustomStringConvertible {
    public static func == (one: AttributeDescription, other: AttributeDescription) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { name }
}

extension RelationshipDescription: Hashable, CustomStringConvertible {
    public static func == (one: RelationshipDescription, other: RelationshipDescription) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { name }
}

extension FetchedPropertyDescription: Hashable, CustomStringConvertible {
    public static func == (one: FetchedPropertyDescription, other: FetchedPropertyDescription) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { name }
}
