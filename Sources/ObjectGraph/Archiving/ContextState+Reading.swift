// SPDX-License-Identifier: Apache-2.0

// Decodes a context's state. Whatever the bytes were, a decoded state can be restored into a context.

import FoundationEssentials
import Predicates

extension ContextState {
    /// The state after a series of archives.
    init(_ archives: [ContextArchive], _ model: ManagedObjectModel) throws(GraphError) {
        self.init()
        var layouts: [ArchivedEntity] = []
        for (number, archive) in archives.enumerated() {
            guard archive.isWhole == (number == 0) else { throw .notFollowing(archive) }
            var reader = try ContextContentsReader(archive, model, self, layouts)
            apply(try reader.step())
            layouts = reader.layouts
        }
        try check(for: archives)
    }

    /// Throws if the state is inconsistent.
    private func check(for archives: [ContextArchive]) throws(GraphError) {
        guard let last = archives.last else { return }
        func require(_ isTrue: Bool, _ reason: String) throws(GraphError) {
            if !isTrue { throw .invalidArchive(reason, at: last.contents.upperBound) }
        }
        // A context has one object for an ID.
        var known: Set<ManagedObjectID> = []
        for object in objects where object.contextPresence != .detached {
            try require(known.insert(object.objectID).inserted, "An object occurs twice.")
        }
        for (list, status) in [(inserted, ManagedObject.Status.inserted), (updated, .updated), (deleted, .deleted)] {
            let isAll = list.allSatisfy { objects[$0].isPending(status) }
            try require(isAll, "The data of an object are inconsistent.")
        }
        let isOfContext = locked.allSatisfy { objects[$0].contextPresence == .registered }
        try require(isOfContext, "The data of an object are inconsistent.")
    }
}

extension PersistentStoreCoordinator {
    /// Throws if an archive refers to a store that isn't attached, or to properties that the model has removed or
    /// changed. Its objects aren't read.
    public func check(_ archive: ContextArchive) throws(GraphError) {
        var reader = ArchiveReader(archive)
        _ = try reader.list { reader throws(GraphError) in try ArchivedEntity(from: &reader, in: model) }
        let stores = try reader.list { reader throws(GraphError) in try reader.uuid() }
        for store in stores where self.store(store) == nil { throw .unknownStore(store) }
    }
}

extension ManagedObjectModel {
    /// Whether an archive's rows have the values of the present version of the model.
    func describes(_ archive: ContextArchive) throws(GraphError) -> Bool {
        var reader = ArchiveReader(archive)
        let entities = try reader.list { reader throws(GraphError) in try ArchivedEntity(from: &reader, in: self) }
        return entities.allSatisfy(\.isPresent)
    }
}

/// The archived values of attributes that the model has removed.
private struct RemovedValues {
    var values: [(name: String, value: Value)] = []

    /// The name of an attribute with another value in another row.
    func difference(from other: RemovedValues) -> String? {
        zip(values, other.values).first { $0.value != $1.value }?.0.name
    }
}

/// Reads contents that refer to entities, stores and IDs by number.
private struct ContextContentsReader {
    private var reader: ArchiveReader
    private let entities: [ArchivedEntity]
    private let ids: [(objectID: ManagedObjectID, layout: ArchivedEntity)]
    /// The row layouts of all objects so far.
    private(set) var layouts: [ArchivedEntity]
    private let before: ContextState
    /// Whether the archive has the assigned properties of new objects. Otherwise values that differ from the defaults
    /// count as assigned.
    private let hasAssignedProperties: Bool

    init(
        _ archive: ContextArchive,
        _ model: ManagedObjectModel,
        _ before: ContextState,
        _ layouts: [ArchivedEntity]
    ) throws(GraphError) {
        self.before = before
        self.layouts = layouts
        hasAssignedProperties = archive.version > 2
        var reader = ArchiveReader(archive)
        let entities = try reader.list { reader throws(GraphError) in try ArchivedEntity(from: &reader, in: model) }
        let stores = try reader.list { reader throws(GraphError) in try reader.uuid() }
        ids = try reader.list { reader throws(GraphError) in
            let layout = entities[try reader.index(below: entities.count)]
            let kind = try reader.byte()
            let objectID: ManagedObjectID
            switch ArchivedIDKind(rawValue: kind) {
            case .temporary: objectID = ManagedObjectID(entity: layout.entity, temporary: try reader.uuid())
            case .number:
                let store = stores[try reader.index(below: stores.count)]
                objectID = ManagedObjectID(
                    entity: layout.entity,
                    store: store,
                    reference: .integer(try reader.signed())
                )
            case .text:
                let store = stores[try reader.index(below: stores.count)]
                objectID = ManagedObjectID(entity: layout.entity, store: store, reference: .text(try reader.text()))
            case nil: throw reader.damaged("The kind \(kind) of an ID is unknown.")
            }
            return (objectID, layout)
        }
        self.entities = entities
        self.reader = reader
    }

    mutating func step() throws(GraphError) -> ContextStep {
        var step = ContextStep()
        for _ in 0..<(try reader.count()) { step.objects.append(try object()) }
        step.inserted = try places()
        step.updated = try places()
        step.deleted = try places()
        step.locked = try places()
        for _ in 0..<(try reader.count()) {
            let (objectID, layout) = try id()
            var removed = RemovedValues()
            step.newer.append((objectID, try snapshot(of: objectID, layout, &removed)))
        }
        for _ in 0..<(try reader.count()) {
            let (objectID, layout) = try id()
            step.contested.append((objectID, try conflictBases(layout)))
        }
        try readNames(of: &step)
        step.hasRebased = try reader.flag()
        step.undoable = try groups(after: before.undoable.count)
        step.redoable = try groups(after: before.redoable.count)
        step.consequences = try consequences()
        try reader.checkEnd()
        return step
    }

    private mutating func readNames(of step: inout ContextStep) throws(GraphError) {
        if try reader.flag() {
            var successors: [(former: ManagedObjectID, present: ManagedObjectID)] = []
            for _ in 0..<(try reader.count()) { successors.append((try id().objectID, try id().objectID)) }
            try checkEnds(of: successors)
            step.successors = successors
        }
        if try reader.flag() { step.savedDeletions = try objectIDs() }
        if try reader.flag() {
            var assignments: [(objectID: ManagedObjectID, store: UUID)] = []
            for _ in 0..<(try reader.count()) { assignments.append((try id().objectID, try reader.uuid())) }
            step.assignments = assignments
        }
    }

    private mutating func id() throws(GraphError) -> (objectID: ManagedObjectID, layout: ArchivedEntity) {
        ids[try reader.index(below: ids.count)]
    }

    private mutating func objectIDs() throws(GraphError) -> [ManagedObjectID] {
        var objectIDs: [ManagedObjectID] = []
        for _ in 0..<(try reader.count()) { objectIDs.append(try id().objectID) }
        return objectIDs
    }

    private mutating func optionalObjectIDs() throws(GraphError) -> [ManagedObjectID]? {
        try reader.flag() ? try objectIDs() : nil
    }

    private mutating func places() throws(GraphError) -> [Int] {
        var places: [Int] = []
        for _ in 0..<(try reader.count()) { places.append(try reader.index(below: layouts.count)) }
        return places
    }
}

// MARK: Objects

extension ContextContentsReader {
    private mutating func object() throws(GraphError) -> (place: Int, object: ContextState.Object) {
        let place = try reader.index(below: layouts.count + 1)
        let (objectID, layout) = try id()
        let kind = try reader.byte()
        guard let contextPresence = ContextState.Object.ContextPresence(rawValue: kind) else {
            throw reader.damaged("The kind \(kind) of an object is unknown.")
        }
        var object = ContextState.Object(objectID: objectID, contextPresence: contextPresence)
        if contextPresence == .plain {
            object.version = try reader.optional { reader throws(GraphError) in try reader.signed() }
        } else {
            object.state.status = try status()
            var committed = RemovedValues()
            var pending = RemovedValues()
            object.state.snapshot = try snapshot(of: objectID, layout, &committed)
            if !object.state.status.contains(.fault) { object.state.row = try row(layout, &pending) }
            if let name = committed.difference(from: pending) {
                throw .removedSinceArchived(name, of: layout.entity)
            }
            if try reader.flag() { object.state.toManys = try toManys(layout) }
        }
        let count = try hasAssignedProperties ? reader.count() : 0
        for _ in 0..<count { _ = object.state.assigned.set(try self.place(layout), to: true) }
        if place == layouts.count {
            layouts.append(layout)
        } else if layouts[place].entity == layout.entity {
            layouts[place] = layout
        } else {
            throw reader.damaged("An object has a different entity.")
        }
        return (place, object)
    }

    private mutating func status() throws(GraphError) -> ManagedObject.Status {
        let byte = try reader.byte()
        guard byte < ManagedObject.Status.forgotten.rawValue else {
            throw reader.damaged("The status \(byte) is unknown.")
        }
        return ManagedObject.Status(rawValue: byte)
    }

    private mutating func row(_ layout: ArchivedEntity, _ removed: inout RemovedValues) throws(GraphError) -> Row {
        var row = Row(of: layout.entity)
        for attribute in layout.attributes {
            let value = try reader.value()
            if let slot = attribute.slot {
                row.attributes[slot] = attribute.value(value)
            } else {
                removed.values.append((attribute.name, value))
            }
        }
        for slot in layout.toOnes { row.toOnes[slot] = try reader.flag() ? try id().objectID : nil }
        return row
    }

    private mutating func snapshot(
        of objectID: ManagedObjectID,
        _ layout: ArchivedEntity,
        _ removed: inout RemovedValues
    ) throws(GraphError) -> Snapshot? {
        guard try reader.flag() else { return nil }
        let version = try reader.signed()
        return Snapshot(objectID: objectID, version: version, row: try row(layout, &removed))
    }

    private mutating func conflictBases(_ layout: ArchivedEntity) throws(GraphError) -> ConflictBases {
        var values = ConflictBases()
        for _ in 0..<(try reader.count()) {
            let attribute = try attribute(layout)
            let isDecided = try reader.flag()
            var bases: [Value] = []
            for _ in 0..<(try reader.count()) { bases.append(attribute.value(try reader.value())) }
            values.attributes[try slot(of: attribute, layout)] = .init(values: bases, isDecided: isDecided)
        }
        for _ in 0..<(try reader.count()) {
            let slot = try slot(layout.toOnes)
            let isDecided = try reader.flag()
            var bases: [ManagedObjectID?] = []
            for _ in 0..<(try reader.count()) { bases.append(try optionalObjectIDs()?.last) }
            values.toOnes[slot] = .init(values: bases, isDecided: isDecided)
        }
        return values
    }

    private mutating func toManys(_ layout: ArchivedEntity) throws(GraphError) -> [ToMany] {
        var toManys = layout.entity.toManys.map(ToMany.fault)
        for slot in layout.toManys {
            toManys[slot] = ToMany(
                layout.entity.toManys[slot],
                members: try optionalObjectIDs(),
                added: try objectIDs(),
                removed: try objectIDs(),
                orderBefore: try optionalObjectIDs()
            )
        }
        return toManys
    }

    /// Throws if successors form a cycle.
    private func checkEnds(of successors: [(former: ManagedObjectID, present: ManagedObjectID)]) throws(GraphError) {
        var next: [ManagedObjectID: ManagedObjectID] = [:]
        for (former, present) in successors {
            guard next.updateValue(present, forKey: former) == nil else {
                throw reader.damaged("An ID occurs twice.")
            }
        }
        var ending: Set<ManagedObjectID> = []
        for var objectID in next.keys {
            var way: Set<ManagedObjectID> = []
            while let present = next[objectID], !ending.contains(objectID) {
                guard way.insert(objectID).inserted else { throw reader.damaged("An object follows itself.") }
                objectID = present
            }
            ending.formUnion(way)
        }
    }
}

// MARK: Edits

extension ContextContentsReader {
    private mutating func groups(after count: Int) throws(GraphError) -> ContextStep.Groups {
        var groups = ContextStep.Groups()
        groups.dropped = try reader.index(below: count + 1)
        groups.kept = try reader.index(below: count - groups.dropped + 1)
        for _ in 0..<(try reader.count()) {
            var group: [Inverse<Int>] = []
            for _ in 0..<(try reader.count()) { group.append(try inverse()) }
            groups.latest.append(group)
        }
        return groups
    }

    private mutating func consequences() throws(GraphError) -> [Consequence<Int>] {
        var consequences: [Consequence<Int>] = []
        for _ in 0..<(try reader.count()) {
            consequences.append(
                Consequence(cause: try reader.index(below: layouts.count), inverse: try inverse())
            )
        }
        return consequences
    }

    private mutating func inverse() throws(GraphError) -> Inverse<Int> {
        let byte = try reader.byte()
        let isOfCommitted = byte & ArchivedEditKind.ofCommitted != 0
        return Inverse(edit: try edit(byte & ~ArchivedEditKind.ofCommitted), era: isOfCommitted ? 0 : nil)
    }

    private mutating func edit(_ byte: UInt8) throws(GraphError) -> Edit<Int> {
        guard let kind = ArchivedEditKind(rawValue: byte) else {
            throw reader.damaged("The kind \(byte) of an edit is unknown.")
        }
        let place = try reader.index(below: layouts.count)
        let layout = layouts[place]
        switch kind {
        case .attribute:
            let attribute = try attribute(layout)
            let slot = try slot(of: attribute, layout)
            return .attribute(place, slot: slot, attribute.value(try reader.value()))
        case .toOne: return .toOne(place, slot: try slot(layout.toOnes), try optionalObjectIDs()?.last)
        case .addMember:
            let slot = try slot(layout.toManys)
            let member = try id().objectID
            let index = try reader.optional { reader throws(GraphError) in try reader.index(below: Int.max) }
            return .addMember(place, slot: slot, member, at: index)
        case .removeMember: return .removeMember(place, slot: try slot(layout.toManys), try id().objectID)
        case .order: return .order(place, slot: try slot(layout.toManys), try objectIDs())
        case .assign: return .assign(place, place: try self.place(layout), try reader.flag())
        case .insert: return .insert(place)
        case .remove: return .remove(place)
        case .delete: return .delete(place)
        case .restore: return .restore(place, try status(), lost: try lost(layout))
        }
    }

    /// The place of a property that the archive names by its place in the archived layout.
    private mutating func place(_ layout: ArchivedEntity) throws(GraphError) -> Int {
        let attributes = layout.attributes
        let toOnes = layout.toOnes
        let index = try reader.index(below: attributes.count + toOnes.count + layout.toManys.count)
        if index < attributes.count { return try slot(of: attributes[index], layout) }
        let entity = layout.entity
        if index < attributes.count + toOnes.count { return entity.attributes.count + toOnes[index - attributes.count] }
        let slot = layout.toManys[index - attributes.count - toOnes.count]
        return entity.attributes.count + entity.toOnes.count + slot
    }

    private mutating func attribute(_ layout: ArchivedEntity) throws(GraphError) -> ArchivedEntity.Attribute {
        layout.attributes[try reader.index(below: layout.attributes.count)]
    }

    /// The slot of an attribute that was changed. Throws if the model has removed it.
    private func slot(
        of attribute: ArchivedEntity.Attribute,
        _ layout: ArchivedEntity
    ) throws(GraphError) -> Int {
        guard let slot = attribute.slot else { throw .removedSinceArchived(attribute.name, of: layout.entity) }
        return slot
    }

    private mutating func slot(_ slots: [Int]) throws(GraphError) -> Int { slots[try reader.index(below: slots.count)] }

    private mutating func lost(_ layout: ArchivedEntity) throws(GraphError) -> [[ManagedObjectID]] {
        let count = try reader.count()
        guard count > 0 else { return [] }
        guard count == layout.toManys.count else {
            throw reader.damaged("There are only \(count) relationships, which isn't all.")
        }
        var lost: [[ManagedObjectID]] = Array(repeating: [], count: layout.entity.toManys.count)
        for slot in layout.toManys { lost[slot] = try objectIDs() }
        return lost
    }
}
