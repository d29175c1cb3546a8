// SPDX-License-Identifier: Apache-2.0

// The mapping between two versions that follows from names and renaming identifiers.

import Basics
import Predicates

extension ModelMapping {
    /// Infers the mapping, as Core Data does for a lightweight migration, and applies rules. `ModelDiff` has what stands in
    /// the way of it, and what it loses.
    public init(from old: Model, to new: Model, rules: MappingRules = MappingRules()) {
        self.init(ModelComparison(old: old, new: new, rules: rules))
    }

    init(_ comparison: ModelComparison) {
        let mappings = comparison.entities.compactMap { entity, pair in
            entity.isAbstract ? nil : EntityMapping(of: entity, from: pair?.old, comparison)
        }
        let formerNames = Dictionary(keepingFirst: comparison.pairs.map { ($0.new.name, $0.old.name) })
        self.init(old: comparison.old, new: comparison.new, entities: mappings, formerNames: formerNames)
    }
}

extension EntityMapping {
    fileprivate init(of entity: Entity, from source: Entity?, _ comparison: ModelComparison) {
        let stored = StoredProperties(of: entity, in: comparison.new)
        // An abstract entity has no objects of its own.
        let source = source.flatMap { $0.isAbstract ? nil : $0 }
        let origins = source.map { StoredProperties(of: $0, in: comparison.old).origins(of: stored) }
        name = entity.name
        self.source = source?.name
        func expression(_ name: String, isContinued: Bool) -> ObjectExpression? {
            source == nil ? nil : comparison.expression(for: name, of: entity, isContinued: isContinued)
        }
        let former = source.map { StoredProperties(of: $0, in: comparison.old) }
        var ruled: Set<String> = []
        var read: Set<String> = []
        attributes = stored.attributes.enumerated().map { place, attribute in
            let origin = origins?.attributes[place]
            let isContinued = origin.map { $0.type.isConvertible(to: attribute.type) } ?? false
            let rule = attribute.isDerived ? nil : expression(attribute.name, isContinued: isContinued)
            // An expression that only names an attribute is a renaming, which needs no evaluation.
            let named = rule?.key.flatMap { key in former?.attributes.first { $0.name == key } }
            if let named, named.type.isConvertible(to: attribute.type),
                !named.isOptional || attribute.isOptional || attribute.defaultValue != nil
            {
                ruled.formUnion([attribute.name])
                read.formUnion([named.name])
                return AttributeMapping(of: attribute, from: named, by: nil)
            }
            if rule != nil { ruled.formUnion([attribute.name]) }
            return AttributeMapping(of: attribute, from: origin, by: rule)
        }
        relationships = stored.relationships.enumerated().map { place, relationship in
            let origin = origins?.relationships[place]
            let rule = expression(relationship.name, isContinued: origin != nil)
            let named = rule?.key.flatMap { key in former?.relationships.first { $0.name == key } }
            if rule != nil { ruled.formUnion([relationship.name]) }
            if let named { read.formUnion([named.name]) }
            return RelationshipMapping(
                name: relationship.name,
                source: named?.name ?? (rule == nil ? origin : nil),
                expression: named == nil ? rule : nil
            )
        }
        ruledNames = ruled
        renamedNames = read
        filter = source == nil ? nil : comparison.filter(of: entity)
    }
}

extension AttributeMapping {
    fileprivate init(of attribute: Attribute, from source: Attribute?, by expression: ObjectExpression?) {
        name = attribute.name
        self.expression = expression
        if expression != nil {
            self.source = nil
            fallback = attribute.isOptional ? .null : attribute.defaultValue ?? .null
            return
        }
        self.source = source?.name
        // Values that are nil stay nil unless the attribute becomes required.
        let isFilled = source.map { $0.isOptional && !attribute.isOptional } ?? true
        fallback = isFilled && !attribute.isDerived ? attribute.defaultValue ?? .null : .null
    }
}

/// The properties of an entity that stores keep, inherited ones first.
struct StoredProperties {
    let attributes: [Attribute]
    let relationships: [Relationship]

    init(of entity: Entity, in model: Model) {
        attributes = model.attributes(of: entity).filter { !$0.isTransient }
        relationships = model.relationships(of: entity).filter { !$0.isTransient }
    }

    /// The attributes, and the names of the relationships, that those of another version continue, by position. An
    /// attribute doesn't continue a relationship.
    func origins(of new: StoredProperties) -> (attributes: [Attribute?], relationships: [String?]) {
        let origins = Pairing(old: names, new: new.names).origins
        return (
            origins.prefix(new.attributes.count).map { origin in
                origin.flatMap { attributes.indices.contains($0) ? attributes[$0] : nil }
            },
            origins.dropFirst(new.attributes.count).map { origin in
                origin.flatMap { $0 < attributes.count ? nil : relationships[$0 - attributes.count].name }
            }
        )
    }

    private var names: [VersionedName] {
        attributes.map { Property.attribute($0).versionedName }
            + relationships.map { Property.relationship($0).versionedName }
    }
}

extension ObjectExpression {
    /// The property that the expression only names, or nil.
    fileprivate var key: String? {
        guard case .keyPath(of: .evaluatedObject, let path) = self, path.count == 1, case .name(let key) = path[0]
        else {
            return nil
        }
        return key
    }
}
