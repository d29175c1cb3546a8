// SPDX-License-Identifier: Apache-2.0

// The names of a model's entities and properties in the API.

import HTTPMessage
import ObjectGraph
import ObjectModel
import SourceText

/// The resources of a model, by their names in paths and bodies.
final class Catalogue: Sendable {
    let model: ManagedObjectModel
    /// By entity index.
    let resources: [Resource]
    /// Names the version of the stores' model and that of the names, where they aren't the first ones; otherwise empty.
    let versionTag: String
    /// The shapes of objects that are shown completely.
    private let shapeCache: ObjectShapeCache
    /// The path before references.
    let path: String
    /// The mapping to the clients' model version; nil for the served version.
    let view: ModelView?
    /// The catalogue of that version's model.
    private let version: Catalogue?
    private let byName: [String: Int]

    /// The catalogue of an editing context: its objects have paths below the context's.
    init(_ drafts: Catalogue, at path: String) {
        model = drafts.model
        resources = drafts.resources
        byName = drafts.byName
        versionTag = drafts.versionTag
        shapeCache = drafts.shapeCache
        view = drafts.view
        version = drafts.version.map { Catalogue($0, at: path) }
        self.path = path
    }

    /// Whether the objects belong to an editing context.
    var isOfContext: Bool { path != "/api/" }

    /// The name of the editing context that the objects belong to.
    var contextName: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Throws all ambiguous names.
    ///
    /// - Parameters:
    ///   - includesTransients: Whether to include properties that stores don't keep.
    ///   - migrationCount: How often the stores were migrated: tags of objects name it.
    init(
        _ model: ManagedObjectModel,
        includesTransients: Bool = false,
        migrationCount: Int64 = 0
    ) throws(CatalogueProblems) {
        self.model = model
        view = nil
        version = nil
        path = "/api/"
        var resources: [Resource] = []
        for entity in model.entities {
            // Entities come after their parents.
            let parent = entity.entity.parentName.flatMap(model.entity(named:)).map { resources[$0.index] }
            resources.append(Resource(entity, below: parent, includesTransients: includesTransients))
        }
        self.resources = resources
        versionTag = Self.versionTag(migrationCount: migrationCount, view: nil)
        shapeCache = ObjectShapeCache(Derivations(model), count: resources.count, versionTag: versionTag)
        var problems: [String] = []
        var byName: [String: Int] = [:]
        for resource in resources {
            for name in Set([resource.name, resource.path]).sorted() {
                if let other = byName.updateValue(resource.entity.index, forKey: name) {
                    problems.append(
                        "“\(name)” would be the path of both \(resources[other].entity.name) and \(resource.name)."
                    )
                }
                if Self.reserved.contains(name) {
                    problems.append(
                        "“\(name)” can't be the path of \(resource.name): the API uses it as a route."
                    )
                }
            }
            problems += resource.problems
        }
        guard problems.isEmpty else { throw CatalogueProblems(messages: problems) }
        self.byName = byName
    }

    /// The served model with the names of another version.
    init(_ view: ModelView, includesTransients: Bool = false, migrationCount: Int64 = 0) throws(CatalogueProblems) {
        let version = try Catalogue(view.version, includesTransients: includesTransients)
        self.view = view
        self.version = version
        model = view.served
        path = "/api/"
        resources = model.entities.map { entity in
            guard let (described, names) = view.description(of: entity) else { return Resource(hidden: entity) }
            return Resource(entity, describedBy: version[described], names)
        }
        byName = version.byName.compactMapValues { index in view.servedEntity(version.model.entities[index])?.index }
        versionTag = Self.versionTag(migrationCount: migrationCount, view: view)
        shapeCache = ObjectShapeCache(Derivations(model), count: resources.count, versionTag: versionTag)
    }

    private static func versionTag(migrationCount: Int64, view: ModelView?) -> String {
        (migrationCount == 0 ? "" : "m\(migrationCount)") + (view?.tag ?? "")
    }

    /// The catalogue of the version of the model whose names clients use.
    var described: Catalogue { version ?? self }

    subscript(entity: EntityDescription) -> Resource { resources[entity.index] }

    /// The shape of an entity's objects if they are shown completely.
    func shape(of entity: EntityDescription) -> ObjectShape { shapeCache[self[entity]] }

    /// The resource with a name or alias.
    func resource(named name: String) -> Resource? { byName[name].map { resources[$0] } }

    /// The path of a resource's objects, below the editing context if there is one.
    func path(of resource: Resource) -> String { path + RequestTarget.encode(segment: resource.path) }

    func destination(of relationship: RelationshipDescription) -> Resource {
        resources[model.destination(of: relationship).index]
    }

    /// All names, for suggestions.
    var names: [String] { byName.keys.sorted() }

    /// The names of properties that objects of a resource may have, those of subentities last.
    func propertyNames(of resource: Resource) -> [String] {
        resource.properties.map(\.name)
            + model.kinds(of: resource.entity).dropFirst().flatMap { self[$0].ownProperties.map(\.name) }
    }

    /// A sentence that suggests the nearest property, or names a subentity that has the property.
    func hint(for name: String, of resource: Resource, also others: [String] = []) -> String? {
        let below = model.kinds(of: resource.entity).dropFirst().first { self[$0].property(named: name) != nil }
        if let below { return "Its subentity \(self[below].name) has this property; use \(path(of: self[below]))." }
        return Spelling.hint(for: name, among: others + propertyNames(of: resource))
    }
}

/// Why a model can't be served: ambiguous names.
package struct CatalogueProblems: Error, Hashable, Sendable, CustomStringConvertible {
    package let messages: [String]

    package var description: String {
        (messages + ["The key “path” in an entity's user info sets its path."]).joined(separator: "\n")
    }
}
