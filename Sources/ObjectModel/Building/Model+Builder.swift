// SPDX-License-Identifier: Apache-2.0

// Builders of models.

/// A part of a model, as collected by the builder.
public enum ModelPart: Hashable, Sendable {
    case entity(Entity)
    case composite(Composite)
    case configuration(Configuration)
    case fetchRequestTemplate(FetchRequestTemplate)
}

/// Collects the parts of a model; `if`, `switch` and `for` work inside.
@resultBuilder
public enum ModelBuilder {
    public static func buildExpression(_ entity: Entity) -> [ModelPart] { [.entity(entity)] }
    public static func buildExpression(_ composite: Composite) -> [ModelPart] { [.composite(composite)] }
    public static func buildExpression(_ configuration: Configuration) -> [ModelPart] {
        [.configuration(configuration)]
    }
    public static func buildExpression(_ template: FetchRequestTemplate) -> [ModelPart] {
        [.fetchRequestTemplate(template)]
    }
    public static func buildExpression(_ entities: [Entity]) -> [ModelPart] { entities.map(ModelPart.entity) }

    public static func buildBlock(_ parts: [ModelPart]...) -> [ModelPart] { parts.flatMap(\.self) }
    public static func buildOptional(_ parts: [ModelPart]?) -> [ModelPart] { parts ?? [] }
    public static func buildEither(first parts: [ModelPart]) -> [ModelPart] { parts }
    public static func buildEither(second parts: [ModelPart]) -> [ModelPart] { parts }
    public static func buildArray(_ parts: [[ModelPart]]) -> [ModelPart] { parts.flatMap(\.self) }
}

extension Model {
    /// Creates a model from its parts.
    ///
    ///     let model = Model {
    ///         Entity("User") {
    ///             Attribute("name", .string)
    ///             Attribute("age", .int16).optional().in(0...150)
    ///             Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
    ///             UniquenessConstraint("name")
    ///         }
    ///         Entity("Post") {
    ///             Attribute("title", .string).default("Untitled")
    ///             Relationship("author", toOne: "User", inverse: "posts").optional()
    ///         }
    ///         Configuration("Cloud", entities: ["User", "Post"])
    ///     }
    public init(versionIdentifier: String? = nil, @ModelBuilder _ content: () -> [ModelPart]) {
        var entities: [Entity] = []
        var composites: [Composite] = []
        var configurations: [Configuration] = []
        var templates: [FetchRequestTemplate] = []
        for part in content() {
            switch part {
            case .entity(let entity): entities.append(entity)
            case .composite(let composite): composites.append(composite)
            case .configuration(let configuration): configurations.append(configuration)
            case .fetchRequestTemplate(let template): templates.append(template)
            }
        }
        self.init(
            entities: entities,
            composites: composites,
            configurations: configurations,
            fetchRequestTemplates: templates,
            versionIdentifiers: versionIdentifier.map { [$0] } ?? []
        )
    }
}

extension Configuration {
    /// Creates a configuration: `Configuration("Cloud", entities: ["User", "Post"])`.
    public init(_ name: String, entities: [String]) {
        self.init(name: name, entityNames: entities)
    }
}

extension FetchRequestTemplate {
    /// Creates a template: `FetchRequestTemplate("PostsBy", entity: "Post", predicate: "author.name == $NAME")`.
    public init(_ name: String, entity: String, predicate: String? = nil, limit: Int? = nil) {
        self.init(name: name, entityName: entity, predicate: predicate, fetchLimit: limit)
    }
}
