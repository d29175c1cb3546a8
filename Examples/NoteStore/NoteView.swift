// SPDX-License-Identifier: Apache-2.0

// One state of the store while a call lasts, and its objects as predicates see them.

import Outcrop

/// An index with the rows that belong to it, each read from its file once at most.
final class NoteView: DerivationSource {
    var index: NoteIndex
    private let files: NoteFiles
    private var rows: [ManagedObjectID: Snapshot]
    /// Why a row could not be read while nothing could be thrown.
    private(set) var failure: (any Error)?

    init(_ index: NoteIndex, _ files: NoteFiles, rows: [ManagedObjectID: Snapshot] = [:]) {
        (self.index, self.files, self.rows) = (index, files, rows)
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

/// An object as predicates see it. Its file is read when a value of it is asked for.
struct NoteObject: KeyValueObject {
    let objectID: ManagedObjectID
    let view: NoteView

    var reference: ObjectReference? { objectID.objectReference }

    func isUntyped(_ key: String) -> Bool { objectID.entity.isUntyped(key) }

    func operand(forKey key: String) throws -> Operand? {
        switch objectID.entity.property(named: key) {
        // What is gone is an object without values.
        case .attribute(let attribute): return .value(try row()?.attributes[attribute.slot] ?? .null)
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(view.index.members(of: relationship, owner: objectID).map(object))
        case .relationship(let relationship): return try row()?.toOnes[relationship.slot].map(object) ?? .null
        case nil where key == "entity": return .value(.string(objectID.entity.name))
        case .fetched, nil: return nil
        }
    }

    private func row() throws -> Row? {
        // Errors are remembered as well: who derives values takes them for nil.
        if let row = view.row(of: objectID) { return row }
        if let failure = view.failure { throw failure }
        return nil
    }

    private func object(_ objectID: ManagedObjectID) -> Operand {
        .object(NoteObject(objectID: view.index.objectID(objectID) ?? objectID, view: view))
    }
}
