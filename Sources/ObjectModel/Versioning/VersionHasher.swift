// SPDX-License-Identifier: Apache-2.0

// The computation of version hashes. Any change here makes every store incompatible with its model, so a test compares
// a literal hash.

import Basics

/// Computes the version hashes of one model's entities, each once.
///
///     entity        "entity", name, abstract, modifier, superentity, set of property hashes, set of constraint hashes
///     superentity   maybe its hash; below a cycle, and where it is unknown, its name
///     constraint    set of attribute names
///     property      kind, name, optional, transient, read-only, modifier, then by kind:
///     attribute     "attribute": type, derived
///     relationship  "relationship": destination, maybe inverse, to-many, ordered, least and greatest count
///     fetched       "fetched": nothing more
///     type          name; of a transformable also maybe the transformer, of a composite its hash instead
///     composite     "composite", set of attribute hashes; in a cycle, and where it is unknown, its name
///
/// A derivation's text is left out, since the same expression can be written in several ways. If entities share a name,
/// the first counts.
struct VersionHasher {
    private let model: Model
    private let composites: [String: VersionHash]
    private var known: [String: VersionHash] = [:]
    /// Entities in or below a cycle of parents: they have no root at which hashing could begin.
    private var rootless: Set<String> = []

    init(_ model: Model) {
        self.model = model
        composites = Self.compositeHashes(of: model)
    }

    /// The hash of an entity. Ancestors are hashed from the top, each once and without recursion.
    mutating func hash(of entity: Entity) -> VersionHash {
        if let hash = known[entity.name] { return hash }
        var line = [entity]
        var names: Set = [entity.name]
        var isRootless = false
        while let parent = line[line.count - 1].parentName.flatMap(model.entity(named:)), known[parent.name] == nil {
            guard names.insert(parent.name).inserted else {
                isRootless = true
                break
            }
            line.append(parent)
        }
        if let parent = line[line.count - 1].parentName, rootless.contains(parent) { isRootless = true }
        for entity in line.reversed() {
            let parentHash = isRootless ? nil : entity.parentName.flatMap { known[$0] }
            known[entity.name] = hash(of: entity, parentHash: parentHash)
            if isRootless { rootless.insert(entity.name) }
        }
        return known[entity.name]!
    }

    private func hash(of entity: Entity, parentHash: VersionHash?) -> VersionHash {
        VersionEncoder.hash { encoder in
            encoder.add("entity")
            encoder.add(entity.name)
            encoder.add(entity.isAbstract)
            encoder.add(entity.versionHashModifier)
            encoder.add(entity.parentName != nil)
            if let parentName = entity.parentName {
                encoder.add(parentHash != nil)
                if let parentHash { encoder.add(parentHash) } else { encoder.add(parentName) }
            }
            encoder.add(
                set: entity.attributes.map { hash(of: $0) }
                    + entity.relationships.map(Self.hash(of:))
                    + entity.fetchedProperties.map(Self.hash(of:))
            )
            encoder.add(
                set: entity.uniquenessConstraints.map { names in VersionEncoder.hash { $0.add(set: names) } }
            )
        }
    }

    private func hash(of attribute: Attribute) -> VersionHash {
        Self.hash(of: attribute, composites: composites)
    }

    private static func hash(of attribute: Attribute, composites: [String: VersionHash]) -> VersionHash {
        VersionEncoder.hash { encoder in
            encoder.add("attribute")
            encoder.add(attribute.name)
            encoder.add(attribute.isOptional)
            encoder.add(attribute.isTransient)
            encoder.add(false)
            encoder.add(attribute.versionHashModifier)
            if case .composite(let name) = attribute.type {
                encoder.add("Composite")
                encoder.add(composites[name] != nil)
                if let hash = composites[name] { encoder.add(hash) } else { encoder.add(name) }
            } else {
                encoder.add(attribute.type.name)
            }
            if case .transformable(let transformer) = attribute.type { encoder.add(transformer) }
            encoder.add(attribute.isDerived)
        }
    }

    private static func hash(of relationship: Relationship) -> VersionHash {
        VersionEncoder.hash { encoder in
            encoder.add("relationship")
            encoder.add(relationship.name)
            encoder.add(relationship.isOptional)
            encoder.add(relationship.isTransient)
            encoder.add(false)
            encoder.add(relationship.versionHashModifier)
            encoder.add(relationship.destinationName)
            encoder.add(relationship.inverseName)
            encoder.add(relationship.isToMany)
            encoder.add(relationship.isOrdered)
            encoder.add(relationship.minimumCount ?? 0)
            encoder.add(relationship.isToMany ? relationship.maximumCount ?? 0 : 1)
        }
    }

    private static func hash(of property: FetchedProperty) -> VersionHash {
        VersionEncoder.hash { encoder in
            encoder.add("fetched")
            encoder.add(property.name)
            encoder.add(property.isOptional)
            encoder.add(true)
            encoder.add(true)
            encoder.add(nil as String?)
        }
    }

    /// The hashes of all composites that are not in a cycle, innermost first.
    static func compositeHashes(of model: Model) -> [String: VersionHash] {
        let composites = Dictionary(keepingFirst: model.composites.map { ($0.name, $0) })
        var pending: [String: Int] = [:]
        var users: [String: [String]] = [:]
        for composite in composites.values {
            let parts = Set(composite.attributes.compactMap(\.type.compositeName)).filter { composites[$0] != nil }
            pending[composite.name] = parts.count
            for part in parts { users[part, default: []].append(composite.name) }
        }
        var hashes: [String: VersionHash] = [:]
        var ready = pending.filter { $0.value == 0 }.map(\.key)
        while let name = ready.popLast() {
            hashes[name] = VersionEncoder.hash { encoder in
                encoder.add("composite")
                encoder.add(set: composites[name]!.attributes.map { hash(of: $0, composites: hashes) })
            }
            for user in users[name] ?? [] {
                pending[user]! -= 1
                if pending[user] == 0 { ready.append(user) }
            }
        }
        return hashes
    }
}
