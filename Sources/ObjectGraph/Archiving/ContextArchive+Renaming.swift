// SPDX-License-Identifier: Apache-2.0

// Gives the entities and properties of an archive the names that they have after a migration.

import Basics
import ObjectModel

extension ContextArchive {
    /// The archive with the names of the version that a migration ends with. What has no counterpart there gets a name that
    /// no version has, so that nothing else is taken for it.
    package func renamed(by migration: ModelMigration) throws(GraphError) -> ContextArchive {
        var archive = self
        for mapping in migration.stages.map(\.mapping) { archive = try archive.renamed(by: mapping) }
        return archive
    }

    private func renamed(by mapping: ResolvedMapping) throws(GraphError) -> ContextArchive {
        var reader = ArchiveReader(self)
        var entities = try reader.list { reader throws(GraphError) in try ArchivedNames(from: &reader) }
        let names = MigratedNames(mapping)
        for index in entities.indices { names.rename(&entities[index]) }
        var writer = ArchiveWriter()
        writer.write(entities) { writer, entity in entity.write(to: &writer) }
        let contents = writer.bytes + bytes[reader.place..<self.contents.upperBound]
        return ContextArchive(contents: contents, isWhole: isWhole, version: version)
    }
}

extension ModelMigration {
    /// The URI that an object in a store has afterwards; nil if the object is deleted.
    package func uri(after uri: String) -> String? {
        var uri = uri
        for mapping in stages.map(\.mapping) {
            guard let parts = mapping.old.parts(ofURI: uri), let entity = mapping.plan(of: parts.entity)?.destination
            else { return nil }
            var steps = uri.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            steps[3] = entity.name
            uri = steps.joined(separator: "/")
        }
        return uri
    }
}

/// The names and signatures in an archive's description of an entity.
private struct ArchivedNames {
    struct Property {
        var name: String
        var signature: String
    }

    var entity: String
    var attributes: [Property]
    var toOnes: [Property]
    var toManys: [Property]

    init(from reader: inout ArchiveReader) throws(GraphError) {
        entity = try reader.text()
        attributes = try Self.properties(from: &reader)
        toOnes = try Self.properties(from: &reader)
        toManys = try Self.properties(from: &reader)
    }

    private static func properties(from reader: inout ArchiveReader) throws(GraphError) -> [Property] {
        try reader.list { reader throws(GraphError) in
            Property(name: try reader.text(), signature: try reader.text())
        }
    }

    func write(to writer: inout ArchiveWriter) {
        writer.write(entity)
        for properties in [attributes, toOnes, toManys] {
            writer.write(properties) { writer, property in
                writer.write(property.name)
                writer.write(property.signature)
            }
        }
    }
}

/// The names that one stage of a migration gives.
private struct MigratedNames {
    private let mapping: ResolvedMapping
    /// The new names of the entities of the old version.
    private let entities: [String: String]

    init(_ mapping: ResolvedMapping) {
        self.mapping = mapping
        let pairs = mapping.mapping.formerNames.map { ($0.value, $0.key) }
        entities = Dictionary(keepingFirst: pairs)
    }

    func rename(_ archived: inout ArchivedNames) {
        guard let source = mapping.old.entity(named: archived.entity) else {
            archived.entity = removed(archived.entity, among: newEntityNames)
            return
        }
        archived.entity = name(of: source)
        guard let plan = plan(of: source) else { return }
        for index in archived.attributes.indices {
            archived.attributes[index].name = attribute(archived.attributes[index].name, by: plan)
        }
        rename(&archived.toOnes, of: source, by: plan)
        rename(&archived.toManys, of: source, by: plan)
    }

    private func rename(
        _ properties: inout [ArchivedNames.Property],
        of source: EntityDescription,
        by plan: ResolvedMapping.EntityPlan
    ) {
        for index in properties.indices {
            let name = properties[index].name
            if let relationship = source.relationship(named: name) {
                properties[index].signature = signature(of: relationship)
            }
            properties[index].name = self.relationship(name, by: plan)
        }
    }

    /// What becomes of an entity's properties, which for an abstract one a concrete entity below it says.
    private func plan(of source: EntityDescription) -> ResolvedMapping.EntityPlan? {
        mapping.old.kinds(of: source).lazy.compactMap(mapping.plan).first
    }

    private func name(of entity: EntityDescription) -> String {
        entities[entity.name] ?? removed(entity.name, among: newEntityNames)
    }

    private var newEntityNames: [String] {
        mapping.new.entities.flatMap { [$0.name, $0.entity.renamingIdentifier ?? ""] }
    }

    private func attribute(_ name: String, by plan: ResolvedMapping.EntityPlan) -> String {
        if let present = plan.attributes.first(where: { $0.source?.name == name }) { return present.attribute.name }
        let attributes = plan.attributes.map(\.attribute)
        return removed(name, among: attributes.flatMap { [$0.name, $0.attribute.renamingIdentifier ?? ""] })
    }

    private func relationship(_ name: String, by plan: ResolvedMapping.EntityPlan) -> String {
        if let present = plan.relationships.first(where: { $0.value.name == name }) { return present.key }
        let relationships = plan.destination.relationships
        return removed(name, among: relationships.flatMap { [$0.name, $0.relationship.renamingIdentifier ?? ""] })
    }

    /// The signature that a relationship had, with the present names of its destination and its inverse.
    private func signature(of relationship: RelationshipDescription) -> String {
        let destination = mapping.old.destination(of: relationship)
        let plan = plan(of: destination)
        let inverse = relationship.inverse.map { inverse in
            plan.map { self.relationship(inverse.name, by: $0) } ?? inverse.name
        }
        return relationship.signature(to: name(of: destination), backBy: inverse)
    }

    /// A name that can't be mistaken for a present one.
    private func removed(_ name: String, among present: [String]) -> String {
        present.contains(name) ? "\(name) (removed)" : name
    }
}
