// SPDX-License-Identifier: Apache-2.0

// Encodes a step of a context: its entities, stores and IDs, then contents that refer to them by number.

import FoundationEssentials
import Predicates

extension ContextStep {
    /// - Parameter isWhole: Whether it is the whole state.
    func archive(in model: ManagedObjectModel, isWhole: Bool) throws(GraphError) -> ContextArchive {
        var contents = ContextContentsWriter()
        try contents.write(self)
        var writer = ArchiveWriter()
        writer.write(contents.entities.members) { writer, entity in entity.write(to: &writer, in: model) }
        writer.write(contents.stores.members) { writer, store in writer.write(store) }
        writer.write(contents.ids.members) { writer, name in
            let objectID = name.objectID
            writer.write(contents.entities.firstIndex(of: objectID.entity) ?? 0)
            switch objectID.origin {
            case .temporary(let identifier):
                writer.write(byte: ArchivedIDKind.temporary.rawValue)
                writer.write(identifier)
            case .store(let store, .integer(let number)):
                writer.write(byte: ArchivedIDKind.number.rawValue)
                writer.write(contents.stores.firstIndex(of: store) ?? 0)
                writer.write(signed: number)
            case .store(let store, .text(let text)):
                writer.write(byte: ArchivedIDKind.text.rawValue)
                writer.write(contents.stores.firstIndex(of: store) ?? 0)
                writer.write(text)
            }
        }
        writer.write(bytes: contents.writer.bytes)
        return ContextArchive(contents: writer.bytes, isWhole: isWhole)
    }
}

enum ArchivedIDKind: UInt8 {
    case temporary, number, text
}

enum ArchivedEditKind: UInt8 {
    case attribute, toOne, addMember, removeMember, order, insert, remove, delete, restore, assign

    /// Marks an edit that restores a committed value.
    static let ofCommitted: UInt8 = 1 << 7
}

/// Writes contents that refer to IDs, and collects these.
private struct ContextContentsWriter {
    /// An ID with its entity, since IDs of one row are equal whatever their entity is.
    struct Name: Hashable {
        let objectID: ManagedObjectID
        let entity: EntityDescription
    }

    var writer = ArchiveWriter()
    private(set) var entities = OrderedMembers<EntityDescription>()
    private(set) var stores = OrderedMembers<UUID>()
    private(set) var ids = OrderedMembers<Name>()

    mutating func write(_ step: ContextStep) throws(GraphError) {
        writer.write(step.objects.count)
        for (place, object) in step.objects {
            writer.write(place)
            try write(object)
        }
        for list in [step.inserted, step.updated, step.deleted, step.locked] {
            writer.write(list) { writer, place in writer.write(place) }
        }
        writer.write(step.newer.count)
        for (objectID, stored) in step.newer {
            write(objectID)
            try write(stored)
        }
        writer.write(step.contested.count)
        for (objectID, values) in step.contested {
            write(objectID)
            try write(values)
        }
        writeNames(of: step)
        writer.write(byte: step.hasRebased ? 1 : 0)
        for groups in [step.undoable, step.redoable] {
            writer.write(groups.dropped)
            writer.write(groups.kept)
            writer.write(groups.latest.count)
            for group in groups.latest {
                writer.write(group.count)
                for inverse in group { try write(inverse, step.era) }
            }
        }
        writer.write(step.consequences.count)
        for consequence in step.consequences {
            writer.write(consequence.cause)
            try write(consequence.inverse, step.era)
        }
    }

    private mutating func writeNames(of step: ContextStep) {
        writer.write(byte: step.successors == nil ? 0 : 1)
        if let successors = step.successors {
            writer.write(successors.count)
            for (former, present) in successors {
                write(former)
                write(present)
            }
        }
        write(optional: step.savedDeletions)
        writer.write(byte: step.assignments == nil ? 0 : 1)
        if let assignments = step.assignments {
            writer.write(assignments.count)
            for (objectID, store) in assignments {
                write(objectID)
                writer.write(store)
            }
        }
    }

    private mutating func write(_ objectID: ManagedObjectID) {
        let name = Name(objectID: objectID, entity: objectID.entity)
        if ids.append(name) {
            entities.append(objectID.entity)
            if let store = objectID.storeIdentifier { stores.append(store) }
        }
        writer.write(ids.firstIndex(of: name) ?? 0)
    }

    private mutating func write(_ objectIDs: [ManagedObjectID]) {
        writer.write(objectIDs.count)
        for objectID in objectIDs { write(objectID) }
    }

    private mutating func write(optional objectIDs: [ManagedObjectID]?) {
        writer.write(byte: objectIDs == nil ? 0 : 1)
        if let objectIDs { write(objectIDs) }
    }

    private mutating func write(_ row: Row) throws(GraphError) {
        for value in row.attributes { try writer.write(value) }
        for destination in row.toOnes {
            writer.write(byte: destination == nil ? 0 : 1)
            if let destination { write(destination) }
        }
    }

    private mutating func write(_ snapshot: Snapshot?) throws(GraphError) {
        writer.write(byte: snapshot == nil ? 0 : 1)
        guard let snapshot else { return }
        writer.write(signed: snapshot.version)
        try write(snapshot.row)
    }

    private mutating func write(_ values: ConflictBases) throws(GraphError) {
        writer.write(values.attributes.count)
        for (slot, bases) in values.attributes.sorted(by: { $0.key < $1.key }) {
            writer.write(slot)
            writer.write(byte: bases.isDecided ? 1 : 0)
            writer.write(bases.values.count)
            for value in bases.values { try writer.write(value) }
        }
        writer.write(values.toOnes.count)
        for (slot, bases) in values.toOnes.sorted(by: { $0.key < $1.key }) {
            writer.write(slot)
            writer.write(byte: bases.isDecided ? 1 : 0)
            writer.write(bases.values.count)
            for destination in bases.values { write(optional: destination.map { [$0] }) }
        }
    }

    private mutating func write(_ object: ContextState.Object) throws(GraphError) {
        write(object.objectID)
        writer.write(byte: object.contextPresence.rawValue)
        let state = object.state
        defer { writer.write(state.assigned.places) { writer, place in writer.write(place) } }
        guard object.contextPresence != .plain else {
            return writer.write(optional: object.version) { writer, version in writer.write(signed: version) }
        }
        writer.write(byte: state.status.rawValue)
        try write(state.snapshot)
        if !state.status.contains(.fault) { try write(state.row) }
        writer.write(byte: state.toManys.isEmpty ? 0 : 1)
        for toMany in state.toManys {
            write(optional: toMany.members?.members)
            write(toMany.added.members)
            write(toMany.removed.members)
            write(optional: toMany.orderBefore)
        }
    }

    private mutating func write(_ inverse: Inverse<Int>, _ era: Int) throws(GraphError) {
        let edit = inverse.edit
        func begin(_ kind: ArchivedEditKind, _ slot: Int? = nil) {
            writer.write(byte: kind.rawValue | (inverse.era == era ? ArchivedEditKind.ofCommitted : 0))
            writer.write(edit.object)
            if let slot { writer.write(slot) }
        }
        switch edit {
        case .attribute(_, let slot, let value):
            begin(.attribute, slot)
            try writer.write(value)
        case .toOne(_, let slot, let destination):
            begin(.toOne, slot)
            write(optional: destination.map { [$0] })
        case .addMember(_, let slot, let member, let index):
            begin(.addMember, slot)
            write(member)
            writer.write(optional: index) { writer, index in writer.write(index) }
        case .removeMember(_, let slot, let member):
            begin(.removeMember, slot)
            write(member)
        case .order(_, let slot, let order):
            begin(.order, slot)
            write(order)
        case .assign(_, let place, let isAssigned):
            begin(.assign, place)
            writer.write(byte: isAssigned ? 1 : 0)
        case .insert: begin(.insert)
        case .remove: begin(.remove)
        case .delete: begin(.delete)
        case .restore(_, let status, let lost):
            begin(.restore)
            writer.write(byte: status.rawValue)
            writer.write(lost.count)
            for members in lost { write(members) }
        }
    }
}
