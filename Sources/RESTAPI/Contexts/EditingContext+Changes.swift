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
            let inserted = try context.snapshots(
                of: context.insertedObjects.map(\.objectID).filter(api.catalogue.shows)
            )
            .compactMap(\.self)
            buffer.write(raw: "{\"inserted\":")
            buffer.write(try api.assembler(context).objects(inserted, selecting: .all), in: api.catalogue)
            buffer.write(raw: ",\"updated\":[")
            let updated = context.differingObjects.filter { api.catalogue.shows($0.objectID) }
            for (offset, (object, present)) in zip(updated, try context.snapshots(of: updated.map(\.objectID)))
                .enumerated()
            {
                if offset > 0 { buffer.write(byte: ",") }
                buffer.write(api.change(of: object, present: present, in: context))
            }
            buffer.write(raw: "],\"deleted\":")
            let deleted = context.deletedObjects.map(\.objectID).filter(api.catalogue.shows)
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
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("_id", .string(catalogue.reference(to: object.objectID))), ("_version", .integer(object.rowVersion)),
        ]
        if context.isDeletedByOthers(object) { members.append(("conflict", "deleted")) }
        let editConflicts = Dictionary(
            uniqueKeysWithValues: context.editConflicts(of: object).map { ($0.property, $0.base) }
        )
        var properties: [(String, JSONValue)] = []
        for property in catalogue[object.entity].properties {
            if let relationship = property.relationship, relationship.isToMany {
                if let change = json(ofMembers: object.changedMembers(of: relationship)) {
                    properties.append((property.name, change))
                }
                continue
            }
            guard let committed = object.committedSnapshot, let present,
                !property.isSame(in: committed.row, and: present.row),
                let old = json(of: property, in: committed, isPresent: false), let new = json(of: property, in: present)
            else { continue }
            if let base = editConflicts[property.property] {
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
