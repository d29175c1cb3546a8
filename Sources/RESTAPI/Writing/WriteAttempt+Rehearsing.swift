// SPDX-License-Identifier: Apache-2.0

// Dry runs: all that a save would find out, and what would be answered then. The stores do the save, and keep nothing of it.

import FoundationEssentials
import HTTPMessage
import ObjectGraph
import Predicates

extension WriteAttempt {
    func rehearse() throws -> Outcome {
        let rows: [Snapshot]
        do throws(GraphError) {
            rows = try context.rehearseSave()
        } catch {
            return try outcome(error)
        }
        var written = WrittenDTO()
        if plan.answer == .deletion, dropped.isEmpty {
            written.content = .closure(closure(deleted: context.deletedObjects, updated: context.updatedObjects))
            return .done(Reply(.written(written)))
        }
        let rehearsal = Rehearsal(context, rows)
        written.ids = byName.sorted { $0.key < $1.key }.map { ($0.key, rehearsal.name(of: $0.value.objectID)) }
        written.changes = try changes(
            inserted: context.insertedObjects,
            updated: context.updatedObjects,
            deleted: context.deletedObjects,
            rehearsal
        )
        return .done(try reply(&written, nil, rehearsal))
    }

    /// What goes, and which relationships lose what goes.
    func closure(deleted: [ManagedObject], updated: [ManagedObject]) -> DeletionDTO {
        var closure = DeletionDTO()
        closure.deleted = deleted.map(\.objectID)
        for object in updated {
            let changed = object.changedValues
            for relationship in object.entity.relationships where changed[relationship.name] != nil {
                closure.nullified.append((object.objectID, relationship.name))
            }
        }
        return closure
    }
}

/// A context's objects as a save would leave them: those that were never saved are called `t1`, `t2` and so on.
private struct Rehearsal: GraphReading {
    let context: ManagedObjectContext
    /// The rows that the save would change.
    private let rows: [ManagedObjectID: Snapshot]
    private let names: [ManagedObjectID: ManagedObjectID]

    init(_ context: ManagedObjectContext, _ rows: [Snapshot]) {
        self.context = context
        self.rows = Dictionary(rows.map { ($0.objectID, $0) }) { first, _ in first }
        let store = context.insertedObjects.isEmpty ? nil : UUID()
        names = Dictionary(
            uniqueKeysWithValues: context.insertedObjects.enumerated().compactMap { offset, object in
                store.map {
                    let reference = ManagedObjectID.Reference.text("t\(offset + 1)")
                    return (object.objectID, ManagedObjectID(entity: object.entity, store: $0, reference: reference))
                }
            }
        )
    }

    func name(of objectID: ManagedObjectID) -> ManagedObjectID { names[objectID] ?? objectID }

    func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject> {
        try context.ranked(request)
    }

    private func named(_ snapshot: Snapshot) -> Snapshot {
        let written = rows[snapshot.objectID] ?? snapshot
        var row = written.row
        row.toOnes = row.toOnes.map { $0.map(name) }
        return Snapshot(objectID: name(of: snapshot.objectID), version: written.version, row: row)
    }

    var model: ManagedObjectModel { context.model }

    func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot] {
        try context.snapshots(request).map(named)
    }

    func objectIDs(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ManagedObjectID] {
        try context.objectIDs(request).map(name)
    }

    func count(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> Int { try context.count(request) }

    func table(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchTable { try context.table(request) }

    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?] {
        try context.snapshots(of: objects).map { $0.map(named) }
    }

    func sortKeys(
        of snapshot: Snapshot,
        for request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [Value] {
        try context.sortKeys(of: snapshot, for: request)
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows {
        let related = try context.related(along: relationship, owners: owners, matching: request)
        return RelatedRows(members: related.members.map { $0.map(name) }, rows: related.rows.map(named))
    }
}
