// SPDX-License-Identifier: Apache-2.0

// Entities of an archive, which can be read with a slightly different model.

import ObjectModel
import Predicates
import SourceText

/// The layout of an entity's archived rows, in terms of the present model.
///
/// 1. Entities and properties that were renamed since are found by their renaming identifiers.
/// 2. Attributes that were added since have their initial values. Attributes that were removed may have values in the
///    archive, but no changes.
struct ArchivedEntity {
    struct Attribute {
        let name: String
        /// Nil if the model has removed it.
        let slot: Int?
        /// The type of the archived values and the present type, if values are to be converted.
        let conversion: (former: AttributeType, present: AttributeType)?

        /// The value in the present model.
        func value(_ archived: Value) -> Value {
            guard let conversion else { return archived }
            return conversion.former.converted(archived, to: conversion.present) ?? .null
        }
    }

    let entity: EntityDescription
    let attributes: [Attribute]
    let toOnes: [Int]
    let toManys: [Int]
    /// Whether it was written with the properties of the present model, so that rows have all values.
    let isPresent: Bool

    /// Reads an entity. Throws if the model has removed or changed one of its relationships, or an attribute so that values
    /// can't be converted.
    init(from reader: inout ArchiveReader, in model: ManagedObjectModel) throws(GraphError) {
        let name = try reader.text()
        guard let entity = model.entity(named: name) ?? model.entities.first(where: { $0.formerName == name }) else {
            throw .unknownEntity(name, in: model)
        }
        self.entity = entity
        attributes = try Self.attributes(from: &reader, of: entity)
        toOnes = try Self.slots(from: &reader, of: entity, in: model, isToMany: false)
        toManys = try Self.slots(from: &reader, of: entity, in: model, isToMany: true)
        isPresent =
            name == entity.name && attributes.map(\.slot) == Array(entity.attributes.indices)
            && attributes.allSatisfy { $0.conversion == nil && entity.attribute(named: $0.name) != nil }
    }

    private static func attributes(
        from reader: inout ArchiveReader,
        of entity: EntityDescription
    ) throws(GraphError) -> [Attribute] {
        var found: Set<Int> = []
        return try reader.list { reader throws(GraphError) in
            let name = try reader.text()
            let signature = try reader.text()
            let attribute =
                entity.attribute(named: name) ?? entity.attributes.first { $0.attribute.renamingIdentifier == name }
            guard let attribute else { return Attribute(name: name, slot: nil, conversion: nil) }
            guard found.insert(attribute.slot).inserted else {
                throw reader.damaged("“\(name)” is in the wrong place.")
            }
            guard attribute.signature != signature else {
                return Attribute(name: name, slot: attribute.slot, conversion: nil)
            }
            let former = AttributeType.named.first { $0.name == signature }?.type
            guard let former, former.isConvertible(to: attribute.type) else {
                throw .changedSinceArchived(name, of: entity, was: signature, is: attribute.signature)
            }
            return Attribute(name: name, slot: attribute.slot, conversion: (former, attribute.type))
        }
    }

    /// The slots of archived relationships.
    private static func slots(
        from reader: inout ArchiveReader,
        of entity: EntityDescription,
        in model: ManagedObjectModel,
        isToMany: Bool
    ) throws(GraphError) -> [Int] {
        var found: Set<Int> = []
        return try reader.list { reader throws(GraphError) in
            let name = try reader.text()
            let signature = try reader.text()
            let relationship =
                entity.relationship(named: name)
                ?? entity.relationships.first { $0.relationship.renamingIdentifier == name }
            guard let relationship else { throw .noArchivedProperty(name, of: entity) }
            guard relationship.signatures(in: model).contains(signature) else {
                let present = relationship.signature(in: model)
                throw .changedSinceArchived(name, of: entity, was: signature, is: present)
            }
            guard relationship.isToMany == isToMany, found.insert(relationship.slot).inserted else {
                throw reader.damaged("“\(name)” is in the wrong place.")
            }
            return relationship.slot
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
        signature(to: model.destination(of: self).name, backBy: inverse?.name)
    }

    /// Its signatures before and after its destination and its inverse were renamed.
    fileprivate func signatures(in model: ManagedObjectModel) -> [String] {
        let destination = model.destination(of: self)
        let former = inverse.flatMap { destination.relationship(named: $0.name)?.formerName }
        return [destination.name, destination.formerName].compactMap(\.self).flatMap { destination in
            [inverse?.name, former ?? inverse?.name].map { signature(to: destination, backBy: $0) }
        }
    }

    func signature(to destination: String, backBy inverse: String?) -> String {
        let kind = isToMany ? isOrdered ? "ordered to many" : "to many" : "to one"
        return "\(kind) \(destination)" + (inverse.map { ", back by \($0)" } ?? "")
    }

    private var formerName: String? { relationship.renamingIdentifier }
}

extension EntityDescription {
    fileprivate var formerName: String? { entity.renamingIdentifier }
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

    /// The archive has a change of an attribute that the model has removed.
    static func removedSinceArchived(_ attribute: String, of entity: EntityDescription) -> GraphError {
        GraphError(
            .unknownName,
            "\(entity.name).\(attribute) was changed in the context, and the model has removed it since.",
            property: attribute
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
