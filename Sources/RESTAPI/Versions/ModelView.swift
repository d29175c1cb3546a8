// SPDX-License-Identifier: Apache-2.0

// How clients of another version of the model see the served one.

import Basics
import ObjectGraph
import ObjectModel
import Predicates

/// The entities and properties of the served model with the names of another version, where that loses nothing.
final class ModelView: Sendable {
    let served: ManagedObjectModel
    let version: ManagedObjectModel
    /// Whether the version is the part of the model that an identity knows.
    let isOfIdentity: Bool
    /// Distinguishes the tags of what is shown in this way.
    let tag: String
    /// By the index of the served entity; nil for entities that the version doesn't have.
    private let pairs: [Pair?]
    /// The served entities by the index of the version's.
    private let servedEntities: [EntityDescription?]

    fileprivate struct Pair: Sendable {
        let version: EntityDescription
        /// The names of properties: the version's by the served ones, and the reverse.
        let names: [String: String]
        let servedNames: [String: String]
        let shown: VersionNames
    }

    /// - Parameter mapping: A mapping without differences between the two models.
    init(
        _ mapping: ShapeMapping,
        of served: ManagedObjectModel,
        in version: ManagedObjectModel,
        isOfIdentity: Bool = false
    ) {
        self.isOfIdentity = isOfIdentity
        self.served = served
        self.version = version
        let content = (try? version.model.json()) ?? Array(version.model.versionName.utf8)
        tag = "v" + String(content.fnv1a, radix: 36)
        pairs = served.entities.map { entity -> Pair? in
            guard let shape = mapping.entities[entity.name], let described = version.entity(named: shape.name) else {
                return nil
            }
            return Pair(entity, as: described, shape)
        }
        var servedEntities = [EntityDescription?](repeating: nil, count: version.entities.count)
        for (entity, pair) in zip(served.entities, pairs) {
            if let pair { servedEntities[pair.version.index] = entity }
        }
        self.servedEntities = servedEntities
    }

    /// The version's entity of a served one, and its properties; nil if the version doesn't have it.
    func description(of entity: EntityDescription) -> (entity: EntityDescription, names: VersionNames)? {
        pairs[entity.index].map { ($0.version, $0.shown) }
    }

    /// The served entity of a version's entity; nil for any other entity.
    func servedEntity(_ entity: EntityDescription) -> EntityDescription? {
        guard version.entities.indices.contains(entity.index), version.entities[entity.index] == entity else {
            return nil
        }
        return servedEntities[entity.index]
    }

    /// From the version's names to the served ones.
    var intoServed: NameTranslation {
        NameTranslation(model: version) { [self] name, entity in
            servedEntity(entity).flatMap { pairs[$0.index]?.servedNames[name] } ?? name
        } entity: { [self] name in
            version.entity(named: name).flatMap(servedEntity)?.name ?? name
        }
    }

    /// From the served names to the version's.
    var intoVersion: NameTranslation {
        NameTranslation(model: served) { [self] name, entity in
            pairs[entity.index]?.names[name] ?? name
        } entity: { [self] name in
            served.entity(named: name).flatMap { pairs[$0.index]?.version.name } ?? name
        }
    }
}

extension ModelView.Pair {
    fileprivate init(_ entity: EntityDescription, as version: EntityDescription, _ shape: EntityShape) {
        self.version = version
        names = shape.properties.mapValues(\.name)
        servedNames = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
        let properties = shape.properties.compactMap { name, shape in
            entity.property(named: name).map { ResourceProperty($0, as: shape) }
        }
        shown = VersionNames(properties: Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) }))
    }
}
