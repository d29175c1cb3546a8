// SPDX-License-Identifier: Apache-2.0

// The steps that undo and redo take, and what a save makes of them.

import Predicates

@testable import ObjectGraph

/// Steps of a pending state.
struct PendingHistory: Equatable, Sendable {
    /// The last one last.
    private(set) var undoable: [PendingDiff] = []
    private(set) var redoable: [PendingDiff] = []

    init() {}

    mutating func append(_ step: PendingDiff) {
        undoable.append(step)
        redoable = []
    }

    mutating func undo(_ state: inout PendingState, over committed: some CommittedState) throws(GraphError) {
        guard let step = undoable.popLast() else { return }
        try state.undo(step, over: committed)
        redoable.append(step)
    }

    mutating func redo(_ state: inout PendingState, over committed: some CommittedState) throws(GraphError) {
        guard let step = redoable.popLast() else { return }
        try state.redo(step, over: committed)
        undoable.append(step)
    }

    /// The same steps after a save has made a pending state committed: each becomes the difference of what its states show, as changes to
    /// what is committed now. What the save didn't write still follows what others make of it.
    func saved(
        _ state: PendingState,
        from before: some CommittedState,
        to after: some CommittedState
    ) throws(GraphError) -> PendingHistory {
        let written = try state.view(over: before).saveRequest().objects
        let now = try state.transferred(from: before, to: after, writing: written)
        var saved = PendingHistory()
        var earlier = state
        var later = now
        for step in undoable.reversed() {
            try earlier.undo(step, over: before)
            let state = try earlier.transferred(from: before, to: after, writing: written)
            saved.undoable.append(state.diff(to: later).asSaved)
            later = state
        }
        saved.undoable.reverse()
        var next = state
        var former = now
        for step in redoable.reversed() {
            try next.redo(step, over: before)
            let state = try next.transferred(from: before, to: after, writing: written)
            saved.redoable.append(former.diff(to: state).asSaved)
            former = state
        }
        saved.redoable.reverse()
        return saved
    }
}

extension StoreSaveRequest {
    /// The objects whose rows or members it changes.
    fileprivate var objects: Set<ManagedObjectID> {
        var objects = Set(insertions.map(\.objectID) + updates.map(\.objectID) + deletions.map(\.objectID))
        for change in members { objects.formUnion([change.owner] + change.added + change.removed) }
        return objects
    }
}

extension PendingState {
    /// The changes that show over the state after a save what these show over the state before it.
    ///
    /// - Parameter written: the objects that the save has written.
    fileprivate func transferred(
        from before: some CommittedState,
        to after: some CommittedState,
        writing written: Set<ManagedObjectID>
    ) throws(GraphError) -> PendingState {
        let view = try view(over: before)
        var transfer = PendingTransfer(view: view, after: after)
        var objects = OrderedMembers(written)
        for key in facts.keys {
            for objectID in key.objects { objects.append(objectID) }
        }
        transfer.result.keepsEdited = keepsEdited
        for objectID in objects { try transfer.transferObject(objectID) }
        for objectID in objects { try transfer.transferPairs(of: objectID) }
        try transfer.transferOrders()
        return transfer.result
    }
}

/// Makes the facts that a view over one committed state is over a later one.
private struct PendingTransfer<Before: CommittedState, After: CommittedState> {
    let view: PendingView<Before>
    let after: After
    var result = PendingState()
    private var orders: Set<MemberSlot> = []

    init(view: PendingView<Before>, after: After) {
        self.view = view
        self.after = after
        for key in view.pending.facts.keys {
            if case .order(let slot) = key { orders.insert(slot) }
        }
    }

    mutating func transferObject(_ objectID: ManagedObjectID) throws(GraphError) {
        let shown = try view.committedRow(of: objectID)
        let stored = try after.committedRow(of: objectID)
        let former = try view.committed.committedRow(of: objectID)
        for row in [shown, stored, former].compactMap(\.self) {
            recordOwners(of: objectID, row.row)
        }
        guard let shown else {
            if let stored { try transferDeletion(of: objectID, stored) }
            return
        }
        guard let stored else {
            let asked = view.pending.insertion(of: objectID)
            let insertion = PendingInsertion(
                initial: shown.row,
                store: asked?.store,
                formerVersion: shown.version,
                number: asked?.number ?? 0
            )
            result.set(.insertion(objectID), to: .insertion(insertion), base: nil)
            return
        }
        for attribute in objectID.entity.attributes where !attribute.isDerived {
            let value = shown.row.attributes[attribute.slot]
            let base = stored.row.attributes[attribute.slot]
            guard value != base else { continue }
            result.set(
                .attribute(objectID, slot: attribute.slot),
                to: .attribute(value, base: base),
                base: stored
            )
        }
        for slot in shown.row.toOnes.indices where shown.row.toOnes[slot] != stored.row.toOnes[slot] {
            result.set(
                .toOne(objectID, slot: slot),
                to: .toOne(shown.row.toOnes[slot], base: stored.row.toOnes[slot]),
                base: stored
            )
        }
    }

    /// What follows from the deletion is to follow from the same links.
    private mutating func transferDeletion(of objectID: ManagedObjectID, _ stored: CommittedRow) throws(GraphError) {
        result.set(.deletion(objectID), to: .deletion, base: stored)
        let exists = try view.exists(objectID)
        for slot in stored.row.toOnes.indices {
            let claim = exists ? try view.pending.claim(of: objectID, toOne: slot, over: view.committed) : nil
            guard claim != stored.row.toOnes[slot] else { continue }
            let fact = PendingFact.toOne(claim, base: stored.row.toOnes[slot])
            result.set(.toOne(objectID, slot: slot), to: fact, base: stored)
        }
    }

    /// Whether an object is there afterwards, or to be brought back.
    private func isConcerned(_ objectID: ManagedObjectID) throws(GraphError) -> Bool {
        if try after.committedRow(of: objectID) != nil { return true }
        return try view.isPresent(objectID)
    }

    /// The order of an object's owners may have been written with it.
    private mutating func recordOwners(of objectID: ManagedObjectID, _ row: Row) {
        for relationship in objectID.entity.toOnes {
            guard let inverse = relationship.inverse, inverse.isOrdered, let owner = row.toOnes[relationship.slot]
            else {
                continue
            }
            orders.insert(MemberSlot(owner: owner, slot: inverse.slot))
        }
    }

    mutating func transferPairs(of objectID: ManagedObjectID) throws(GraphError) {
        for relationship in objectID.entity.toManys {
            if relationship.isOrdered { orders.insert(MemberSlot(owner: objectID, slot: relationship.slot)) }
            guard relationship.isManyToMany, try isConcerned(objectID) else { continue }
            let shown = try view.linkedMembers(of: MemberSlot(owner: objectID, slot: relationship.slot))
            let stored = try after.committedMembers(of: objectID, relationship)
            let before = Set(shown)
            let now = Set(stored)
            for member in shown where !now.contains(member) {
                guard try isConcerned(member) else { continue }
                set(MemberPair(owner: objectID, relationship, member: member), isAdded: true)
            }
            for member in stored where !before.contains(member) {
                guard try isConcerned(member) else { continue }
                set(MemberPair(owner: objectID, relationship, member: member), isAdded: false)
            }
        }
    }

    private mutating func set(_ pair: MemberPair, isAdded: Bool) {
        result.set(.pair(pair), to: .pair(isAdded: isAdded), base: nil)
        if pair.relationship.isOrdered { orders.insert(MemberSlot(owner: pair.owner, slot: pair.slot)) }
        if let back = pair.backSlot, back.relationship.isOrdered { orders.insert(back) }
    }

    mutating func transferOrders() throws(GraphError) {
        let unordered = try result.view(over: after)
        for slot in orders where try view.isPresent(slot.owner) {
            let intent = try unordered.intent(view.currentMembers(of: slot), of: slot)
            result.set(.order(slot), to: intent.map(PendingFact.order), base: nil)
        }
    }
}
