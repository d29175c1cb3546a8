// SPDX-License-Identifier: Apache-2.0

// What a model's entities and properties are called in the API.

import HTTPMessage
import ObjectGraph
import ObjectModel
import SourceText

/// The resources of a model, by the names that paths and bodies have for them.
final class Catalogue: Sendable {
    let model: ManagedObjectModel
    /// By the index of their entity.
    let resources: [Resource]
    /// How objects are written of which everything is shown.
    private let wholeShapes: WholeShapes
    /// What references are appended to.
    let path: String
    private let byName: [String: Int]

    /// The same for an editing context, whose objects are below a path of their own.
    init(_ drafts: Catalogue, at path: String) {
        (model, resources, byName) = (drafts.model, drafts.resources, drafts.byName)
        wholeShapes = drafts.wholeShapes
        self.path = path
    }

    /// Whether its objects are those of an editing context.
    var isOfContext: Bool { path != "/api/" }

    /// The name of the editing context whose objects these are.
    var contextName: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Throws all the names that can't be told apart.
    ///
    /// - Parameter showsTransients: Whether properties are there that no store keeps.
    init(_ model: ManagedObjectModel, showsTransients: Bool = false) throws(CatalogueProblems) {
        (self.model, path) = (model, "/api/")
        var resources: [Resource] = []
        for entity in model.entities {
            // Entities follow their parents.
            let parent = entity.entity.parentName.flatMap(model.entity(named:)).map { resources[$0.index] }
            resources.append(Resource(entity, below: parent, showsTransients: showsTransients))
        }
        self.resources = resources
        wholeShapes = WholeShapes(Derivations(model), count: resources.count)
        var problems: [String] = []
        var byName: [String: Int] = [:]
        for resource in resources {
            for name in Set([resource.entity.name, resource.path]).sorted() {
                if let other = byName.updateValue(resource.entity.index, forKey: name) {
                    problems.append(
                        "“\(name)” would be the path of both \(resources[other].entity.name) and \(resource.entity.name)."
                    )
                }
                if Self.reserved.contains(name) {
                    problems.append(
                        "“\(name)” can't be the path of \(resource.entity.name): it is a route of the API's own."
                    )
                }
            }
            problems += resource.problems
        }
        guard problems.isEmpty else { throw CatalogueProblems(messages: problems) }
        self.byName = byName
    }

    subscript(entity: EntityDescription) -> Resource { resources[entity.index] }

    /// How objects of an entity are written of which everything is shown.
    func shape(of entity: EntityDescription) -> ObjectShape { wholeShapes[self[entity]] }

    /// The resource of an entity's name or alias.
    func resource(named name: String) -> Resource? { byName[name].map { resources[$0] } }

    /// Where the objects of a resource are, below the editing context if they are those of one.
    func path(of resource: Resource) -> String { path + RequestTarget.encode(segment: resource.path) }

    func destination(of relationship: RelationshipDescription) -> Resource {
        resources[model.destination(of: relationship).index]
    }

    /// All the names that there are, for guesses at what was meant.
    var names: [String] { byName.keys.sorted() }

    /// The names of the properties that objects of a resource may have, those of entities below it last.
    func propertyNames(of resource: Resource) -> [String] {
        resource.properties.map(\.name)
            + model.kinds(of: resource.entity).dropFirst().flatMap { self[$0].ownProperties.map(\.name) }
    }

    /// The sentence that offers the nearest property, or says which entity below has one of the name.
    func hint(for name: String, of resource: Resource, also others: [String] = []) -> String? {
        let below = model.kinds(of: resource.entity).dropFirst().first { self[$0].property(named: name) != nil }
        if let below { return "\(below.name) has it: it can be had of \(path(of: self[below]))." }
        return Spelling.hint(for: name, among: others + propertyNames(of: resource))
    }
}

/// Why a model can't be served: names that can't be told apart.
public struct CatalogueProblems: Error, Hashable, Sendable, CustomStringConvertible {
    public let messages: [String]

    public var description: String {
        (messages + ["The user info of an entity gives its path under the key “path”."]).joined(separator: "\n")
    }
}
