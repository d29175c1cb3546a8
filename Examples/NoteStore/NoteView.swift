// SPDX-License-Identifier: Apache-2.0

import Outcrop

/// A state of the store during a call: an index with its rows, each read from its file at most once.
final class NoteView {
    var index: NoteIndex
    private let files: NoteFiles
    private var rows: [ManagedObjectID: Snapshot]
    /// The error of reading a row where nothing could be thrown.
    private(set) var failure: (any Error)?

    init(_ index: NoteIndex, _ files: NoteFiles, rows: [ManagedObjectID: Snapshot] = [:]) {
        self.index = index
        self.files = files
        self.rows = rows
    }

    func snapshot(of objectID: ManagedObjectID) throws -> Snapshot? {
        guard let objectID = index.objectID(objectID) else { return nil }
        if let known = rows[objectID] { return known }
        let snapshot = try files.note(objectID).snapshot
        rows[objectID] = snapshot
        return snapshot
    }

    func put(_ snapshot: Snapshot) {
        index.put(snapshot)
        rows[snapshot.objectID] = snapshot
    }

    func row(of objectID: ManagedObjectID) -> Row? {
        do {
            return try snapshot(of: objectID)?.row
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        index.members(of: relationship, owner: owner)
    }
}

/// An object for predicates. Its file is read when one of its values is.
struct NoteObject: KeyValueObject {
    let objectID: ManagedObjectID
    let view: NoteView

    var reference: ObjectReference? { objectID.objectReference }

    func isUntyped(_ key: String) -> Bool { objectID.entity.isUntyped(key) }

    func operand(forKey key: String) throws -> Operand? {
        switch objectID.entity.property(named: key) {
        // A deleted object has no values.
        case .attribute(let attribute): return .value(try row()?.attributes[attribute.slot] ?? .null)
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(view.index.members(of: relationship, owner: objectID).map(object))
        case .relationship(let relationship): return try row()?.toOnes[relationship.slot].map(object) ?? .null
        case nil where key == "entity": return .value(.string(objectID.entity.name))
        case .fetched, nil: return nil
        }
    }

    private func row() throws -> Row? {
        // The view also records errors, since derivations treat them as nil.
        if let row = view.row(of: objectID) { return row }
        if let failure = view.failure { throw failure }
        return nil
    }

    private func object(_ objectID: ManagedObjectID) -> Operand {
        .object(NoteObject(objectID: view.index.objectID(objectID) ?? objectID, view: view))
    }
}
