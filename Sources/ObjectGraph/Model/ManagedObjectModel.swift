// SPDX-License-Identifier: Apache-2.0

// A data model resolved for the engine: checked, immutable, with direct look-up.

public import ObjectModel

/// A resolved data model: each entity with its inherited properties, each property with its slot.
///
///     let model = try ManagedObjectModel(ModelFile.read(path: "Blog.xcdatamodeld").current.model)
///     model.entity(named: "Post")?.relationship(named: "author")?.inverse?.name  // "posts"
public final class ManagedObjectModel: Sendable {
    /// The model that it was resolved from.
    public let model: Model
    /// The entities, each directly followed by its subentities. An entity's `index` is its position here.
    public let entities: [EntityDescription]
    private let byName: [String: EntityDescription]

    /// Resolves a model; throws all of its errors.
    ///
    /// - Parameter transformers: The value transformers of transformable attributes, by name. Values of attributes
    ///   without a registered transformer are the transformed bytes.
    public init(
        _ model: Model,
        transformers: [String: any AttributeTransformer] = [:]
    ) throws(ModelProblems) {
        let errors = model.issues().filter { $0.severity == .error }
        guard errors.isEmpty else { throw ModelProblems(issues: errors) }
        self.model = model
        entities = ModelResolver(model, transformers: transformers).entities()
        byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    }

    public func entity(named name: String) -> EntityDescription? { byName[name] }

    /// The destination entity of a relationship.
    public func destination(of relationship: RelationshipDescription) -> EntityDescription {
        entities[relationship.destinationIndex]
    }

    /// An entity and all its subentities.
    public func kinds(of entity: EntityDescription) -> ArraySlice<EntityDescription> { entities[entity.kinds] }
}

/// The errors of a model that can't be used.
public struct ModelProblems: Error, Hashable, Sendable, CustomStringConvertible {
    public let issues: [ModelIssue]

    public var description: String {
        let findings = issues.map { issue in
            let place = [issue.place.entity, issue.place.property].compactMap(\.self).joined(separator: ".")
            return place.isEmpty ? issue.message : "\(place): \(issue.message)"
        }
        return "The model can't be used: " + findings.joined(separator: " ")
    }
}
