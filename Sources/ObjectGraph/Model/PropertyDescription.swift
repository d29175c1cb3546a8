// SPDX-License-Identifier: Apache-2.0

// The properties of entities, resolved for the engine.

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

/// An attribute and its slot.
public final class AttributeDescription: Sendable {
    public let attribute: Attribute
    package let rules: AttributeRules
    /// Its index among the attributes of its entity.
    public let slot: Int
    /// The elements of a composite attribute.
    public let elements: [AttributeDescription]
    /// The expression of a derived attribute.
    public let derivation: ObjectExpression?
    /// The transformer of a transformable attribute; nil if the model names none or it isn't registered.
    public let transformer: (any AttributeTransformer)?
    /// Whether it or an element of it has a transformer.
    public let hasTransformer: Bool

    init(
        _ attribute: Attribute,
        slot: Int,
        elements: [AttributeDescription],
        derivation: ObjectExpression?,
        transformer: (any AttributeTransformer)?
    ) {
        self.attribute = attribute
        rules = AttributeRules(attribute)
        self.slot = slot
        self.elements = elements
        self.derivation = derivation
        self.transformer = transformer
        hasTransformer = transformer != nil || elements.contains(where: \.hasTransformer)
    }

    /// The value of a new object, converted to the attribute's type: a model may give a decimal's default as an
    /// integer.
    var initialValue: Value { attribute.defaultValue.map { accepting($0) ?? $0 } ?? .null }

    public var name: String { attribute.name }
    public var type: AttributeType { attribute.type }
    public var isTransient: Bool { attribute.isTransient }
    public var isDerived: Bool { derivation != nil }
    /// Whether the store keeps it.
    public var isPersistent: Bool { !isTransient }
}

/// A relationship, its slot, and its inverse.
public final class RelationshipDescription: Sendable {
    /// The inverse relationship of the destination.
    public struct Inverse: Hashable, Sendable {
        public let name: String
        public let slot: Int
        public let isToMany: Bool
        public let isOrdered: Bool
    }

    public let relationship: Relationship
    /// Its index among the to-one, or to-many, relationships of its entity.
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
    /// The inverse if it is to-one: that side's row stores the relationship.
    var inverseToOne: Inverse? { inverse.flatMap { $0.isToMany ? nil : $0 } }
    /// Whether both sides are to-many, so that the store keeps pairs apart from the rows.
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

// Descriptions are created once for a model, so identity is equality.
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
