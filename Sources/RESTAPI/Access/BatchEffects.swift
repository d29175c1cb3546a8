// SPDX-License-Identifier: Apache-2.0

// What a batch changes, for conditions on objects as they will be.

import ObjectGraph
import ObjectModel
import Predicates

/// The properties that a batch may change, also those of objects that are linked or unlinked.
struct BatchEffects {
    private struct Place: Hashable {
        /// The root of the entity's hierarchy.
        let root: Int
        let name: String
    }

    private let model: ManagedObjectModel
    private let derivations: Derivations
    private var changed: Set<Place> = []
    private var names: Set<String> { Set(changed.map(\.name)) }

    /// The effects of setting properties of objects of an entity, or its subentities.
    init(updating properties: some Sequence<String>, of entity: EntityDescription, in model: ManagedObjectModel) {
        self.model = model
        derivations = Derivations(model)
        for name in properties {
            changed.insert(Place(root: entity.rootIndex, name: name))
            for kind in model.kinds(of: entity) { addInverse(of: kind.relationship(named: name)) }
        }
    }

    /// The effects on other objects of inserting objects of an entity.
    init(inserting entity: EntityDescription, in model: ManagedObjectModel) {
        self.model = model
        derivations = Derivations(model)
        for relationship in entity.relationships {
            addInverse(of: relationship)
            // The former partner of a new one's partner is unlinked.
            guard !relationship.isToMany, relationship.inverse?.isToMany == false else { continue }
            changed.insert(Place(root: entity.rootIndex, name: relationship.name))
        }
    }

    private mutating func addInverse(of relationship: RelationshipDescription?) {
        guard let relationship, let inverse = relationship.inverse else { return }
        changed.insert(Place(root: model.destination(of: relationship).rootIndex, name: inverse.name))
    }

    /// Whether the value of a key path may differ after the batch.
    ///
    /// - Parameter root: The entity of the objects at which the path begins; nil if it isn't known.
    func mayChange(_ keys: some Sequence<Key>, from root: EntityDescription?) -> Bool {
        var owner = root
        for case .name(let name) in keys {
            guard let entity = owner else {
                if names.contains(name) { return true }
                continue
            }
            if changed.contains(Place(root: entity.rootIndex, name: name)) { return true }
            if name == "self" || name == "objectID" { continue }
            // A rule for a subentity may have properties of that.
            let property = model.kinds(of: entity).lazy.compactMap { $0.property(named: name) }.first
            switch property {
            case .attribute(let attribute):
                if attribute.isDerived, mayChange(derived: name, of: entity) { return true }
                // The rest of the path is within the value.
                return false
            case .relationship(let relationship): owner = model.destination(of: relationship)
            case .fetched: return true
            case nil: owner = model.kind(of: name)
            }
        }
        return false
    }

    private func mayChange(derived name: String, of entity: EntityDescription) -> Bool {
        let names = names
        var visited: Set<String> = []
        var next = [name]
        let all = model.entities.flatMap(derivations.attributes)
        while let name = next.popLast() {
            guard visited.insert(name).inserted else { continue }
            if names.contains(name) { return true }
            next += all.filter { $0.attribute.name == name }.flatMap(\.keysRead)
        }
        // Stores don't keep the value, so it isn't known what it reads.
        return !model.kinds(of: entity).contains { kind in
            derivations.attributes(of: kind).contains { $0.attribute.name == name }
        }
    }
}
