// SPDX-License-Identifier: Apache-2.0

// Dry runs: all that a save would find out, and what would be answered then, without saving.

import FoundationEssentials
import HTTPMessage
import ObjectGraph
import Predicates

extension WriteAttempt {
    func rehearse() throws -> Outcome {
        let taken: [ConstraintViolation]
        do throws(GraphError) {
            try context.processPendingChanges()
            try context.validate()
            taken = try takenValues()
        } catch {
            throw problem(error)
        }
        // A policy that was asked for already would see to it.
        if !taken.isEmpty, context.mergePolicy.kind == .error { return try settle(taken) }
        var written = WrittenDTO()
        if plan.answer == .deletion, dropped.isEmpty {
            written.content = .closure(closure)
            return .done(Reply(.written(written)))
        }
        let rehearsal = Rehearsal(context)
        written.ids = byName.sorted { $0.key < $1.key }.map { ($0.key, rehearsal.name(of: $0.value.objectID)) }
        if plan.preferences.returning.contains(.changes) { written.changes = try changes(rehearsal) }
        return .done(try reply(&written, nil, rehearsal))
    }

    private func changes(_ rehearsal: Rehearsal) throws -> [WrittenDTO.Change] {
        let shown = Set(answered.compactMap { objects[$0]?.objectID })
        func changes(_ objects: [ManagedObject], _ kind: WrittenDTO.Change.Kind) throws -> [WrittenDTO.Change] {
            let objectIDs = objects.map(\.objectID).filter { !shown.contains($0) }
            let rows = try context.snapshots(of: objectIDs)
            return zip(objectIDs, rows).map {
                WrittenDTO.Change(objectID: rehearsal.name(of: $0), version: $1?.version ?? 0, kind: kind)
            }
        }
        return try changes(context.insertedObjects, .inserted) + changes(context.updatedObjects, .updated)
            + changes(context.deletedObjects, .deleted)
    }

    /// What goes, and which relationships lose what goes.
    private var closure: DeletionDTO {
        var closure = DeletionDTO()
        closure.deleted = context.deletedObjects.map(\.objectID)
        for object in context.updatedObjects {
            let changed = object.changedValues
            for relationship in object.entity.relationships where changed[relationship.name] != nil {
                closure.nullified.append((object.objectID, relationship.name))
            }
        }
        return closure
    }

    /// The values of the save that must be unique and aren't, as its stores would find.
    private func takenValues() throws(GraphError) -> [ConstraintViolation] {
        let changed = (context.insertedObjects + context.updatedObjects).map(\.objectID)
        let leaving = Set(changed + context.deletedObjects.map(\.objectID))
        var claims: [UniqueKey: [ManagedObjectID]] = [:]
        var order: [(key: UniqueKey, row: Row)] = []
        for row in try context.snapshots(of: changed) {
            guard let row else { continue }
            for constraint in row.objectID.entity.uniquenessConstraints {
                guard let key = UniqueKey(constraint, row.row) else { continue }
                if claims[key] == nil { order.append((key, row.row)) }
                claims[key, default: []].append(row.objectID)
            }
        }
        let holders = try holders(of: order, leaving)
        return order.compactMap { key, _ in
            let objects = claims[key] ?? []
            guard objects.count > 1 || holders[key] != nil else { return nil }
            return ConstraintViolation(constraint: key.constraint, objects: objects, stored: holders[key])
        }
    }

    /// The stored objects that have some unique values, asked for a constraint at a time.
    private func holders(
        of keys: [(key: UniqueKey, row: Row)],
        _ leaving: Set<ManagedObjectID>
    ) throws(GraphError) -> [UniqueKey: Snapshot] {
        var groups: [[PropertyDescription]: [ObjectPredicate]] = [:]
        for (key, row) in keys {
            let terms = key.constraint.map { property in
                ObjectPredicate.comparing(.keyPath(property.name), .equal, .constant(row.value(of: property)))
            }
            groups[key.constraint, default: []].append(.all(of: terms))
        }
        var holders: [UniqueKey: Snapshot] = [:]
        for (constraint, terms) in groups {
            guard
                let entity = api.catalogue.model.entities.first(where: { $0.uniquenessConstraints.contains(constraint) }
                )
            else { continue }
            for start in stride(from: 0, to: terms.count, by: 100) {
                let some = Array(terms[start..<min(start + 100, terms.count)])
                let request = FetchRequest<ManagedObject>(entity.name, predicate: .any(of: some))
                let rows = try api.coordinator.read { (reader) throws(GraphError) in try reader.snapshots(request) }
                for row in rows where !leaving.contains(row.objectID) {
                    if let key = UniqueKey(constraint, row.row) { holders[key] = row }
                }
            }
        }
        return holders
    }
}

/// A context's objects as they would be: those that were never saved are called `t1`, `t2` and so on.
private struct Rehearsal: GraphReading {
    let context: ManagedObjectContext
    private let names: [ManagedObjectID: ManagedObjectID]

    init(_ context: ManagedObjectContext) {
        self.context = context
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

    private func named(_ snapshot: Snapshot) -> Snapshot {
        var row = snapshot.row
        row.toOnes = row.toOnes.map { $0.map(name) }
        return Snapshot(objectID: name(of: snapshot.objectID), version: snapshot.version, row: row)
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

extension Row {
    fileprivate func value(of property: PropertyDescription) -> Value {
        switch property {
        case .attribute(let attribute): attributes[attribute.slot]
        case .relationship(let relationship) where !relationship.isToMany:
            toOnes[relationship.slot].map { .reference($0.objectReference) } ?? .null
        case .relationship, .fetched: .null
        }
    }
}
