// SPDX-License-Identifier: Apache-2.0

// The data model as the engine uses it: checked, immutable, and with everything looked up beforehand.

public import ObjectModel

/// A data model ready for use: each entity with all it inherits, each property with its slot.
///
///     let model = try ManagedObjectModel(ModelFile.read(path: "Blog.xcdatamodeld").current.model)
///     model.entity(named: "Post")?.relationship(named: "author")?.inverse?.name  // "posts"
public final class ManagedObjectModel: Sendable {
    /// What it was made of.
    public let model: Model
    /// The entities, each after its parent. An entity's `index` is its place here, and those below it follow it.
    public let entities: [EntityDescription]
    private let byName: [String: EntityDescription]

    /// Prepares a model; all its errors at once if it has any.
    ///
    /// - Parameter transformers: The value transformers that the model's transformable attributes name, by these names. Of an attribute
    ///   whose transformer isn't among them, the values are the bytes that it has made.
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

    /// Where a relationship leads.
    public func destination(of relationship: RelationshipDescription) -> EntityDescription {
        entities[relationship.destinationIndex]
    }

    /// An entity and all below it.
    public func kinds(of entity: EntityDescription) -> ArraySlice<EntityDescription> { entities[entity.kinds] }
}

/// A model that can't be used, with the errors that its check found.
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
