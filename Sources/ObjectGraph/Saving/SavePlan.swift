// SPDX-License-Identifier: Apache-2.0

// Turns changes of objects into ordered operations on rows, without reading or writing.

import FoundationEssentials
import ObjectModel
import Predicates

/// The change of one object since the last save.
struct ObjectChange {
    enum Kind {
        case inserted
        case updated
        case deleted
        /// Unchanged; `isLocked` is set.
        case locked
    }

    let objectID: ManagedObjectID
    let kind: Kind
    /// The committed row; nil for an inserted object, and possibly for a fault.
    let base: Snapshot?
    /// The present values; nil for a deleted object, and for a fault, of which only to-many relationships can have
    /// changed.
    let row: Row?
    let toManys: [ToMany]
    /// The properties of a new object that were set.
    let assigned: AssignedProperties
    /// The store that a new object was assigned to, or nil.
    let store: UUID?
    /// The version of a new object's row before others deleted it, or zero.
    let formerVersion: Int64
    /// The reference that a new object keeps from elsewhere.
    let kept: RetainedReference?
    /// Whether a delete rule has deleted the object.
    let isConsequence: Bool
    /// Whether the save depends on the row: it must still have its version, even if only members are changed.
    let isLocked: Bool

    init(
        _ object: ManagedObject,
        _ kind: Kind,
        store: UUID? = nil,
        formerVersion: Int64 = 0,
        kept: RetainedReference? = nil,
        isLocked: Bool = false
    ) {
        self.isLocked = isLocked
        self.store = store
        self.formerVersion = formerVersion
        self.kept = kept
        objectID = object.objectID
        self.kind = kind
        base = object.snapshot
        row = object.isFault || kind == .deleted ? nil : object.row
        toManys = object.toManys
        assigned = object.assigned
        isConsequence = object.status.contains(.consequence)
    }
}

extension ObjectChange {
    /// The version of a recreated row is larger than any that it may have had: others may have saved it before they
    /// deleted it.
    fileprivate var initialVersion: Int64 { formerVersion == 0 ? 1 : formerVersion + 1_000_000 }

    /// The insertion of a row, under the ID that the store has assigned.
    fileprivate func insertion(_ row: Row, _ objectID: ManagedObjectID) -> StoreSaveRequest.Insertion {
        guard let kept, kept.reference == objectID.reference else {
            return StoreSaveRequest.Insertion(objectID: objectID, version: initialVersion, row: row)
        }
        let version = max(initialVersion, kept.nextVersion)
        return StoreSaveRequest.Insertion(objectID: objectID, version: version, row: row, keepsReference: true)
    }
}

/// The operations of a save, for each store.
struct SavePlan {
    private(set) var requests: [UUID: StoreSaveRequest] = [:]
    /// The stores in write order.
    private(set) var stores: [UUID] = []

    /// - Parameter permanentIDs: The replacements of temporary IDs.
    init(_ changes: [ObjectChange], permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        let translation = RowTranslation(permanentIDs: permanentIDs)
        var planned: [StoreSaveRequest] = []
        var place = 0
        for change in changes {
            let objectID = translation.permanent(change.objectID)
            guard let store = objectID.storeIdentifier else { continue }
            // Most saves concern a single store.
            if !stores.indices.contains(place) || stores[place] != store {
                place = stores.firstIndex(of: store) ?? stores.count
                if place == stores.count {
                    stores.append(store)
                    planned.append(StoreSaveRequest())
                }
            }
            translation.add(change, objectID, to: &planned[place])
        }
        for place in planned.indices { planned[place].removeDuplicatePairs() }
        requests = Dictionary(uniqueKeysWithValues: zip(stores, planned))
        // A save that writes nothing depends on nothing.
        if requests.values.allSatisfy(\.writesNothing) { for store in stores { requests[store]?.locks = [] } }
    }
}

extension SavePlan {
    /// Throws if objects of one store refer to objects of another, or to unsaved ones.
    func checkStores() throws(GraphError) {
        for (store, request) in requests {
            for (objectID, row) in request.insertions.map({ ($0.objectID, $0.row) })
                + request.updates.map({ ($0.objectID, $0.row) })
            {
                for relationship in objectID.entity.toOnes {
                    guard let destination = row.toOnes[relationship.slot], destination.storeIdentifier != store else {
                        continue
                    }
                    throw destination.isTemporary
                        ? .unsavedDestination(objectID, relationship) : .acrossStores(objectID, relationship)
                }
            }
            for change in request.members {
                if change.added.contains(where: \.isTemporary) {
                    throw .unsavedDestination(change.owner, change.relationship)
                }
            }
            for change in request.members where change.added.contains(where: { $0.storeIdentifier != store }) {
                throw .acrossStores(change.owner, change.relationship)
            }
        }
    }
}

extension GraphError {
    static func unsavedDestination(
        _ objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(objectID.entity.name).\(relationship.name) refers to an object that isn't saved with it.",
            object: objectID,
            property: relationship.name
        )
    }

    static func acrossStores(_ objectID: ManagedObjectID, _ relationship: RelationshipDescription) -> GraphError {
        GraphError(
            .acrossStores,
            "\(objectID.entity.name).\(relationship.name) refers to an object of another store.",
            object: objectID,
            property: relationship.name,
            hint: "A fetched property can find objects of another store."
        )
    }
}

/// Translates changes of objects into row operations.
private struct RowTranslation {
    let permanentIDs: [ManagedObjectID: ManagedObjectID]

    func permanent(_ objectID: ManagedObjectID) -> ManagedObjectID { permanentIDs[objectID] ?? objectID }

    func add(_ change: ObjectChange, _ objectID: ManagedObjectID, to request: inout StoreSaveRequest) {
        switch change.kind {
        case .inserted:
            guard let row = change.row else { break }
            request.insertions.append(change.insertion(stored(row, objectID), objectID))
        case .updated:
            if let update = update(of: change, objectID) {
                request.updates.append(update)
            } else if change.isLocked {
                request.locks.append(lock(of: change, objectID))
            }
        case .deleted:
            request.deletions.append(StoreSaveRequest.Deletion(objectID: objectID, version: change.base?.version ?? 0))
            return
        case .locked:
            request.locks.append(lock(of: change, objectID))
            return
        }
        for relationship in objectID.entity.toManys where !change.toManys.isEmpty {
            let toMany = change.toManys[relationship.slot]
            if let members = membersChange(toMany, of: relationship, objectID) { request.members.append(members) }
            if change.kind == .updated, toMany.changesLimitedNumber(of: relationship), let members = toMany.committed {
                request.known.append(
                    StoreSaveRequest.KnownMembers(
                        owner: objectID,
                        relationship: relationship,
                        members: members.map(permanent)
                    )
                )
            }
        }
    }

    /// The update of a row, or nil if no column changes.
    private func update(of change: ObjectChange, _ objectID: ManagedObjectID) -> StoreSaveRequest.Update? {
        guard let base = change.base, let present = change.row else { return nil }
        // The committed row has transient values, too.
        let row = stored(present, objectID)
        let before = stored(base.row, objectID)
        let attributes = row.attributes.indices.filter { row.attributes[$0] != before.attributes[$0] }
        let toOnes = row.toOnes.indices.filter { row.toOnes[$0] != before.toOnes[$0] }
        if attributes.isEmpty, toOnes.isEmpty { return nil }
        return StoreSaveRequest.Update(
            objectID: objectID,
            version: base.version,
            row: row,
            attributes: attributes,
            toOnes: toOnes
        )
    }

    private func lock(of change: ObjectChange, _ objectID: ManagedObjectID) -> StoreSaveRequest.Lock {
        StoreSaveRequest.Lock(objectID: objectID, version: change.base?.version ?? 0)
    }

    /// The row as a store keeps it: without temporary IDs and transient values.
    private func stored(_ row: Row, _ objectID: ManagedObjectID) -> Row {
        var row = row
        for attribute in objectID.entity.attributes where attribute.isTransient {
            row.attributes[attribute.slot] = .null
        }
        for relationship in objectID.entity.toOnes {
            if relationship.isTransient {
                row.toOnes[relationship.slot] = nil
            } else if let destination = row.toOnes[relationship.slot], destination.isTemporary {
                row.toOnes[relationship.slot] = permanent(destination)
            }
        }
        return row
    }

    /// The changes that rows don't contain: many-to-many members, named by one side, and the order.
    private func membersChange(
        _ toMany: ToMany,
        of relationship: RelationshipDescription,
        _ owner: ManagedObjectID
    ) -> StoreSaveRequest.MembersChange? {
        guard toMany.hasChanges, !relationship.isTransient, relationship.isOrdered || relationship.writesPairs else {
            return nil
        }
        return StoreSaveRequest.MembersChange(
            owner: owner,
            relationship: relationship,
            added: toMany.added.map(permanent),
            removed: toMany.removed.map(permanent),
            order: toMany.orderBefore == nil && toMany.added.count < 2 ? nil : toMany.members?.map(permanent)
        )
    }
}

extension ToMany {
    /// Whether the number of members grows or shrinks where the model limits it.
    fileprivate func changesLimitedNumber(of relationship: RelationshipDescription) -> Bool {
        let rules = relationship.relationship
        guard !relationship.isTransient else { return false }
        return rules.maximumCount != nil && !added.isEmpty
            || (!rules.isOptional || rules.minimumCount != nil) && !removed.isEmpty
    }
}

extension RelationshipDescription {
    /// Whether this one of two inverse to-many relationships is written for both: the ordered one, or else the first by
    /// name. If both have the same name, both are: see `StoreSaveRequest.removeDuplicatePairs()`.
    var writesPairs: Bool {
        guard isManyToMany else { return false }
        guard let inverse else { return true }
        return isOrdered == inverse.isOrdered ? name <= inverse.name : isOrdered
    }
}

extension StoreSaveRequest {
    /// Removes pairs that the inverse has named already, if both sides have the same name. Ordered ones stay: each side
    /// has its own order.
    mutating func removeDuplicatePairs() {
        var named: [String: Set<[ManagedObjectID]>] = [:]
        members = members.compactMap { change in
            let name = change.relationship.name
            guard !change.relationship.isOrdered, change.relationship.inverse?.name == name else { return change }
            func isNew(_ member: ManagedObjectID) -> Bool {
                if named[name]?.contains([change.owner, member]) == true { return false }
                named[name, default: []].insert([member, change.owner])
                return true
            }
            let added = change.added.filter(isNew)
            let removed = change.removed.filter(isNew)
            guard !added.isEmpty || !removed.isEmpty else { return nil }
            return MembersChange(owner: change.owner, relationship: change.relationship, added: added, removed: removed)
        }
    }
}

extension SavePlan {
    /// The rows that are inserted or updated, in all stores.
    var writtenIDs: Set<ManagedObjectID> {
        Set(requests.values.flatMap { $0.insertions.map(\.objectID) + $0.updates.map(\.objectID) })
    }

    /// Whether rows are those that are inserted and updated in a single store, in this order.
    func writes(exactly rows: [Snapshot]) -> Bool {
        guard requests.count == 1, let request = requests.values.first,
            rows.count == request.insertions.count + request.updates.count
        else { return false }
        return zip(request.insertions, rows).allSatisfy { $0.objectID == $1.objectID }
            && zip(request.updates, rows[request.insertions.count...]).allSatisfy { $0.objectID == $1.objectID }
    }

    /// The number of rows that are written, in all stores.
    var rowCount: Int {
        requests.values.reduce(0) { $0 + $1.insertions.count + $1.updates.count + $1.deletions.count }
    }
}
