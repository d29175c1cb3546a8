// SPDX-License-Identifier: Apache-2.0

// Entities of an archive, which can be read with a slightly different model.

import ObjectModel
import Predicates
import SourceText

/// The layout of an entity's archived rows, as the slots of the present model.
struct ArchivedEntity {
    let entity: EntityDescription
    let attributes: [Int]
    let toOnes: [Int]
    let toManys: [Int]

    /// Reads an entity. Throws if the model has removed or changed one of its properties; added properties are
    /// accepted.
    init(from reader: inout ArchiveReader, in model: ManagedObjectModel) throws(GraphError) {
        let name = try reader.text()
        guard let entity = model.entity(named: name) else { throw .unknownEntity(name, in: model) }
        self.entity = entity
        attributes = try Self.slots(from: &reader, of: entity) { name in
            entity.attribute(named: name).map { ($0.slot, $0.signature) }
        }
        toOnes = try Self.slots(from: &reader, of: entity) { name in
            entity.relationship(named: name).map { ($0.isToMany ? nil : $0.slot, $0.signature(in: model)) }
        }
        toManys = try Self.slots(from: &reader, of: entity) { name in
            entity.relationship(named: name).map { ($0.isToMany ? $0.slot : nil, $0.signature(in: model)) }
        }
    }

    private static func slots(
        from reader: inout ArchiveReader,
        of entity: EntityDescription,
        _ property: (_ name: String) -> (slot: Int?, signature: String)?
    ) throws(GraphError) -> [Int] {
        var found: Set<Int> = []
        return try reader.list { reader throws(GraphError) in
            let name = try reader.text()
            let signature = try reader.text()
            guard let property = property(name) else { throw .noArchivedProperty(name, of: entity) }
            guard property.signature == signature else {
                throw .changedSinceArchived(name, of: entity, was: signature, is: property.signature)
            }
            guard let slot = property.slot, found.insert(slot).inserted else {
                throw reader.damaged("“\(name)” is in the wrong place.")
            }
            return slot
        }
    }
}

extension EntityDescription {
    /// Writes the names of its properties, with signatures that detect changes.
    func write(to writer: inout ArchiveWriter, in model: ManagedObjectModel) {
        writer.write(name)
        writer.write(attributes) { writer, attribute in
            writer.write(attribute.name)
            writer.write(attribute.signature)
        }
        for relationships in [toOnes, toManys] {
            writer.write(relationships) { writer, relationship in
                writer.write(relationship.name)
                writer.write(relationship.signature(in: model))
            }
        }
    }
}

extension AttributeDescription {
    /// The type of its values as text.
    fileprivate var signature: String {
        let name = type.transformerName.map { "\(type.name) by \($0)" } ?? type.name
        guard !elements.isEmpty else { return name }
        return "\(name) of " + elements.map { "\($0.name): \($0.signature)" }.joined(separator: ", ")
    }
}

extension RelationshipDescription {
    /// Its kind, destination and inverse as text.
    fileprivate func signature(in model: ManagedObjectModel) -> String {
        let kind = isToMany ? isOrdered ? "ordered to many" : "to many" : "to one"
        return "\(kind) \(model.destination(of: self).name)" + (inverse.map { ", back by \($0.name)" } ?? "")
    }
}

extension GraphError {
    fileprivate static func noArchivedProperty(_ name: String, of entity: EntityDescription) -> GraphError {
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return GraphError(
            .unknownName,
            "\(entity.name) has no property “\(name)”, of which the archive has values.",
            property: name,
            hint: Spelling.hint(for: name, among: names)
        )
    }

    fileprivate static func changedSinceArchived(
        _ name: String,
        of entity: EntityDescription,
        was before: String,
        is now: String
    ) -> GraphError {
        GraphError(
            .wrongType,
            "\(entity.name).\(name) is “\(now)”, but was “\(before)” when the context was archived.",
            property: name
        )
    }
}
