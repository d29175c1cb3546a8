// SPDX-License-Identifier: Apache-2.0

// The fixture world with pending changes as one value, to compare the engine with: objects are numbers.

import Predicates

@testable import ObjectGraph

/// A pending state over a committed fixture world, and the changes of a child that is open.
struct PendingGraph {
    private(set) var committed = MemoryState()
    private(set) var state = PendingState()
    private(set) var history = PendingHistory()
    private var child: PendingState?
    /// The changes when the present event began.
    private var eventStart = PendingState()
    private var objectIDs: [Int: ManagedObjectID] = [:]

    private struct Unknown: Error {
        let name: String
    }

    // MARK: Changes

    mutating func insert(_ name: String, _ number: Int) throws {
        guard let entity = try World.model.get().entity(named: name) else { throw Unknown(name: name) }
        let objectID = MemoryState.objectID(entity, number)
        objectIDs[number] = objectID
        try make(.insert(objectID, PendingInsertion(initial: Row(of: entity), number: number)))
    }

    mutating func setViews(_ number: Int, _ views: Int64) throws {
        let post = try objectID(number)
        try make(.setAttribute(post, slot: post.entity.slot("views"), .integer(views)))
    }

    mutating func relate(_ number: Int, _ name: String, _ other: Int) throws {
        let relationship = try relationship(of: number, name)
        let destination = try objectID(other)
        guard relationship.isToMany else {
            return try make(.setToOne(objectID(number), slot: relationship.slot, destination))
        }
        try make(.add(destination, to: MemberSlot(owner: objectID(number), slot: relationship.slot), at: nil))
    }

    mutating func unrelate(_ number: Int, _ name: String, _ other: Int) throws {
        let relationship = try relationship(of: number, name)
        guard relationship.isToMany else {
            return try make(.setToOne(objectID(number), slot: relationship.slot, nil))
        }
        try make(.remove(objectID(other), from: MemberSlot(owner: objectID(number), slot: relationship.slot)))
    }

    mutating func delete(_ number: Int) throws { try make(.delete(objectID(number))) }

    private mutating func make(_ edit: PendingEdit) throws {
        if var changes = child {
            try changes.apply(edit, over: state.view(over: committed))
            child = changes
        } else {
            try state.apply(edit, over: committed)
        }
    }

    // MARK: Events

    /// - Parameter isStep: whether the changes since the last event are a step for undo.
    mutating func endEvent(isStep: Bool) {
        if isStep { history.append(eventStart.diff(to: state)) }
        eventStart = state
    }

    mutating func undo() throws {
        try history.undo(&state, over: committed)
        eventStart = state
    }

    mutating func redo() throws {
        try history.redo(&state, over: committed)
        eventStart = state
    }

    mutating func save() throws {
        let saved = try committed.saving(state)
        history = try history.saved(state, from: committed, to: saved)
        committed = saved
        state = PendingState()
        eventStart = state
    }

    mutating func rollback() {
        state = PendingState()
        history = PendingHistory()
        eventStart = state
    }

    mutating func beginChild() { child = PendingState() }

    mutating func saveChild() throws {
        guard let changes = child else { return }
        try state.absorb(changes, over: committed)
        child = nil
    }

    // MARK: What is shown

    private func objectID(_ number: Int) throws -> ManagedObjectID {
        guard let objectID = objectIDs[number] else { throw Unknown(name: "\(number)") }
        return objectID
    }

    private func relationship(of number: Int, _ name: String) throws -> RelationshipDescription {
        guard let relationship = try objectID(number).entity.relationship(named: name) else {
            throw Unknown(name: name)
        }
        return relationship
    }

    /// What isn't as in a plain graph, or nil.
    func difference(from plain: PlainGraph) throws -> String? {
        let view = try state.view(over: committed)
        guard let child else { return try difference(of: view, from: plain) }
        return try difference(of: child.view(over: view), from: plain)
    }

    /// What isn't committed as in a plain graph, or nil.
    func committedDifference(from plain: PlainGraph) throws -> String? {
        try difference(of: PendingState().view(over: committed), from: plain)
    }

    private func difference(of view: PendingView<some CommittedState>, from plain: PlainGraph) throws -> String? {
        for (number, objectID) in objectIDs {
            let isPresent = try view.isPresent(objectID)
            guard isPresent == (plain.entities[number] != nil) else { return "\(number) is there: \(isPresent)" }
            guard isPresent else { continue }
            for relationship in objectID.entity.relationships {
                let related = try view.related(objectID, relationship).map(\.number)
                let expected = plain.related(number, relationship.name)
                guard related.count == expected.count, Set(related) == expected else {
                    return "\(number).\(relationship.name): \(related) | \(expected)"
                }
            }
            if objectID.entity.name == "Post" {
                let views = try view.value(of: objectID, attribute: objectID.entity.slot("views"))
                guard views == .integer(plain.views[number] ?? 0) else { return "views of \(number)" }
            }
        }
        return nil
    }
}
