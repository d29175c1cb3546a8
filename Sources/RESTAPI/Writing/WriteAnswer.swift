// SPDX-License-Identifier: Apache-2.0

// The answer to a write, whether saved, rehearsed or pending.

import AccessRules
import Basics
import HTTPMessage
import Identities
import ObjectGraph

/// The objects that a write has inserted, updated and deleted.
struct TouchedObjects {
    var inserted: [ManagedObject]
    var updated: [ManagedObject]
    var deleted: [ManagedObject]
}

extension TouchedObjects {
    /// Without deleted objects that an identity may not have known: their rows are gone.
    func shown(to access: Access?) -> TouchedObjects {
        guard let access else { return self }
        var shown = self
        shown.deleted = deleted.filter { access.permission(.read, $0.entity) == .always }
        return shown
    }

    init(pendingIn context: ManagedObjectContext) {
        self.init(
            inserted: context.insertedObjects,
            updated: context.updatedObjects,
            deleted: context.deletedObjects
        )
    }

    init(savedBy save: ObjectsDidSave) {
        self.init(inserted: save.inserted, updated: save.updated, deleted: save.deleted)
    }
}

/// An answer without its rows: a value that is also used within the store's transaction, where the context isn't
/// available.
struct WriteAnswer: Sendable {
    private let plan: WritePlan
    private let api: API
    private let status: HTTPStatus
    private let answered: [ManagedObjectID?]
    private let nested: NestedObjects
    private let ids: [(name: String, objectID: ManagedObjectID)]
    private let updatedNames: [String]
    /// The objects touched in addition to those of the answer; nil unless the request asks for them.
    private let changes: [WrittenDTO.Change]?
    private let isDropped: Bool
    private let former: Snapshot?

    /// - Parameter touched: The objects that were touched, or nil if nothing had to be saved.
    init(to write: AppliedWrite, touching touched: TouchedObjects?) throws(GraphError) {
        plan = write.plan
        api = write.api
        status = write.status
        isDropped = !write.dropped.isEmpty
        former = write.former
        ids = write.objects.ids
        updatedNames = write.updatedNames
        // Deleted objects have no row for the answer.
        answered = plan.answered.map { index in
            write.plan.writes[index].isDeletion && !write.dropped.contains(index) ? nil : write.objects[index]?.objectID
        }
        nested = try NestedObjects(in: write)
        guard plan.preferences.returning.contains(.changes), let touched else {
            self.changes = nil
            return
        }
        let permitted = touched.shown(to: api.access)
        let shown = Set(plan.answered.compactMap { write.objects[$0]?.objectID })
        func changes(of objects: [ManagedObject], kind: WrittenDTO.Change.Kind) -> [WrittenDTO.Change] {
            objects.filter { !shown.contains($0.objectID) }.map {
                WrittenDTO.Change(objectID: $0.objectID, version: $0.rowVersion, kind: kind)
            }
        }
        self.changes =
            changes(of: permitted.inserted, kind: .inserted) + changes(of: permitted.updated, kind: .updated)
            + changes(of: permitted.deleted, kind: .deleted)
    }

    /// The rows of the answer, as in the context.
    func rows(in context: ManagedObjectContext) throws(GraphError) -> [ManagedObjectID: Snapshot] {
        let present = changes?.filter { $0.kind != .deleted }.map(\.objectID) ?? []
        let objectIDs = answered.compactMap(\.self) + nested.objectIDs + present
        let shown = try api.narrowed(context).snapshots(of: objectIDs)
        let rows = zip(objectIDs, shown).compactMap { id, row in row.map { (id, $0) } }
        return Dictionary(keepingFirst: rows)
    }

    /// - Parameters:
    ///   - name: The ID that the answer has for an object.
    ///   - row: The row of an object with the IDs of the answer, or nil if it is missing.
    func reply(
        naming name: (ManagedObjectID) -> ManagedObjectID = { $0 },
        row: (ManagedObjectID) -> Snapshot?
    ) -> Reply {
        let rows = answered.map { $0.flatMap(row) }
        let isMinimal = plan.preferences.isMinimal
        let returning = plan.preferences.returning
        var reply = Reply(.none, status: status)
        var written = WrittenDTO()
        written.ids = ids.map { ($0.name, name($0.objectID)) }
        written.updatedNames = updatedNames
        written.changes = changes?.compactMap { change in
            if change.kind == .deleted { return change }
            return row(change.objectID).map {
                WrittenDTO.Change(objectID: $0.objectID, version: $0.version, kind: change.kind)
            }
        }
        switch plan.answer {
        case .deletion:
            if isDropped || (!returning.isEmpty && !isMinimal) { reply.status = .ok }
            let shown = isDropped ? rows[0] : returning.contains(.representation) ? former : nil
            if let shown { written.content = .object(object(shown)) }
        case .object(let index):
            guard let shown = rows[0] else { break }
            written.content = .object(nested.object(shown, of: index, in: api, rows: row))
            // Objects of a dry run can't be read by the client.
            if plan.isDryRun { break }
            reply.fields[.etag] = api.tag(of: shown)
            guard status == .created else { break }
            reply.fields[.location] = "\(api.catalogue.path)\(api.catalogue.reference(to: shown.objectID))"
        case .list(let indices):
            let objects = zip(rows, indices).map { shown, index in
                shown.map { nested.object($0, of: index, in: api, rows: row) }
            }
            written.content = .list(objects)
        case .operations: written.content = .operations(rows.map { $0.map(object) })
        }
        if isMinimal, case .operations = plan.answer, !plan.isDryRun, !written.ids.isEmpty {
            // Only this tells the client which objects its temporary names refer to.
            written.content = .names
            reply.content = .written(written)
        } else if isMinimal {
            if reply.status == .ok { reply.status = .noContent }
        } else if reply.status != .noContent {
            reply.content = .written(written)
        }
        if let applied = plan.preferences.applied { reply.fields[.preferenceApplied] = applied }
        return reply
    }

    private func object(_ row: Snapshot) -> ObjectDTO {
        ObjectDTO(row: row, shape: api.catalogue.shape(of: row.objectID.entity))
    }
}

extension AppliedWrite {
    /// The temporary names of objects that existed before.
    fileprivate var updatedNames: [String] {
        substitutes.keys.filter(isOfStored).compactMap { plan.writes[$0].temporaryName }.sorted()
    }

    private func isOfStored(_ index: Int) -> Bool {
        switch substitutes[index] {
        case .stored: true
        case .write(let other): isOfStored(other)
        case nil: false
        }
    }

    /// 201 if all objects of the answer were inserted, or 200 if some existed before.
    fileprivate var status: HTTPStatus {
        switch plan.answer {
        case .deletion: .noContent
        case .operations: .ok
        case .object, .list:
            !plan.answered.isEmpty
                && plan.answered.allSatisfy { plan.writes[$0].isInsertion && substitutes[$0] == nil } ? .created : .ok
        }
    }
}

extension Reply {
    /// The answer to a dry run of a deletion: the deleted objects, and the relationships that lose them.
    init(closureOf touched: TouchedObjects) {
        var closure = DeletionDTO()
        closure.deleted = touched.deleted.map(\.objectID)
        for object in touched.updated {
            let changed = object.changedValues
            for relationship in object.entity.relationships where changed[relationship.name] != nil {
                closure.nullified.append((object.objectID, relationship.name))
            }
        }
        var written = WrittenDTO()
        written.content = .closure(closure)
        self.init(.written(written))
    }
}

extension Snapshot {
    /// The row with other IDs for its object and its references.
    func renamed(_ name: (ManagedObjectID) -> ManagedObjectID) -> Snapshot {
        var row = row
        row.toOnes = row.toOnes.map { $0.map(name) }
        return Snapshot(objectID: name(objectID), version: version, row: row)
    }
}

extension Snapshot {
    /// The row as it is saved, without references that the identity can't see in the row as it is shown.
    func hidingReferences(hiddenIn shown: Snapshot, of api: API) -> Snapshot {
        guard api.access != nil else { return self }
        var row = row
        for slot in row.toOnes.indices where shown.row.toOnes[slot] == nil { row.toOnes[slot] = nil }
        return Snapshot(objectID: objectID, version: version, row: row)
    }
}

extension Preferences {
    /// Whether the objects are omitted from the answer.
    var isMinimal: Bool { returning.contains(.minimal) && !returning.contains(.changes) }

    /// The applied preferences, for the response's field.
    fileprivate var applied: String? {
        let returned: [Return] =
            returning.contains(.changes) ? [.changes] : returning.sorted { $0.rawValue < $1.rawValue }
        let applied = returned.map { "return=\($0.rawValue)" } + (merge.map { ["merge=\($0.rawValue)"] } ?? [])
        return applied.isEmpty ? nil : applied.joined(separator: ", ")
    }
}
