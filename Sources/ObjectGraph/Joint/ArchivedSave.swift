// SPDX-License-Identifier: Apache-2.0

// A save of one store as bytes, kept until the save is decided.

public import FoundationEssentials
import Predicates

/// The changes of a save, as values rather than whole rows, to be applied later.
///
///     let bytes = try ArchivedSave(request, in: model).bytes
///     // … later, in the same store
///     let request = try ArchivedSave(bytes: bytes).request(in: model, of: identifier) { try rows(of: $0) }
public struct ArchivedSave: Sendable {
    public let bytes: [UInt8]

    private static let version: UInt8 = 1

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public init(_ request: StoreSaveRequest, in model: ManagedObjectModel) throws(GraphError) {
        var contents = SaveContentsWriter()
        try contents.write(request)
        var writer = ArchiveWriter()
        writer.write(byte: Self.version)
        writer.write(contents.entities.members) { writer, entity in entity.write(to: &writer, in: model) }
        writer.write(bytes: contents.writer.bytes)
        bytes = writer.bytes
    }

    /// The save applied to the present rows, even if others have changed them since. Updates of missing rows are left
    /// out.
    ///
    /// - Parameter rows: The rows of objects in the store, in the same order; nil for missing ones.
    public func request(
        in model: ManagedObjectModel,
        of store: UUID,
        rows: ([ManagedObjectID]) throws -> [Snapshot?]
    ) throws -> StoreSaveRequest {
        var reader = ArchiveReader(bytes)
        let version = try reader.byte()
        guard version == Self.version else { throw reader.damaged("Its version is \(version).") }
        let entities = try reader.list { reader throws(GraphError) in try ArchivedEntity(from: &reader, in: model) }
        var contents = SaveContentsReader(reader: reader, entities: entities, store: store)
        let request = try contents.request(rows)
        try contents.reader.checkEnd()
        return request
    }
}

// MARK: Writing

private struct SaveContentsWriter {
    var writer = ArchiveWriter()
    private(set) var entities = OrderedMembers<EntityDescription>()

    mutating func write(_ request: StoreSaveRequest) throws(GraphError) {
        writer.write(request.insertions.count)
        for insertion in request.insertions {
            write(insertion.objectID)
            writer.write(signed: insertion.version)
            try write(insertion.row, Array(insertion.row.attributes.indices), Array(insertion.row.toOnes.indices))
        }
        writer.write(request.updates.count)
        for update in request.updates {
            write(update.objectID)
            try write(update.row, update.attributes, update.toOnes)
        }
        write(request.deletions.map(\.objectID))
        writer.write(request.members.count)
        for change in request.members {
            write(change.owner)
            writer.write(change.relationship.slot)
            write(change.added)
            write(change.removed)
            writer.write(byte: change.order == nil ? 0 : 1)
            if let order = change.order { write(order) }
        }
    }

    private mutating func write(_ row: Row, _ attributes: [Int], _ toOnes: [Int]) throws(GraphError) {
        writer.write(attributes.count)
        for slot in attributes {
            writer.write(slot)
            try writer.write(row.attributes[slot])
        }
        writer.write(toOnes.count)
        for slot in toOnes {
            writer.write(slot)
            write(row.toOnes[slot].map { [$0] } ?? [])
        }
    }

    private mutating func write(_ objectIDs: [ManagedObjectID]) {
        writer.write(objectIDs.count)
        for objectID in objectIDs { write(objectID) }
    }

    private mutating func write(_ objectID: ManagedObjectID) {
        entities.append(objectID.entity)
        writer.write(entities.firstIndex(of: objectID.entity) ?? 0)
        switch objectID.reference {
        case .integer(let number):
            writer.write(byte: ArchivedIDKind.number.rawValue)
            writer.write(signed: number)
        case .text(let text):
            writer.write(byte: ArchivedIDKind.text.rawValue)
            writer.write(text)
        case nil: preconditionFailure("What a store saves has permanent IDs.")
        }
    }
}

// MARK: Reading

private struct SaveContentsReader {
    var reader: ArchiveReader
    let entities: [ArchivedEntity]
    let store: UUID

    private typealias Values = (attributes: [(slot: Int, value: Value)], toOnes: [(slot: Int, ManagedObjectID?)])

    mutating func request(_ rows: ([ManagedObjectID]) throws -> [Snapshot?]) throws -> StoreSaveRequest {
        var request = StoreSaveRequest()
        for _ in 0..<(try reader.count()) {
            let (objectID, layout) = try named()
            let version = try reader.signed()
            var row = Row(of: objectID.entity)
            set(try values(layout), in: &row)
            request.insertions.append(.init(objectID: objectID, version: version, row: row))
        }
        var updates: [(ManagedObjectID, Values)] = []
        for _ in 0..<(try reader.count()) {
            let (objectID, layout) = try named()
            updates.append((objectID, try values(layout)))
        }
        for (update, stored) in zip(updates, try rows(updates.map(\.0))) {
            guard let stored else { continue }
            var row = stored.row
            set(update.1, in: &row)
            request.updates.append(
                .init(
                    objectID: stored.objectID,
                    version: stored.version,
                    row: row,
                    attributes: update.1.attributes.map(\.slot),
                    toOnes: update.1.toOnes.map(\.slot)
                )
            )
        }
        let deleted = try objectIDs()
        for stored in try rows(deleted) {
            if let stored { request.deletions.append(.init(objectID: stored.objectID, version: stored.version)) }
        }
        for _ in 0..<(try reader.count()) { request.members.append(try members()) }
        return request
    }

    private func set(_ values: Values, in row: inout Row) {
        for (slot, value) in values.attributes { row.attributes[slot] = value }
        for (slot, destination) in values.toOnes { row.toOnes[slot] = destination }
    }

    private mutating func values(_ layout: ArchivedEntity) throws -> Values {
        var values: Values = ([], [])
        for _ in 0..<(try reader.count()) {
            let attribute = layout.attributes[try reader.index(below: layout.attributes.count)]
            let value = attribute.value(try reader.value())
            // The model may have removed the attribute since.
            if let slot = attribute.slot { values.attributes.append((slot, value)) }
        }
        for _ in 0..<(try reader.count()) {
            let slot = layout.toOnes[try reader.index(below: layout.toOnes.count)]
            values.toOnes.append((slot, try objectIDs().first))
        }
        return values
    }

    private mutating func members() throws -> StoreSaveRequest.MembersChange {
        let (owner, layout) = try named()
        let slot = layout.toManys[try reader.index(below: layout.toManys.count)]
        return StoreSaveRequest.MembersChange(
            owner: owner,
            relationship: owner.entity.toManys[slot],
            added: try objectIDs(),
            removed: try objectIDs(),
            order: try reader.flag() ? try objectIDs() : nil
        )
    }

    private mutating func objectIDs() throws -> [ManagedObjectID] {
        try (0..<(try reader.count())).map { _ in try named().0 }
    }

    private mutating func named() throws -> (ManagedObjectID, ArchivedEntity) {
        let layout = entities[try reader.index(below: entities.count)]
        let byte = try reader.byte()
        let reference: ManagedObjectID.Reference
        switch ArchivedIDKind(rawValue: byte) {
        case .number: reference = .integer(try reader.signed())
        case .text: reference = .text(try reader.text())
        default: throw reader.damaged("The kind \(byte) of a reference is unknown.")
        }
        return (ManagedObjectID(entity: layout.entity, store: store, reference: reference), layout)
    }
}
