// SPDX-License-Identifier: Apache-2.0

// Two versions of a model with their entities and properties matched.

import Basics
import Predicates

struct ModelComparison {
    /// The same entity in both versions.
    struct EntityPair {
        var old: Entity
        var new: Entity
        var properties: [PropertyPair]
        var added: [Property]
        var removed: [Property]
    }

    /// The same property of an entity in both versions.
    struct PropertyPair {
        var old: Property
        var new: Property
    }

    let old: Model
    let new: Model
    /// The rules that were given, and those in the new version's user info.
    let rules: (given: MappingRules, userInfo: MappingRules)
    /// The new version's entities, each with its pair or nil.
    let entities: [(entity: Entity, pair: EntityPair?)]
    let pairs: [EntityPair]
    let removed: [Entity]
    let oldComposites: [String: VersionHash]
    let newComposites: [String: VersionHash]
    private let newNames: [String: String]
    private let oldNames: [String: String]
    private let newPropertyNames: [String: [String: String]]

    init(old: Model, new: Model, rules: MappingRules = MappingRules()) {
        self.old = old
        self.new = new
        let userInfo = MappingRules(userInfoOf: new)
        self.rules = (rules, userInfo)
        func names(_ model: Model, _ given: MappingRules) -> [VersionedName] {
            model.entities.map { entity in
                let source = given.entities[entity.name]?.source ?? entity.userInfo["migrationSource"]
                return source.map { VersionedName(entity.name, identifier: $0) } ?? entity.versionedName
            }
        }
        // A source in user info is kept by later versions, like a renaming identifier.
        let pairing = Pairing(old: names(old, MappingRules()), new: names(new, rules))
        entities = zip(pairing.origins, new.entities).map { origin, entity in
            (entity, origin.map { EntityPair(old: old.entities[$0], new: entity) })
        }
        pairs = entities.compactMap(\.pair)
        removed = pairing.removed.map { old.entities[$0] }
        oldComposites = VersionHasher.compositeHashes(of: old)
        newComposites = VersionHasher.compositeHashes(of: new)
        newNames = Dictionary(keepingFirst: pairs.map { ($0.old.name, $0.new.name) })
        oldNames = Dictionary(keepingFirst: pairs.map { ($0.new.name, $0.old.name) })
        newPropertyNames = Dictionary(
            keepingFirst: pairs.map { pair in
                (
                    pair.old.name,
                    Dictionary(keepingFirst: pair.properties.map { ($0.old.name, $0.new.name) })
                )
            }
        )
    }

    /// The expression that a rule gives for a property of an entity, which may inherit it.
    ///
    /// - Parameter isContinued: Whether names say where its values come from. Then only given rules apply: those in the
    ///   user info are for the version that introduces the property.
    func expression(for property: String, of entity: Entity, isContinued: Bool) -> ObjectExpression? {
        let line = [entity] + new.ancestors(of: entity)
        let given = line.lazy.compactMap { rules.given.entities[$0.name]?.values[property] }.first
        if given != nil || isContinued { return given }
        return line.lazy.compactMap { rules.userInfo.entities[$0.name]?.values[property] }.first
    }

    /// The condition under which objects of an entity remain, which may be that of a parent.
    func filter(of entity: Entity) -> ObjectPredicate? {
        let line = [entity] + new.ancestors(of: entity)
        if let filter = line.lazy.compactMap({ rules.given.entities[$0.name]?.filter }).first { return filter }
        // Later versions still have the rule for the one that introduced the entity.
        guard let former = oldEntity(for: entity), former.name != entity.name else { return nil }
        return line.lazy.compactMap { rules.userInfo.entities[$0.name]?.filter }.first
    }

    /// The name in the new version of an entity of the old one; the same name if it was removed.
    func newName(ofEntity name: String) -> String { newNames[name] ?? name }

    /// The entity of the old version that corresponds to one of the new version.
    func oldEntity(for entity: Entity) -> Entity? { oldNames[entity.name].flatMap(old.entity(named:)) }

    /// The entity of the new version that corresponds to one of the old version.
    func newEntity(for entity: Entity) -> Entity? { newNames[entity.name].flatMap(new.entity(named:)) }

    /// The name in the new version of a property of the old version.
    func newName(ofProperty name: String, of entityName: String) -> String {
        guard let entity = old.entity(named: entityName) else { return name }
        for declaring in [entity] + old.ancestors(of: entity) {
            if let newName = newPropertyNames[declaring.name]?[name] { return newName }
        }
        return name
    }

    /// The property of an entity of the new version that continues a property of the old one, and the entity that
    /// declares it.
    func successor(of property: Property, in entity: Entity) -> (property: Property, declaring: Entity)? {
        for declaring in [entity] + new.ancestors(of: entity) {
            if let match = declaring.properties.first(where: {
                $0.isFetched == property.isFetched && property.versionedName.isOrigin(of: $0.versionedName)
            }) {
                return (match, declaring)
            }
        }
        return nil
    }

    /// The property of an entity of the old version that a property of the new one continues.
    func predecessor(of property: Property, in entity: Entity) -> (property: Property, declaring: Entity)? {
        for declaring in [entity] + old.ancestors(of: entity) {
            if let match = declaring.properties.first(where: {
                $0.isFetched == property.isFetched && $0.versionedName.isOrigin(of: property.versionedName)
            }) {
                return (match, declaring)
            }
        }
        return nil
    }
}

extension ModelComparison.EntityPair {
    init(old: Entity, new: Entity) {
        self.init(old: old, new: new, properties: [], added: [], removed: [])
        for isFetched in [false, true] {
            let before = old.properties.filter { $0.isFetched == isFetched }
            let after = new.properties.filter { $0.isFetched == isFetched }
            let pairing = Pairing(old: before.map(\.versionedName), new: after.map(\.versionedName))
            for (origin, property) in zip(pairing.origins, after) {
                if let origin {
                    properties.append(.init(old: before[origin], new: property))
                } else {
                    added.append(property)
                }
            }
            removed += pairing.removed.map { before[$0] }
        }
    }
}
