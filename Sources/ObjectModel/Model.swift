// SPDX-License-Identifier: Apache-2.0

// A data model: what kinds of objects there are, what they hold, and how they relate.

/// A data model, as a value: one version of what Xcode keeps in an `.xcdatamodel`.
///
/// A model may be wrong in any way that can be written down; `issues()` says how. Look-ups by name take the first of
/// several that have it.
public struct Model: Hashable, Sendable {
    public var entities: [Entity] {
        didSet { entityIndex = Self.index(of: entities) }
    }
    public var composites: [Composite]
    public var configurations: [Configuration]
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// What the developer calls this version, if anything.
    public var versionIdentifiers: [String]
    /// What a source said of the model that means nothing to the engine.
    public var extras: Extras

    private var entityIndex: [String: Int]

    public init(
        entities: [Entity] = [],
        composites: [Composite] = [],
        configurations: [Configuration] = [],
        fetchRequestTemplates: [FetchRequestTemplate] = [],
        versionIdentifiers: [String] = [],
        extras: Extras = Extras()
    ) {
        self.entities = entities
        self.composites = composites
        self.configurations = configurations
        self.fetchRequestTemplates = fetchRequestTemplates
        self.versionIdentifiers = versionIdentifiers
        self.extras = extras
        entityIndex = Self.index(of: entities)
    }

    public func entity(named name: String) -> Entity? {
        entityIndex[name].map { entities[$0] }
    }

    public func composite(named name: String) -> Composite? {
        composites.first { $0.name == name }
    }

    private static func index(of entities: [Entity]) -> [String: Int] {
        Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
