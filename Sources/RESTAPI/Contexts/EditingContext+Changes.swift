// SPDX-License-Identifier: Apache-2.0

// The pending changes of an editing context as a diff.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension EditingContext {
    /// The changes that a save would write.
    func changes(in api: API) throws -> Reply {
        try perform { context in
            try context.processPendingChanges()
            var buffer = JSONBuffer(capacity: 4 << 10)
            let reader = api.narrowed(context)
            let inserted = try reader.snapshots(
                of: context.insertedObjects.map(\.objectID).filter(api.catalogue.shows)
            )
            .compactMap(\.self)
            buffer.write(raw: "{\"inserted\":")
            buffer.write(try api.assembler(reader).objects(inserted, selecting: .all), in: api.catalogue)
            buffer.write(raw: ",\"updated\":[")
            let differing = context.differingObjects.filter { api.catalogue.shows($0.objectID) }
            let present = zip(differing, try reader.snapshots(of: differing.map(\.objectID)))
            // An object that was deleted by others has no row.
            let updated = present.filter { api.access == nil || $0.1 != nil }
            for (offset, (object, present)) in updated.enumerated() {
                if offset > 0 { buffer.write(byte: ",") }
                buffer.write(try api.change(of: object, present: present, in: context))
            }
            buffer.write(raw: "],\"deleted\":")
            let readable = try TouchedObjects(inserted: [], updated: [], deleted: context.deletedObjects)
                .readable(to: api, in: context)
            let deleted = readable.deleted.map(\.objectID).filter(api.catalogue.shows)
            buffer.write(references: deleted, in: api.catalogue)
            buffer.write(byte: "}")
            return Reply(.bytes(buffer.bytes, type: "application/json"))
        }
    }
}

extension API {
    /// The changes of an object: its base, the values of other writers in conflict, and its present values.
    fileprivate func change(
        of object: ManagedObject,
        present: Snapshot?,
        in context: ManagedObjectContext
    ) throws -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("_id", .string(catalogue.reference(to: object.objectID))), ("_version", .integer(object.rowVersion)),
        ]
        let committed = try shownCommitted(object, in: context)
        if context.isDeletedByOthers(object) { members.append(("conflict", "deleted")) }
        let editConflicts = Dictionary(
            uniqueKeysWithValues: context.editConflicts(of: object).map { ($0.property, $0.base) }
        )
        var properties: [(String, JSONValue)] = []
        for property in catalogue[object.entity].properties {
            if let relationship = property.relationship, relationship.isToMany {
                let change = try readable(object.changedMembers(of: relationship), in: context)
                if let change = json(ofMembers: change) {
                    properties.append((property.name, change))
                }
                continue
            }
            guard let committed, let present,
                !property.isSame(in: committed.row, and: present.row),
                let old = json(of: property, in: committed, isPresent: false), let new = json(of: property, in: present)
            else { continue }
            if let base = try editConflicts[property.property].map({ try readable($0, in: context) }) {
                properties.append(
                    (
                        property.name,
                        ["base": json(of: base, for: property), "stored": old, "new": new, "conflict": true]
                    )
                )
            } else {
                properties.append((property.name, ["old": old, "new": new]))
            }
        }
        members.append(("properties", .object(JSONObject(properties))))
        return .object(JSONObject(members))
    }

    /// The committed row of an object, without references to what the identity can't read.
    private func shownCommitted(_ object: ManagedObject, in context: ManagedObjectContext) throws -> Snapshot? {
        guard access != nil, let committed = object.committedSnapshot else { return object.committedSnapshot }
        return try narrowed(context.committedReader).shown([committed])[0]
    }

    /// The objects among some that the identity can read, as they are in the context.
    private func readable(_ objects: [ManagedObjectID], in context: ManagedObjectContext) throws -> [ManagedObjectID] {
        guard access != nil else { return objects }
        let rows = try narrowed(context).snapshots(of: objects)
        return zip(objects, rows).filter { $0.1 != nil }.map(\.0)
    }

    private func readable(
        _ change: (added: [ManagedObjectID], removed: [ManagedObjectID], isReordered: Bool),
        in context: ManagedObjectContext
    ) throws -> (added: [ManagedObjectID], removed: [ManagedObjectID], isReordered: Bool) {
        let added = try readable(change.added, in: context)
        return (added, try readable(change.removed, in: context), change.isReordered)
    }

    private func readable(_ base: EditConflict.Value, in context: ManagedObjectContext) throws -> EditConflict.Value {
        guard case .toOne(let destination?) = base else { return base }
        return .toOne(try readable([destination], in: context).first)
    }

    private func json(
        ofMembers change: (added: [ManagedObjectID], removed: [ManagedObjectID], isReordered: Bool)
    ) -> JSONValue? {
        guard !change.added.isEmpty || !change.removed.isEmpty || change.isReordered else { return nil }
        let references = { [catalogue] (objects: [ManagedObjectID]) in
            JSONValue.array(objects.map { .string(catalogue.reference(to: $0)) })
        }
        var members = [("added", references(change.added)), ("removed", references(change.removed))]
        if change.isReordered { members.append(("reordered", true)) }
        return .object(JSONObject(members))
    }

    private func json(of base: EditConflict.Value, for property: ResourceProperty) -> JSONValue {
        switch base {
        case .attribute(.data(let data)): return JSONValue { $0.write(bytes: .data(data), at: nil) } ?? .null
        case .attribute(let value):
            guard let attribute = property.attribute else { return .null }
            return JSONValue { $0.write(property.shown(value), of: attribute) } ?? .null
        case .toOne(let objectID): return JSONValue { $0.write(objectID, in: catalogue) } ?? .null
        }
    }
}

extension ManagedObjectContext {
    /// Existing objects for which a save would write something or find a conflict with a deletion.
    var differingObjects: [ManagedObject] {
        updatedObjects.filter { $0.isDifferent || isDeletedByOthers($0) }
    }
}

extension ManagedObject {
    /// Whether any value differs from the last save; changed values may have been changed back.
    fileprivate var isDifferent: Bool {
        changedValues.keys.contains { name in
            guard let relationship = entity.relationship(named: name), relationship.isToMany else { return true }
            let change = changedMembers(of: relationship)
            return !change.added.isEmpty || !change.removed.isEmpty || change.isReordered
        }
    }
}

extension ResourceProperty {
    /// Whether two rows have the same value.
    func isSame(in one: Row, and other: Row) -> Bool {
        switch property {
        case .attribute(let attribute): one.attributes[attribute.slot] == other.attributes[attribute.slot]
        case .relationship(let relationship) where !relationship.isToMany:
            one.toOnes[relationship.slot] == other.toOnes[relationship.slot]
        case .relationship, .fetched: true
        }
    }
}
