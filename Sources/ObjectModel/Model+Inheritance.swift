// SPDX-License-Identifier: Apache-2.0

// Inheritance. A cycle of parents is an error; these methods stop where it closes.

extension Model {
    /// The ancestors of an entity, its parent first.
    public func ancestors(of entity: Entity) -> [Entity] {
        var ancestors: [Entity] = []
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let name = next, let ancestor = self.entity(named: name), seen.insert(name).inserted {
            ancestors.append(ancestor)
            next = ancestor.parentName
        }
        return ancestors
    }

    /// The direct subentities of an entity, in the model's order.
    public func subentities(of entity: Entity) -> [Entity] {
        entities.filter { $0.parentName == entity.name }
    }

    /// The entities from the root of the hierarchy down to this one, inclusive.
    public func lineage(of entity: Entity) -> [Entity] {
        ancestors(of: entity).reversed() + [entity]
    }

    /// Whether an entity is the other one or inherits from it.
    public func isEntity(_ name: String, kindOf other: String) -> Bool {
        guard let entity = entity(named: name) else { return false }
        return name == other || ancestors(of: entity).contains { $0.name == other }
    }

    /// All attributes of an entity, inherited ones first.
    public func attributes(of entity: Entity) -> [Attribute] {
        lineage(of: entity).flatMap(\.attributes)
    }

    /// All relationships of an entity, inherited ones first.
    public func relationships(of entity: Entity) -> [Relationship] {
        lineage(of: entity).flatMap(\.relationships)
    }

    /// All fetched properties of an entity, inherited ones first.
    public func fetchedProperties(of entity: Entity) -> [FetchedProperty] {
        lineage(of: entity).flatMap(\.fetchedProperties)
    }

    /// The property that an entity declares or inherits under this name.
    public func property(named name: String, of entity: Entity) -> Property? {
        for entity in [entity] + ancestors(of: entity) {
            if let attribute = entity.attributes.first(where: { $0.name == name }) { return .attribute(attribute) }
            if let relationship = entity.relationships.first(where: { $0.name == name }) {
                return .relationship(relationship)
            }
            if let property = entity.fetchedProperties.first(where: { $0.name == name }) { return .fetched(property) }
        }
        return nil
    }

    /// The inverse of a relationship, or nil if it has none.
    public func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverseName, let destination = entity(named: relationship.destinationName),
            case .relationship(let inverse) = property(named: name, of: destination)
        else { return nil }
        return inverse
    }
}
