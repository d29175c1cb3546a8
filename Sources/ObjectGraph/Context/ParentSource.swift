// SPDX-License-Identifier: Apache-2.0

// A context as its children see it, including what is pending in it.

import Basics
import Predicates

/// A child context's connection to its parent. What the child saves becomes pending in the parent, under the same IDs.
final class ParentSource: ObjectSource {
    private let parent: ManagedObjectContext
    /// Changes of the parent that the child hasn't merged yet.
    var waiting: [SavedChanges] = []

    init(parent: ManagedObjectContext) {
        self.parent = parent
    }

    func objectClass(for entity: EntityDescription) -> ManagedObject.Type { parent.source.objectClass(for: entity) }

    func objectID(forURI uri: String) -> ManagedObjectID? { parent.source.objectID(forURI: uri) }

    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool { parent.hasUnsaved(objectID) }

    func keepsDeleted(_ objectID: ManagedObjectID) -> Bool {
        guard let object = parent.registeredObject(for: objectID) else { return parent.source.keepsDeleted(objectID) }
        return object.isInserted || object.isUpdated || !object.isDeleted && parent.source.keepsDeleted(objectID)
    }

    func isAboutToDelete(_ objectID: ManagedObjectID) -> Bool {
        guard let object = parent.registeredObject(for: objectID) else {
            return parent.source.isAboutToDelete(objectID)
        }
        return parent.deleted.contains(object)
    }

    /// The parent's object, or nil if there can't be one.
    private func counterpart(_ objectID: ManagedObjectID) -> ManagedObject? {
        parent.idForChildren(of: objectID).map(parent.object(with:))
    }

    func snapshots(of objects: [ManagedObjectID], staleness: Duration?) throws(GraphError) -> [Snapshot?] {
        let objects = objects.map(counterpart)
        try parent.fire(objects.compactMap(\.self))
        return objects.map { $0?.presentSnapshot }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]] {
        // An object with a pending deletion in the parent remembers its members, but has none.
        let owners = owners.map(counterpart).map { $0?.isDeleted == true ? nil : $0 }
        try parent.load(relationship, of: owners.compactMap(\.self))
        return owners.map { $0?.toMany(relationship).members?.members ?? [] }
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows {
        try parent.related(along: relationship, owners: owners, matching: request)
    }

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
        var own = FetchRequest<ManagedObject>(request.entity.name, predicate: request.predicate)
        own.sortDescriptors = request.sortDescriptors
        own.search = request.search
        own.includesSubentities = request.includesSubentities
        own.fetchOffset = request.offset
        own.fetchLimit = request.limit ?? 0
        own.affectedStores = request.affectedStores
        switch request.kind {
        case .count: return .count(try parent.count(own))
        case .objectIDs: return .objectIDs(try parent.objectIDs(own))
        case .snapshots:
            let objects = try parent.fetch(own)
            try parent.fire(objects)
            return .snapshots(objects.compactMap(\.presentSnapshot))
        case .table: return .table(try parent.table(request))
        }
    }

    func spansStores(_ request: StoreFetchRequest) -> Bool { false }

    func drainSavedChanges() -> [SavedChanges] {
        defer { waiting = [] }
        return waiting
    }

    func requeue(_ changes: [SavedChanges]) { waiting = changes + waiting }

    /// Objects that the parent already has from the child are named by the parent; others by the parent's source.
    func permanentIDs(for changes: [ObjectChange]) throws(GraphError) -> [ManagedObjectID: ManagedObjectID] {
        let saved = changes.filter { parent.registeredObject(for: $0.objectID) != nil }
        let new = changes.filter { parent.registeredObject(for: $0.objectID) == nil }
        try parent.obtainPermanentIDs(for: saved.map { parent.object(with: $0.objectID) })
        let known = Dictionary(keepingFirst: saved.map { ($0.objectID, parent.current($0.objectID)) })
        return try parent.source.permanentIDs(for: new).merging(known) { $1 }
    }

    var stores: StoreSource { parent.source.stores }

    /// The batch as seen through the parent's pending changes.
    func drainChangesAfterBatch(_ changes: SavedChanges) throws(GraphError) -> [SavedChanges] {
        try parent.mergeBatch(changes)
        var seen = changes
        seen.list = changes.list.map { change in
            guard case .updated(let before, let after) = change,
                let present = parent.registeredObject(for: after.objectID)?.presentSnapshot
            else { return change }
            return .updated(before: before, after: present)
        }
        return [seen]
    }

    func save(
        _ changes: [ObjectChange],
        of origin: SaveOrigin,
        noting note: PendingNote<SavedRows>?
    ) throws(GraphError) -> SaveOutcome {
        guard note == nil else { throw .noteInParent }
        if let conflicts = try conflicts(of: changes) { return .conflicts(conflicts) }
        guard parent.memoryLimit != nil, parent.undoManager != nil else { return try applyToParent(changes) }
        return try GraphError.wrapping {
            try parent.withUndoGroup {
                let outcome = try applyToParent(changes)
                try parent.trimToMemoryLimit()
                return outcome
            }
        }
    }

    /// A parent accepts all changes of a child, except of objects that don't exist any more.
    private func conflicts(of changes: [ObjectChange]) throws(GraphError) -> StoreConflicts? {
        let needed = changes.filter { $0.kind == .updated || $0.kind == .locked }.map(\.objectID)
        let objects = needed.map(counterpart)
        try parent.fire(objects.compactMap(\.self))
        var conflicts = StoreConflicts()
        for (objectID, object) in zip(needed, objects)
        where object?.status.isDisjoint(with: [.deleted, .missing]) != true {
            conflicts.rows.updateValue(nil, forKey: objectID)
        }
        return conflicts.isEmpty ? nil : conflicts
    }

    /// Makes changes pending in the parent.
    private func applyToParent(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome {
        var changed: [(change: ObjectChange, object: ManagedObject)] = []
        for change in changes {
            let object = change.kind == .inserted ? try parent.adoptInserted(change) : counterpart(change.objectID)
            if let object { changed.append((change, object)) }
        }
        try parent.fire(changed.map(\.object))
        for (change, object) in changed { try parent.loadAdded(change, of: object) }
        for (change, object) in changed where change.kind != .deleted {
            try parent.unlinkFormerPartners(of: object, for: change)
        }
        for (change, object) in changed where change.kind != .deleted { parent.apply(change, to: object) }
        for (change, object) in changed where change.kind != .deleted { parent.applyMembers(of: change, to: object) }
        for (change, object) in changed where change.kind != .deleted { parent.linkOwners(of: object, for: change) }
        // Delete rules apply to what the parent has linked to them meanwhile. Others may have deleted them before.
        for (change, object) in changed where change.kind == .deleted && !object.status.contains(.missing) {
            parent.prepareAndDelete(object, isConsequence: change.isConsequence)
        }
        try parent.processPendingChanges()
        let saved = changed.compactMap { $0.change.kind == .deleted ? nil : $0.object.presentSnapshot }
        return .saved(saved, recomputed: [], [:])
    }
}

extension ParentSource {
    func rehearse(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome {
        if let conflicts = try conflicts(of: changes) { return .conflicts(conflicts) }
        let rows = changes.compactMap { change in
            change.row.flatMap { row in
                change.kind == .deleted
                    ? nil : Snapshot(objectID: change.objectID, version: change.base?.version ?? 0, row: row)
            }
        }
        return .saved(rows, recomputed: [], [:])
    }

    var queryGenerationToken: QueryGenerationToken? { nil }

    func setQueryGeneration(_ generation: QueryGeneration) throws(GraphError) { throw .pinnedChild }

    func advanceQueryGeneration() {}
}

extension ManagedObjectContext {
    /// Runs a closure with a child of this context, which ends with the closure. What the child saves becomes pending
    /// here; what it doesn't save is discarded. Objects of this context can't be used in the closure: pass their IDs.
    public func withChild<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        confinement.check()
        try processPendingChanges()
        let child = ManagedObjectContext(model: model, source: ParentSource(parent: self))
        defer { child.end() }
        return try child.performAndProcess(body)
    }

    /// The object that a child has inserted. If the child repeats a save, the object is here already and may have been
    /// saved; if it was deleted here and inserted again, it is restored.
    fileprivate func adoptInserted(_ change: ObjectChange) throws(GraphError) -> ManagedObject {
        if idForChildren(of: change.objectID) == nil { pending.successors[change.objectID] = nil }
        let object = object(with: change.objectID)
        if object.isFault { try fire([object]) }
        if deleted.contains(object) { try revive(object, for: change) }
        guard isPlaceholder(object) else { return object }
        object.status = []
        object.snapshot = nil
        object.row = Row(of: object.entity)
        object.toManys = object.entity.toManys.map(ToMany.empty)
        perform(.insert(object))
        pending.assignments[object.objectID] = change.store
        pending.kept[object.objectID] = change.kept
        if change.formerVersion > 0 { pending.formerVersions[object.objectID] = change.formerVersion }
        return object
    }

    /// Reverts the deletion of an object that a child has inserted again: it gets exactly the members that it has in
    /// the child.
    private func revive(_ object: ManagedObject, for change: ObjectChange) throws(GraphError) {
        for relationship in object.entity.toManys { try load(relationship, of: [object]) }
        perform(.restore(object, [], lost: object.toManys.map(\.removed.members)))
        for relationship in object.entity.toManys {
            let slot = relationship.slot
            let members = change.toManys.isEmpty ? OrderedMembers() : change.toManys[slot].added
            for member in object.toManys[slot].members?.members ?? [] where !members.contains(member) {
                perform(.removeMember(object, slot: slot, member))
            }
        }
    }

    /// Whether an object is a placeholder, registered before its row existed.
    private func isPlaceholder(_ object: ManagedObject) -> Bool {
        object.status.contains(.missing) && !updated.contains(object) && !deleted.contains(object)
    }

    /// Members added before the relationship was loaded may have been members already, which matters if a child has
    /// removed them.
    fileprivate func loadAdded(_ change: ObjectChange, of object: ManagedObject) throws(GraphError) {
        for (relationship, toMany) in zip(object.entity.toManys, change.toManys)
        where toMany.removed.contains(where: object.toMany(relationship).added.contains) {
            try load(relationship, of: [object])
        }
    }

    /// Unlinks an object, and its new one-to-one partners, from to-one relationships that a child changes: the child
    /// may not know their present partners here.
    fileprivate func unlinkFormerPartners(of object: ManagedObject, for change: ObjectChange) throws(GraphError) {
        guard let row = change.row, !object.isFault else { return }
        let base = change.base?.row ?? object.row
        for relationship in object.entity.toOnes where row.toOnes[relationship.slot] != base.toOnes[relationship.slot] {
            guard let inverse = relationship.inverse else { continue }
            let slot = relationship.slot
            let destination = row.toOnes[relationship.slot]
            if let present = object.row.toOnes[slot], present != destination {
                let former = self.object(with: present)
                try fire([former])
                unlink(object, from: former, through: relationship, inverse: inverse)
            }
            guard !inverse.isToMany, let destination else { continue }
            let partner = self.object(with: destination)
            try fire([partner])
            guard !partner.isFault, let present = partner.row.toOnes[inverse.slot], present != object.objectID else {
                continue
            }
            let former = self.object(with: present)
            try fire([former])
            if former.refers(through: slot, to: destination) {
                unlink(former, from: partner, through: relationship, inverse: inverse)
            }
        }
    }

    /// Applies a child's changes of an object, except of its members. A save of this context depends on the same objects
    /// as the child's.
    fileprivate func apply(_ change: ObjectChange, to object: ManagedObject) {
        if change.isLocked { pending.locked.append(object) }
        if change.kind == .locked { return }
        if let row = change.row {
            // An inserted object has all its values from the child.
            let base = change.base?.row ?? object.row
            for slot in row.attributes.indices where row.attributes[slot] != base.attributes[slot] {
                perform(.attribute(object, slot: slot, row.attributes[slot]))
                resolveEditConflict(of: object, attribute: slot)
            }
            for slot in row.toOnes.indices where row.toOnes[slot] != base.toOnes[slot] {
                perform(.toOne(object, slot: slot, row.toOnes[slot]))
                resolveEditConflict(of: object, toOne: slot)
            }
        }
        for place in change.assigned.places { assign(object, place: place) }
    }

    /// Applies a child's changes of an object's members. A to-one inverse decides, since the child may have known other
    /// members than there are.
    fileprivate func applyMembers(of change: ObjectChange, to object: ManagedObject) {
        for (slot, toMany) in change.toManys.enumerated() where toMany.hasChanges {
            let inverse = object.entity.toManys[slot].inverseToOne
            for member in toMany.removed { perform(.removeMember(object, slot: slot, member)) }
            for member in toMany.added {
                if let inverse, let other = registered[current(member)], !other.isFault,
                    !other.refers(through: inverse.slot, to: object.objectID)
                {
                    continue
                }
                perform(.addMember(object, slot: slot, member, at: nil))
            }
            if toMany.orderBefore != nil, let order = toMany.members?.members {
                perform(.order(object, slot: slot, order))
            }
        }
    }

    /// Makes an object a member of the objects that it refers to since a child's save.
    fileprivate func linkOwners(of object: ManagedObject, for change: ObjectChange) {
        guard let row = change.row, let base = change.base?.row, !object.isFault else { return }
        for slot in row.toOnes.indices where row.toOnes[slot] != base.toOnes[slot] {
            guard let inverse = object.entity.toOnes[slot].inverse, inverse.isToMany,
                let owner = object.row.toOnes[slot].map(self.object(with:)), !owner.isDeleted
            else { continue }
            perform(.addMember(owner, slot: inverse.slot, object.objectID, at: nil))
        }
    }
}
