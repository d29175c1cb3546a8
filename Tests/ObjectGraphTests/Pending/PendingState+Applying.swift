// SPDX-License-Identifier: Apache-2.0

// What setters, insertions and deletions do to a pending state.

import Predicates

@testable import ObjectGraph

/// A change that is asked for. The objects named are there, and are not deleted.
enum PendingEdit: Sendable {
    case insert(ManagedObjectID, PendingInsertion)
    case delete(ManagedObjectID)
    /// Takes back a deletion that was asked for.
    case restore(ManagedObjectID)
    case setAttribute(ManagedObjectID, slot: Int, Value)
    case setToOne(ManagedObjectID, slot: Int, ManagedObjectID?)
    /// At the end, where the order counts, unless a place is given.
    case add(ManagedObjectID, to: MemberSlot, at: Int?)
    case remove(ManagedObjectID, from: MemberSlot)
    case setMembers(MemberSlot, [ManagedObjectID])
}

extension PendingState {
    /// Makes a change; returns the step that it is. A fact that says what is committed now is none.
    @discardableResult
    mutating func apply(
        _ edit: PendingEdit,
        over committed: some CommittedState
    ) throws(GraphError) -> PendingDiff {
        var writer = FactWriter(committed: committed)
        switch edit {
        case .insert(let objectID, let insertion):
            try writer.set(.insertion(objectID), to: .insertion(insertion), in: &self)
        case .delete(let objectID): try writer.set(.deletion(objectID), to: .deletion, in: &self)
        case .restore(let objectID): try writer.set(.deletion(objectID), to: nil, in: &self)
        case .setAttribute(let objectID, let slot, let value):
            let base = try rowBeneath(objectID, over: committed)?.row.attributes[slot] ?? .null
            let fact = value == base ? nil : PendingFact.attribute(value, base: base)
            try writer.set(.attribute(objectID, slot: slot), to: fact, in: &self)
        case .setToOne(let objectID, let slot, let destination):
            try writer.link(objectID, objectID.entity.toOnes[slot], to: destination, in: &self)
        case .add(let member, to: let slot, at: let index):
            try writer.add(member, to: slot, in: &self)
            if let index { try writer.place(member, in: slot, at: index, &self) }
        case .remove(let member, from: let slot): try writer.remove(member, from: slot, in: &self)
        case .setMembers(let slot, let members): try writer.setMembers(of: slot, to: members, in: &self)
        }
        return writer.step
    }
}

/// Writes facts over a committed state, and keeps the step that they are.
private struct FactWriter<Committed: CommittedState> {
    let committed: Committed
    private(set) var step = PendingDiff()

    init(committed: Committed) { self.committed = committed }

    mutating func set(_ key: PendingKey, to fact: PendingFact?, in state: inout PendingState) throws(GraphError) {
        let before = state.facts[key]
        guard before != fact else { return }
        var base = key.changedObject.flatMap { state.bases[$0] }
        if base == nil, let objectID = key.changedObject { base = try committed.committedRow(of: objectID) }
        state.set(key, to: fact, base: base)
        step.record(key, before: before, after: fact, base: base)
    }

    // MARK: To-one relationships

    mutating func link(
        _ objectID: ManagedObjectID,
        _ relationship: RelationshipDescription,
        to destination: ManagedObjectID?,
        in state: inout PendingState
    ) throws(GraphError) {
        let former = try state.claim(of: objectID, toOne: relationship.slot, over: committed)
        try setClaim(of: objectID, relationship.slot, to: destination, in: &state)
        if relationship.isOneToOne {
            if let former, former != destination { try unlink(former, from: objectID, relationship, in: &state) }
            guard let destination, let back = destination.relationship(inverseTo: relationship) else { return }
            let other = try state.claim(of: destination, toOne: back.slot, over: committed)
            if let other, other != objectID { try unlink(other, from: destination, back, in: &state) }
            try setClaim(of: destination, back.slot, to: objectID, in: &state)
        } else if let inverse = relationship.inverse, inverse.isOrdered, former != destination {
            if let former { try forget(objectID, in: MemberSlot(owner: former, slot: inverse.slot), &state) }
            if let destination {
                let isReturning =
                    try committed.committedRow(of: objectID)?.row.toOnes[relationship.slot] == destination
                let slot = MemberSlot(owner: destination, slot: inverse.slot)
                try append(objectID, to: slot, isReturning: isReturning, in: &state)
            }
        }
    }

    /// Ends a claim on an object that has another partner now, if a fact makes it; a committed one follows.
    private mutating func unlink(
        _ former: ManagedObjectID,
        from objectID: ManagedObjectID,
        _ relationship: RelationshipDescription,
        in state: inout PendingState
    ) throws(GraphError) {
        guard let back = former.relationship(inverseTo: relationship),
            state.destination(of: former, toOne: back.slot) == .some(objectID)
        else { return }
        try setClaim(of: former, back.slot, to: nil, in: &state)
    }

    private mutating func setClaim(
        of objectID: ManagedObjectID,
        _ slot: Int,
        to destination: ManagedObjectID?,
        in state: inout PendingState
    ) throws(GraphError) {
        let base = try state.rowBeneath(objectID, over: committed)?.row.toOnes[slot]
        let fact = destination == base ? nil : PendingFact.toOne(destination, base: base)
        try set(.toOne(objectID, slot: slot), to: fact, in: &state)
    }

    // MARK: To-many relationships

    mutating func add(
        _ member: ManagedObjectID,
        to slot: MemberSlot,
        in state: inout PendingState
    ) throws(GraphError) {
        let relationship = slot.relationship
        if let inverse = relationship.inverseToOne {
            return try link(member, member.entity.toOnes[inverse.slot], to: slot.owner, in: &state)
        }
        let pair = MemberPair(owner: slot.owner, relationship, member: member)
        guard try !state.isPair(pair, over: committed) else { return }
        let isReturning = try committed.isCommittedMember(member, of: slot.owner, relationship)
        try set(.pair(pair), to: isReturning ? nil : .pair(isAdded: true), in: &state)
        if relationship.isOrdered { try append(member, to: slot, isReturning: isReturning, in: &state) }
        if let inverse = relationship.inverse, inverse.isOrdered {
            let back = MemberSlot(owner: member, slot: inverse.slot)
            if back != slot || member != slot.owner {
                try append(slot.owner, to: back, isReturning: isReturning, in: &state)
            }
        }
    }

    mutating func remove(
        _ member: ManagedObjectID,
        from slot: MemberSlot,
        in state: inout PendingState
    ) throws(GraphError) {
        let relationship = slot.relationship
        if let inverse = relationship.inverseToOne {
            guard try state.claim(of: member, toOne: inverse.slot, over: committed) == slot.owner else { return }
            return try link(member, member.entity.toOnes[inverse.slot], to: nil, in: &state)
        }
        let pair = MemberPair(owner: slot.owner, relationship, member: member)
        guard try state.isPair(pair, over: committed) else { return }
        let isCommitted = try committed.isCommittedMember(member, of: slot.owner, relationship)
        try set(.pair(pair), to: isCommitted ? .pair(isAdded: false) : nil, in: &state)
        try forget(member, in: slot, &state)
        if let inverse = relationship.inverse {
            try forget(slot.owner, in: MemberSlot(owner: member, slot: inverse.slot), &state)
        }
    }

    mutating func setMembers(
        of slot: MemberSlot,
        to members: [ManagedObjectID],
        in state: inout PendingState
    ) throws(GraphError) {
        let wanted = Set(members)
        let present = try state.view(over: committed).members(of: slot)
        for member in present where !wanted.contains(member) { try remove(member, from: slot, in: &state) }
        let known = Set(present)
        for member in members where !known.contains(member) { try add(member, to: slot, in: &state) }
        if slot.relationship.isOrdered { try arrange(slot, members, &state) }
    }

    // MARK: Order

    /// Puts a member behind all others.
    ///
    /// - Parameter isReturning: whether the committed order has another place for it.
    private mutating func append(
        _ member: ManagedObjectID,
        to slot: MemberSlot,
        isReturning: Bool,
        in state: inout PendingState
    ) throws(GraphError) {
        let order = state.order(of: slot)
        if case .all = order { return try arrange(slot, moving: member, &state) }
        guard !isReturning else { return try arrange(slot, moving: member, &state) }
        let added = (order?.members ?? []).filter { $0 != member } + [member]
        try set(.order(slot), to: .order(.added(added)), in: &state)
    }

    private mutating func arrange(
        _ slot: MemberSlot,
        moving member: ManagedObjectID,
        _ state: inout PendingState
    ) throws(GraphError) {
        let linked = try state.view(over: committed).linkedMembers(of: slot)
        try arrange(slot, linked.filter { $0 != member } + [member], &state)
    }

    mutating func place(
        _ member: ManagedObjectID,
        in slot: MemberSlot,
        at index: Int,
        _ state: inout PendingState
    ) throws(GraphError) {
        guard slot.relationship.isOrdered else { return }
        let view = try state.view(over: committed)
        var shown = try view.members(of: slot)
        shown.removeAll { $0 == member }
        var all = try view.linkedMembers(of: slot)
        all.removeAll { $0 == member }
        let place = index < shown.count ? all.firstIndex(of: shown[index]) : nil
        all.insert(member, at: place ?? all.count)
        try arrange(slot, all, &state)
    }

    private mutating func forget(
        _ member: ManagedObjectID,
        in slot: MemberSlot,
        _ state: inout PendingState
    ) throws(GraphError) {
        guard let order = state.order(of: slot), order.members.contains(member) else { return }
        let view = try state.view(over: committed)
        try arrange(slot, view.order(of: slot, by: order.without(member)), &state)
    }

    private mutating func arrange(
        _ slot: MemberSlot,
        _ order: [ManagedObjectID],
        _ state: inout PendingState
    ) throws(GraphError) {
        let intent = try state.view(over: committed).intent(order, of: slot)
        try set(.order(slot), to: intent.map(PendingFact.order), in: &state)
    }
}
