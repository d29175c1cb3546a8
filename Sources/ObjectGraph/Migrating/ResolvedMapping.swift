// SPDX-License-Identifier: Apache-2.0

// A mapping between two models with their descriptions, as stores execute it.

package import ObjectModel
package import Predicates

/// A mapping whose names are resolved to the entities and properties of both models.
package struct ResolvedMapping: Sendable {
    /// What the objects of an entity become.
    package struct EntityPlan: Sendable {
        package let source: EntityDescription
        package let destination: EntityDescription
        /// By slot of the destination.
        package let attributes: [AttributePlan]
        /// The source's relationships by name of the destination's.
        package let relationships: [String: RelationshipDescription]
        /// What rules say about the objects; nil if there are none.
        package let rules: EntityRules?
        /// The properties of the source that rules read.
        fileprivate let readNames: Set<String>
        /// The stored attributes and relationships of the source that no property of the destination continues.
        fileprivate let uncontinued: [PropertyDescription]

        /// The name of the property that continues one of the source, or nil.
        package func name(ofSource name: String) -> String? {
            attributes.first { $0.source?.name == name }?.attribute.name
                ?? relationships.first { $0.value.name == name }?.key
        }
    }

    /// What the values of an attribute become.
    package struct AttributePlan: Sendable {
        package let attribute: AttributeDescription
        /// The attribute of the source whose values it gets, or nil.
        package let source: AttributeDescription?
        /// The value where there is none otherwise.
        package let fallback: Value
        /// Whether a rule computes the values.
        package let isRuled: Bool

        /// The value of an object.
        package func value(from row: Row) -> Value {
            guard let source else { return fallback }
            let value = source.attribute.type.converted(row.attributes[source.slot], to: attribute.attribute.type)
            guard let value, value != .null else { return fallback }
            return value
        }
    }

    /// What rules say about the objects of an entity.
    package struct EntityRules: Sendable {
        package let filter: ObjectPredicate?
        package let attributes: [(attribute: AttributeDescription, expression: ObjectExpression)]
        package let toOnes: [(relationship: RelationshipDescription, expression: ObjectExpression)]

        fileprivate var changesReferences: Bool { filter != nil || !toOnes.isEmpty }
    }

    package let mapping: ModelMapping
    package let old: ManagedObjectModel
    package let new: ManagedObjectModel
    package let plans: [EntityPlan]
    /// Whether a relationship has another inverse than before, so that references may be lost without a row being written.
    package let hasNewPairings: Bool
    private let bySource: [EntityDescription: EntityPlan]

    /// - Parameters:
    ///   - old: The mapping's old model.
    ///   - new: The mapping's new model.
    package init(_ mapping: ModelMapping, from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.mapping = mapping
        self.old = old
        self.new = new
        plans = mapping.entities.compactMap { entity in
            guard let source = entity.source.flatMap(old.entity(named:)),
                let destination = new.entity(named: entity.name)
            else { return nil }
            return EntityPlan(entity, from: source, to: destination)
        }
        bySource = Dictionary(uniqueKeysWithValues: plans.map { ($0.source, $0) })
        hasNewPairings = Self.hasNewPairings(plans, old)
    }

    private static func hasNewPairings(_ plans: [EntityPlan], _ old: ManagedObjectModel) -> Bool {
        plans.contains { plan in
            plan.relationships.contains { name, source in
                let inverse = plan.destination.relationship(named: name)?.inverse?.name
                guard let former = source.inverse?.name else { return inverse != nil }
                let destination = old.destination(of: source)
                return plans.contains { other in
                    other.source.isKind(of: destination)
                        && other.relationships.contains { $0.value.name == former && $0.key != inverse }
                }
            }
        }
    }

    /// Whether rules say something.
    package var hasRules: Bool { plans.contains { $0.rules != nil } }

    /// What the objects of an entity become, or nil if they are deleted.
    package func plan(of source: EntityDescription) -> EntityPlan? { bySource[source] }

    /// The properties of the source whose values are lost. A relationship isn't if its inverse continues, or a rule reads it.
    package func lost(of plan: EntityPlan) -> [PropertyDescription] {
        plan.uncontinued.filter { property in
            guard case .relationship(let relationship) = property, let inverse = relationship.inverse else {
                return true
            }
            let destination = old.destination(of: relationship)
            return !plans.contains { other in
                other.source.isKind(of: destination)
                    && (other.readNames.contains(inverse.name)
                        || other.relationships.contains { name, source in
                            source.name == inverse.name
                                && !isRuled(other.destination.relationship(named: name)?.inverse)
                        })
            }
        }
    }

    /// Whether a rule gives the destinations of a relationship, which its inverse follows.
    private func isRuled(_ relationship: RelationshipDescription.Inverse?) -> Bool {
        guard let relationship else { return false }
        return plans.contains { plan in
            plan.rules?.toOnes.contains { $0.relationship.name == relationship.name } ?? false
        }
    }

    /// Whether objects that a relationship of the old version refers to can become objects of an entity.
    package func connects(_ source: RelationshipDescription, to destination: EntityDescription) -> Bool {
        let former = old.destination(of: source)
        return plans.contains { $0.source.isKind(of: former) && $0.destination.isKind(of: destination) }
    }

    /// Whether no reference in a relationship can be lost: both sides refer to as many objects as before, of the same
    /// entities, and no object is deleted.
    package func keepsReferences(of relationship: RelationshipDescription, from source: RelationshipDescription) -> Bool
    {
        guard mapping.removed.isEmpty, !hasNewPairings, plans.allSatisfy({ $0.rules?.changesReferences != true }),
            source.isToMany == relationship.isToMany,
            source.inverse?.isToMany == relationship.inverse?.isToMany
        else { return false }
        let destination = new.destination(of: relationship)
        return old.kinds(of: old.destination(of: source)).allSatisfy { kind in
            kind.isAbstract || plan(of: kind)?.destination.isKind(of: destination) ?? false
        }
    }

    /// Whether a relationship of the new version gets the links of one of the old version.
    package func hasSource(_ relationship: RelationshipDescription, of destination: EntityDescription) -> Bool {
        plans.contains { $0.destination == destination && $0.relationships[relationship.name] != nil }
    }

    /// The ID that an object has afterwards: its number is the same. Nil if it is deleted.
    package func objectID(of former: ManagedObjectID) -> ManagedObjectID? {
        guard let plan = plan(of: former.entity), let store = former.storeIdentifier, let reference = former.reference
        else { return nil }
        return ManagedObjectID(entity: plan.destination, store: store, reference: reference)
    }
}

extension ResolvedMapping.EntityPlan {
    fileprivate init(_ mapping: EntityMapping, from source: EntityDescription, to destination: EntityDescription) {
        self.source = source
        self.destination = destination
        rules = ResolvedMapping.EntityRules(mapping, of: destination)
        readNames = mapping.readNames
        var continued = readNames
        attributes = destination.attributes.map { attribute in
            let origin = mapping.attribute(named: attribute.name)
            let before = origin?.source.flatMap(source.attribute(named:))
            // Values that were assigned are lost where they are derived now.
            if let before, before.isDerived || !attribute.isDerived { continued.insert(before.name) }
            return .init(
                attribute: attribute,
                source: before,
                fallback: origin?.fallback ?? .null,
                isRuled: origin?.expression != nil
            )
        }
        var relationships: [String: RelationshipDescription] = [:]
        for relationship in mapping.relationships {
            guard let before = relationship.source.flatMap(source.relationship(named:)) else { continue }
            relationships[relationship.name] = before
            continued.insert(before.name)
        }
        self.relationships = relationships
        uncontinued =
            source.attributes.filter { $0.isPersistent && !$0.isDerived && !continued.contains($0.name) }
            .map(PropertyDescription.attribute)
            + source.relationships.filter { !$0.isTransient && !continued.contains($0.name) }
            .map(PropertyDescription.relationship)
    }
}

extension ResolvedMapping.EntityRules {
    fileprivate init?(_ mapping: EntityMapping, of entity: EntityDescription) {
        filter = mapping.filter
        attributes = mapping.attributes.compactMap { rule in
            guard let expression = rule.expression, let attribute = entity.attribute(named: rule.name) else {
                return nil
            }
            return (attribute, expression)
        }
        toOnes = mapping.relationships.compactMap { rule in
            guard let expression = rule.expression, let relationship = entity.relationship(named: rule.name),
                !relationship.isToMany
            else { return nil }
            return (relationship, expression)
        }
        if filter == nil, attributes.isEmpty, toOnes.isEmpty { return nil }
    }
}
