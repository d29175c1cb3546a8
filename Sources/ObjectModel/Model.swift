// SPDX-License-Identifier: Apache-2.0

import Basics

/// A data model: one version of what Xcode keeps in an `.xcdatamodel`.
///
/// A model can contain errors; `issues()` reports them. If several parts share a name, look-ups return the first.
public struct Model: Hashable, Sendable {
    public var entities: [Entity] {
        didSet { entityIndex = Self.index(of: entities) }
    }
    public var composites: [Composite]
    public var configurations: [Configuration]
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// The developer's names for this version.
    public var versionIdentifiers: [String]
    /// XML content of the source that the engine doesn't use.
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
        Dictionary(keepingFirst: entities.enumerated().map { ($1.name, $0) })
    }
}
