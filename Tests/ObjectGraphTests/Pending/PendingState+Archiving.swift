// SPDX-License-Identifier: Apache-2.0

// A pending state as bytes.

import FoundationEssentials
import Predicates

@testable import ObjectGraph

extension PendingState {
    /// The bytes of all facts; equal states have equal bytes.
    func archived() throws(GraphError) -> [UInt8] {
        var writer = ArchiveWriter()
        writer.write(byte: keepsEdited ? 1 : 0)
        var parts: [[UInt8]] = []
        for (key, fact) in facts {
            var part = ArchiveWriter()
            try part.write(key, fact)
            parts.append(part.bytes)
        }
        writer.write(parts.sorted { $0.lexicographicallyPrecedes($1) }) { $0.write(bytes: $1) }
        parts = []
        for (objectID, base) in bases {
            var part = ArchiveWriter()
            part.write(objectID)
            part.write(signed: base.version)
            try part.write(base.row)
            parts.append(part.bytes)
        }
        writer.write(parts.sorted { $0.lexicographicallyPrecedes($1) }) { $0.write(bytes: $1) }
        return writer.bytes
    }

    init(archived bytes: [UInt8], in model: ManagedObjectModel) throws(GraphError) {
        var reader = ArchiveReader(bytes)
        keepsEdited = try reader.flag()
        let read = try reader.list { reader throws(GraphError) in try reader.fact(in: model) }
        let rows = try reader.list { reader throws(GraphError) in
            let objectID = try reader.objectID(in: model)
            return (objectID, CommittedRow(version: try reader.signed(), row: try reader.row(of: objectID, in: model)))
        }
        try reader.checkEnd()
        for (key, fact) in read { set(key, to: fact, base: nil) }
        for (objectID, base) in rows { setBase(of: objectID, to: base) }
    }
}

private enum FactKind: UInt8 {
    case insertion, deletion, attribute, toOne, added, removed, orderOfAll, orderOfAdded
}

extension ArchiveWriter {
    fileprivate mutating func write(_ key: PendingKey, _ fact: PendingFact) throws(GraphError) {
        switch (key, fact) {
        case (.insertion(let objectID), .insertion(let insertion)):
            begin(.insertion, objectID)
            try write(insertion.initial)
            write(optional: insertion.store) { $0.write($1) }
            write(signed: insertion.formerVersion)
            write(insertion.number)
        case (.attribute(let objectID, let slot), .attribute(let value, let base)):
            begin(.attribute, objectID)
            write(slot)
            try write(value)
            try write(base)
        case (.toOne(let objectID, let slot), .toOne(let destination, let base)):
            begin(.toOne, objectID)
            write(slot)
            write(optional: destination) { $0.write($1) }
            write(optional: base) { $0.write($1) }
        case (.pair(let pair), .pair(let isAdded)):
            // Of a pair without a first end either may be written.
            let ends = pair.isSymmetric ? pair.ends.sorted { $0.uri < $1.uri } : pair.ends
            begin(isAdded ? .added : .removed, ends[0])
            write(pair.slot)
            write(ends[1])
        case (.order(let slot), .order(let order)):
            begin(order == .all(order.members) ? .orderOfAll : .orderOfAdded, slot.owner)
            write(slot.slot)
            write(order.members) { $0.write($1) }
        case (.deletion(let objectID), _): begin(.deletion, objectID)
        default: preconditionFailure("A key stands for a fact of its own kind.")
        }
    }

    private mutating func begin(_ kind: FactKind, _ objectID: ManagedObjectID) {
        write(byte: kind.rawValue)
        write(objectID)
    }

    fileprivate mutating func write(_ row: Row) throws(GraphError) {
        try write(row.attributes) { writer, value throws(GraphError) in try writer.write(value) }
        write(row.toOnes) { $0.write(optional: $1) { $0.write($1) } }
    }

    fileprivate mutating func write(_ objectID: ManagedObjectID) {
        write(objectID.entity.name)
        switch objectID.origin {
        case .temporary(let identifier):
            write(byte: ArchivedIDKind.temporary.rawValue)
            write(identifier)
        case .store(let store, .integer(let number)):
            write(byte: ArchivedIDKind.number.rawValue)
            write(store)
            write(signed: number)
        case .store(let store, .text(let text)):
            write(byte: ArchivedIDKind.text.rawValue)
            write(store)
            write(text)
        }
    }
}

extension ArchiveReader {
    fileprivate mutating func fact(in model: ManagedObjectModel) throws(GraphError) -> (PendingKey, PendingFact) {
        let kind = FactKind(rawValue: try byte())
        let objectID = try objectID(in: model)
        let entity = objectID.entity
        switch kind {
        case .insertion:
            let insertion = PendingInsertion(
                initial: try row(of: objectID, in: model),
                store: try optional { reader throws(GraphError) in try reader.uuid() },
                formerVersion: try signed(),
                number: try index(below: .max)
            )
            return (.insertion(objectID), .insertion(insertion))
        case .deletion: return (.deletion(objectID), .deletion)
        case .attribute:
            let slot = try index(below: entity.attributes.count)
            return (.attribute(objectID, slot: slot), .attribute(try value(), base: try value()))
        case .toOne:
            let slot = try index(below: entity.toOnes.count)
            let destination = try optionalObjectID(in: model)
            return (.toOne(objectID, slot: slot), .toOne(destination, base: try optionalObjectID(in: model)))
        case .added, .removed:
            let slot = try index(below: entity.toManys.count)
            let member = try self.objectID(in: model)
            let relationship = entity.toManys[slot]
            guard relationship.isManyToMany, member.entity.isKind(of: model.destination(of: relationship)) else {
                throw damaged("Two objects are no pair.")
            }
            return (
                .pair(MemberPair(owner: objectID, relationship, member: member)), .pair(isAdded: kind == .added)
            )
        case .orderOfAll, .orderOfAdded:
            let slot = try index(below: entity.toManys.count)
            let members = try list { reader throws(GraphError) in try reader.objectID(in: model) }
            let order = kind == .orderOfAll ? PendingOrder.all(members) : .added(members)
            return (.order(MemberSlot(owner: objectID, slot: slot)), .order(order))
        case nil: throw damaged("There is no fact of this kind.")
        }
    }

    fileprivate mutating func row(of objectID: ManagedObjectID, in model: ManagedObjectModel) throws(GraphError) -> Row
    {
        let attributes = try list { reader throws(GraphError) in try reader.value() }
        let toOnes = try list { reader throws(GraphError) in try reader.optionalObjectID(in: model) }
        guard attributes.count == objectID.entity.attributes.count, toOnes.count == objectID.entity.toOnes.count else {
            throw damaged("A row is none of its entity.")
        }
        return Row(attributes: attributes, toOnes: toOnes)
    }

    private mutating func optionalObjectID(in model: ManagedObjectModel) throws(GraphError) -> ManagedObjectID? {
        try optional { reader throws(GraphError) in try reader.objectID(in: model) }
    }

    fileprivate mutating func objectID(in model: ManagedObjectModel) throws(GraphError) -> ManagedObjectID {
        let name = try text()
        guard let entity = model.entity(named: name) else { throw damaged("There is no entity “\(name)”.") }
        switch ArchivedIDKind(rawValue: try byte()) {
        case .temporary: return ManagedObjectID(entity: entity, temporary: try uuid())
        case .number: return ManagedObjectID(entity: entity, store: try uuid(), reference: .integer(try signed()))
        case .text: return ManagedObjectID(entity: entity, store: try uuid(), reference: .text(try text()))
        case nil: throw damaged("There is no ID of this kind.")
        }
    }
}
