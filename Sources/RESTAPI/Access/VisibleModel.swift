// SPDX-License-Identifier: Apache-2.0

// The part of a model that an identity knows.

import AccessRules
import ObjectGraph
import ObjectModel
import Predicates

extension Access {
    /// The model without what the identity may not know: properties that it can't read, and entities of which it may do
    /// nothing with any object. Superentities of known entities are kept.
    ///
    /// It is a version of the model that has less than the served one: names that it lacks don't exist for the identity.
    func visibleModel() -> Model {
        var visible = model.model
        let known = knownEntities
        visible.entities = visible.entities.filter { known.contains($0.name) }.map { entity in
            var entity = entity
            guard let described = model.entity(named: entity.name) else { return entity }
            let kinds = model.kinds(of: described)
            let isReadable = { (name: String) in kinds.allSatisfy { self.canRead(name, of: $0) } }
            entity.attributes = entity.attributes.filter { isReadable($0.name) }
            entity.relationships = entity.relationships.filter {
                isReadable($0.name) && known.contains($0.destinationName)
            }
            entity.fetchedProperties = entity.fetchedProperties.filter {
                isReadable($0.name) && known.contains($0.fetchRequest.entityName)
            }
            let attributes = Set(entity.attributes.map(\.name))
            entity.uniquenessConstraints = entity.uniquenessConstraints.filter { constraint in
                constraint.allSatisfy { name in
                    attributes.contains(name) || described.property(named: name) != nil && isReadable(name)
                }
            }
            entity.fetchIndexes = []
            entity.compoundIndexes = []
            return entity
        }
        visible.configurations = []
        visible.composites = visible.usedComposites
        visible.fetchRequestTemplates = visible.fetchRequestTemplates.filter { known.contains($0.entityName) }
        return visible.withoutBrokenParts
    }

    private var knownEntities: Set<String> {
        var known: Set<String> = []
        for entity in model.entities where knows(entity) { known.formUnion(entity.lineage(in: model)) }
        return known
    }

    /// Whether the visible model is the whole model.
    var knowsWholeModel: Bool {
        model.entities.allSatisfy { entity in
            let names =
                entity.attributes.map(\.name) + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name)
            return knows(entity) && names.allSatisfy { canRead($0, of: entity) }
        }
    }
}

extension Model {
    /// The composites that attributes have, and those within these.
    fileprivate var usedComposites: [Composite] {
        var used: [Composite] = []
        var next = entities.flatMap(\.attributes)
        while let attribute = next.popLast() {
            guard case .composite(let name) = attribute.type, !used.contains(where: { $0.name == name }),
                let composite = composites.first(where: { $0.name == name })
            else { continue }
            used.append(composite)
            next += composite.attributes
        }
        return composites.filter(used.contains)
    }

    /// The model without what refers to parts that it doesn't have: inverses, derivations, templates and constraints.
    var withoutBrokenParts: Model {
        var model = self
        for index in model.entities.indices {
            for place in model.entities[index].relationships.indices {
                let relationship = model.entities[index].relationships[place]
                guard let inverse = relationship.inverseName,
                    let destination = self.entity(named: relationship.destinationName)
                else { continue }
                let names = relationships(of: destination).map(\.name)
                if !names.contains(inverse) { model.entities[index].relationships[place].inverseName = nil }
            }
        }
        var checked = model
        for issue in model.issues() where issue.severity == .error {
            let owners = checked.entities.indices.filter { checked.entities[$0].name == issue.place.entity }
            for index in owners {
                for place in checked.entities[index].attributes.indices
                where checked.entities[index].attributes[place].name == issue.place.property {
                    // Its values are shown, but not what they are computed from.
                    checked.entities[index].attributes[place].derivation = nil
                }
                checked.entities[index].fetchedProperties.removeAll { $0.name == issue.place.property }
            }
            checked.fetchRequestTemplates.removeAll { $0.name == issue.place.property }
        }
        let rest = checked
        for index in checked.entities.indices {
            let name = checked.entities[index].name
            checked.entities[index].fetchedProperties.removeAll { property in
                rest.hasMistakes(
                    property.fetchRequest,
                    variables: ["FETCH_SOURCE": .object(name), "FETCHED_PROPERTY": .any]
                )
            }
        }
        checked.fetchRequestTemplates.removeAll { rest.hasMistakes($0, variables: nil) }
        return checked
    }

    private func hasMistakes(_ request: FetchRequestTemplate, variables: [String: PredicateVariable]?) -> Bool {
        guard let entity = entity(named: request.entityName), let text = request.predicate,
            let predicate = try? ObjectPredicate(template: text)
        else { return false }
        return check(predicate, on: entity, variables: variables).contains { $0.severity == .error }
    }
}
