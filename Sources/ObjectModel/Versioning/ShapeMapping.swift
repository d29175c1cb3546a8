// SPDX-License-Identifier: Apache-2.0

// How objects of one version of a model look to clients that were built for another version.

package import Predicates

/// What the entities and properties of a served version are called in another version.
///
///     let mapping = ShapeMapping(of: served, in: former)
///     mapping.differences                                 // []
///     mapping.entities["Post"]?.name                      // "Article"
///     mapping.entities["Post"]?.properties["title"]?.name // "headline"
///
/// Entities and properties are matched as for an inferred migration.
///
/// 1. Without differences, each entity and property of the other version has a counterpart of the same kind and type, and
///    whatever a client reads, it can write back.
/// 2. Objects of a concrete entity of the other version, and destinations of its relationships, are of entities that it
///    has. Only an abstract entity can have objects of others, which its clients don't see.
/// 3. What the other version doesn't have needs no value from its clients.
package struct ShapeMapping: Sendable {
    package let served: Model
    package let version: Model
    /// The entities that the other version has, by their names in the served one.
    package let entities: [String: EntityShape]
    /// What would be lost. Only a mapping without differences is complete.
    package let differences: [ShapeDifference]

    /// - Parameter isLater: Whether the other version was made after the served one, so that its renaming identifiers apply.
    package init(of served: Model, in version: Model, isLater: Bool = false) {
        self.served = served
        self.version = version
        let comparison =
            isLater ? ModelComparison(old: served, new: version) : ModelComparison(old: version, new: served)
        var survey = ShapeSurvey(comparison, isLater: isLater)
        survey.compare()
        entities = survey.entities
        differences = survey.differences
    }

    /// The mapping to a part of the served version, with the same names.
    package init(of served: Model, showing part: Model) {
        let entities = part.entities.map { entity in
            let names =
                part.attributes(of: entity).map(\.name) + part.relationships(of: entity).map(\.name)
                + part.fetchedProperties(of: entity).map(\.name)
            let properties = names.map { ($0, PropertyShape(name: $0)) }
            return (
                entity.name, EntityShape(name: entity.name, properties: Dictionary(uniqueKeysWithValues: properties))
            )
        }
        self.init(of: served, in: part, Dictionary(uniqueKeysWithValues: entities))
    }

    private init(of served: Model, in version: Model, _ entities: [String: EntityShape]) {
        self.served = served
        self.version = version
        self.entities = entities
        differences = []
    }

    /// The mapping to a version several steps away. Names are followed step by step, since renaming identifiers may be names
    /// in a version between, and a name may have been used again. Where a step would lose something, both versions are
    /// compared directly.
    ///
    /// - Parameter between: The versions between both, beginning with the one next to the served one.
    package init(of served: Model, in version: Model, through between: [Model], isLater: Bool = false) {
        let versions = between + [version]
        var path = ShapeMapping(of: served, in: versions[0], isLater: isLater)
        for (former, next) in zip(versions, versions.dropFirst()) where path.differences.isEmpty {
            path = path.followed(by: ShapeMapping(of: former, in: next, isLater: isLater))
        }
        self = path.differences.isEmpty ? path : ShapeMapping(of: served, in: version, isLater: isLater)
    }

    private func followed(by step: ShapeMapping) -> ShapeMapping {
        guard step.differences.isEmpty else { return step }
        let entities = entities.compactMapValues { shape in
            step.entities[shape.name].map { next in
                let properties = shape.properties.compactMapValues { property in
                    next.properties[property.name].map { property.followed(by: $0) }
                }
                return EntityShape(name: next.name, properties: properties)
            }
        }
        return ShapeMapping(of: served, in: step.version, entities)
    }
}

/// An entity in another version.
package struct EntityShape: Sendable {
    package let name: String
    /// The properties that the other version has, inherited ones too, by their names in the served one.
    package let properties: [String: PropertyShape]
}

/// A property in another version.
package struct PropertyShape: Sendable {
    package let name: String
    /// What is shown in place of null; nil if null is shown.
    package var shownForNull: Value?
    /// What is stored in place of null; nil if null is stored.
    package var storedForNull: Value?

    fileprivate func followed(by next: PropertyShape) -> PropertyShape {
        PropertyShape(
            name: next.name,
            shownForNull: shownForNull ?? next.shownForNull,
            storedForNull: next.storedForNull ?? storedForNull
        )
    }
}

/// Why clients of another version can't be served.
package struct ShapeDifference: Hashable, Sendable {
    /// The entity and the property by their names in the other version, or in the served one if they were added.
    package let entity: String
    package let property: String?
    /// A stable name: `added`, `removed`, or that of an aspect.
    package let code: String
    /// The difference in the words of a `ModelDiff`.
    package let words: String

    /// `Article.views: type Int64 → String`
    package var line: String { "\(property.map { "\(entity).\($0)" } ?? entity): \(words)" }
}
