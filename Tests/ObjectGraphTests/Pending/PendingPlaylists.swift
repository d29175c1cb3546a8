// SPDX-License-Identifier: Apache-2.0

// Playlists with pending changes as one value, to compare a context with.

import Predicates

@testable import ObjectGraph

/// A pending state over committed playlists, changed by the same edits as a context.
struct PendingPlaylists {
    private(set) var committed = MemoryState()
    private(set) var state = PendingState()
    private(set) var history = PendingHistory()
    private var names = Names()

    private struct Names {
        var objectIDs: [String: ManagedObjectID] = [:]

        struct Unknown: Error {
            let name: String
        }

        func objectID(_ title: String) throws -> ManagedObjectID {
            guard let objectID = objectIDs[title] else { throw Unknown(name: title) }
            return objectID
        }

        mutating func make(_ title: String, of entity: EntityDescription) -> ManagedObjectID {
            let objectID = MemoryState.objectID(entity, objectIDs.count + 1)
            objectIDs[title] = objectID
            return objectID
        }
    }

    // MARK: Changes

    /// - Parameter isStep: whether undo is to take the edits back at once.
    mutating func change(_ edits: [PlaylistEdit], isStep: Bool) throws {
        let before = state
        try Self.make(edits, in: &state, over: committed, &names)
        if isStep { history.append(before.diff(to: state)) }
    }

    mutating func changeInChild(_ edits: [PlaylistEdit], isStep: Bool) throws {
        let before = state
        var child = PendingState()
        try Self.make(edits, in: &child, over: state.view(over: committed), &names)
        try state.absorb(child, over: committed)
        if isStep { history.append(before.diff(to: state)) }
    }

    mutating func undo() throws { try history.undo(&state, over: committed) }

    mutating func redo() throws { try history.redo(&state, over: committed) }

    mutating func save() throws {
        let saved = try committed.saving(state)
        history = try history.saved(state, from: committed, to: saved)
        committed = saved
        state = PendingState()
    }

    /// Has others save some edits, and merges them. What is committed now is no change any more.
    mutating func changeByOthers(_ edits: [PlaylistEdit]) throws {
        var others = PendingState()
        try Self.make(edits, in: &others, over: committed, &names)
        committed = try committed.saving(others)
        state = try state.rebase(onto: committed).pruned(over: committed)
    }

    private static func make(
        _ edits: [PlaylistEdit],
        in state: inout PendingState,
        over committed: some CommittedState,
        _ names: inout Names
    ) throws {
        for edit in edits {
            let change = try pending(edit, &names)
            try state.apply(change, over: committed)
        }
    }

    private static func pending(_ edit: PlaylistEdit, _ names: inout Names) throws -> PendingEdit {
        switch edit {
        case .insert(let entity, let title):
            let entity = try Playlists.entity(entity)
            var row = Row(of: entity)
            row.attributes[entity.slot("title")] = .string(title)
            return .insert(names.make(title, of: entity), PendingInsertion(initial: row))
        case .note(let note, let title):
            let objectID = try names.objectID(title)
            return .setAttribute(objectID, slot: objectID.entity.slot("note"), .string(note))
        case .delete(let title): return .delete(try names.objectID(title))
        case .relate(let title, let name, let other):
            let objectID = try names.objectID(title)
            let member = try names.objectID(other)
            guard let relationship = objectID.entity.relationship(named: name) else { throw Names.Unknown(name: name) }
            guard relationship.isToMany else { return .setToOne(objectID, slot: relationship.slot, member) }
            return .add(member, to: MemberSlot(owner: objectID, slot: relationship.slot), at: nil)
        case .unrelate(let title, let name, let other):
            let objectID = try names.objectID(title)
            let member = try names.objectID(other)
            guard let relationship = objectID.entity.relationship(named: name) else { throw Names.Unknown(name: name) }
            guard relationship.isToMany else { return .setToOne(objectID, slot: relationship.slot, nil) }
            return .remove(member, from: MemberSlot(owner: objectID, slot: relationship.slot))
        case .set(let title, let name, let members):
            let objectID = try names.objectID(title)
            guard let relationship = objectID.entity.relationship(named: name) else { throw Names.Unknown(name: name) }
            let slot = MemberSlot(owner: objectID, slot: relationship.slot)
            return .setMembers(slot, try members.map(names.objectID))
        }
    }

    // MARK: What is shown

    func shown() throws -> PlaylistsView { try view(of: state) }

    func stored() throws -> PlaylistsView { try view(of: PendingState()) }

    private func view(of state: PendingState) throws -> PlaylistsView {
        try PlaylistsView(state.view(over: committed), names.objectIDs)
    }

    func changes() throws -> PlaylistsChanges {
        try PlaylistsChanges(state.view(over: committed), names.objectIDs)
    }
}

extension PlaylistsView {
    fileprivate init(_ view: PendingView<some CommittedState>, _ objectIDs: [String: ManagedObjectID]) throws {
        let titles = Dictionary(uniqueKeysWithValues: objectIDs.map { ($1, $0) })
        var texts: [String: String] = [:]
        for (title, objectID) in objectIDs where try view.isPresent(objectID) {
            texts[title] = "here"
            for relationship in objectID.entity.relationships {
                let names = try view.related(objectID, relationship).map { titles[$0] ?? "?" }
                texts["\(title).\(relationship.name)"] = (relationship.isOrdered ? names : names.sorted()).joined(
                    separator: " "
                )
            }
        }
        self.init(texts: texts)
    }
}

/// What is pending of playlists, and the notes, by title.
struct PlaylistsChanges: Equatable, Sendable {
    private var inserted: Set<String> = []
    private var deleted: Set<String> = []
    /// The properties that differ from what is committed.
    private var changed: Set<String> = []
    private var notes: [String: Value] = [:]

    init(_ context: ManagedObjectContext) throws {
        inserted = Set(try context.insertedObjects.map { try $0.caption })
        // A step that is undone takes the title back as well.
        deleted = Set(
            try context.deletedObjects.map { try "\($0.committedValues(forKeys: ["title"])["title"] ?? .null)" }
        )
        for object in context.updatedObjects {
            for name in object.changedValues.keys { changed.insert("\(try object.caption).\(name)") }
        }
        for entity in Playlists.entities {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                notes[try object.caption] = try object.value(forKey: "note")
            }
        }
    }

    fileprivate init(_ view: PendingView<some CommittedState>, _ objectIDs: [String: ManagedObjectID]) throws {
        for (title, objectID) in objectIDs {
            let committed = try view.committed.committedRow(of: objectID)
            guard try view.isPresent(objectID) else {
                if committed != nil { deleted.insert("\(Value.string(title))") }
                continue
            }
            notes[title] = try view.value(of: objectID, attribute: objectID.entity.slot("note"))
            guard committed != nil else {
                inserted.insert(title)
                continue
            }
            for name in try view.changedProperties(of: objectID) { changed.insert("\(title).\(name)") }
        }
    }

    func difference(from other: PlaylistsChanges) -> String {
        var lines: [String] = []
        func compare(_ what: String, _ one: Set<String>, _ two: Set<String>) {
            guard one != two else { return }
            lines.append("\(what): \(one.subtracting(two).sorted()) | \(two.subtracting(one).sorted())")
        }
        compare("inserted", inserted, other.inserted)
        compare("deleted", deleted, other.deleted)
        compare("changed", changed, other.changed)
        for title in Set(notes.keys).union(other.notes.keys).sorted() where notes[title] != other.notes[title] {
            let one = notes[title]
            let two = other.notes[title]
            lines.append("note of \(title): \(one.map { "\($0)" } ?? "–") | \(two.map { "\($0)" } ?? "–")")
        }
        return lines.joined(separator: "\n")
    }
}
