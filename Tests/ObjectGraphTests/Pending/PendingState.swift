// SPDX-License-Identifier: Apache-2.0

// The changes of a context that aren't saved, as one value, apart from objects and from the committed state.

import Predicates

@testable import ObjectGraph

/// Pending changes: facts by key.
///
/// 1. Every fact stands once. A to-one relationship is its object's own. Members of a one-to-many relationship are no fact: they follow
///    from the members' to-ones. A many-to-many relationship, or one without an inverse, is a fact for each pair, under one name.
///    A link one-to-one has two halves, and is there if both say so.
/// 2. Facts are what was asked for. What follows from them over a committed state is derived by `PendingView`, and never stored: the
///    partner that is displaced, what the delete rules do, the members and their order. So both sides always agree.
/// 3. A fact stays as it is whatever others save. One that says what is committed too is dormant: no change, until the committed
///    state becomes another one. `pruned(over:)` forgets these.
/// 4. A value's fact remembers which committed value it replaced when it was set. Both having moved since is a contest.
/// 5. `bases` has, of each object that a fact changes or deletes, the last committed row that was seen, and of no other object.
/// 6. An order is an intent. It lists all members that were added to an ordered relationship here, and all others too if these were
///    arranged. Those that others add later stand behind them.
/// 7. A deletion changes no other fact. An object that is new and deleted keeps both facts: its deletion may lead to others.
struct PendingState: Equatable, Sendable {
    private(set) var facts: [PendingKey: PendingFact] = [:]
    private(set) var bases: [ManagedObjectID: CommittedRow] = [:]
    /// Whether changed objects that others have deleted stay, to be inserted again by a save.
    var keepsEdited = true

    init() {}

    var isEmpty: Bool { facts.isEmpty }
}

// MARK: Facts

extension PendingState {
    func insertion(of objectID: ManagedObjectID) -> PendingInsertion? {
        guard case .insertion(let insertion) = facts[.insertion(objectID)] else { return nil }
        return insertion
    }

    func isDeletionAsked(of objectID: ManagedObjectID) -> Bool { facts[.deletion(objectID)] != nil }

    func value(of objectID: ManagedObjectID, attribute slot: Int) -> Value? {
        guard case .attribute(let value, base: _) = facts[.attribute(objectID, slot: slot)] else { return nil }
        return value
    }

    /// What a to-one relationship was set to; nil if it wasn't set.
    func destination(of objectID: ManagedObjectID, toOne slot: Int) -> ManagedObjectID?? {
        guard case .toOne(let destination, base: _) = facts[.toOne(objectID, slot: slot)] else { return nil }
        return .some(destination)
    }

    func isAdded(_ pair: MemberPair) -> Bool? {
        guard case .pair(let isAdded) = facts[.pair(pair)] else { return nil }
        return isAdded
    }

    func order(of slot: MemberSlot) -> PendingOrder? {
        guard case .order(let order) = facts[.order(slot)] else { return nil }
        return order
    }

    /// Whether an object's row is changed or deleted by a fact.
    private func isChanged(_ objectID: ManagedObjectID) -> Bool {
        facts[.deletion(objectID)] != nil
            || objectID.entity.attributes.contains { facts[.attribute(objectID, slot: $0.slot)] != nil }
            || objectID.entity.toOnes.contains { facts[.toOne(objectID, slot: $0.slot)] != nil }
    }

    /// Replaces or removes a fact, and keeps invariant 5.
    ///
    /// - Parameter base: the last row seen of the changed object, or nil.
    mutating func set(_ key: PendingKey, to fact: PendingFact?, base: CommittedRow?) {
        facts[key] = fact
        guard let objectID = key.changedObject else { return }
        if fact != nil {
            if bases[objectID] == nil { bases[objectID] = base }
        } else if bases[objectID] != nil, !isChanged(objectID) {
            bases[objectID] = nil
        }
    }

    mutating func setBase(of objectID: ManagedObjectID, to base: CommittedRow) { bases[objectID] = base }
}

// MARK: Over a committed state

extension PendingState {
    /// The row that an object's facts are laid over, or nil.
    func rowBeneath(
        _ objectID: ManagedObjectID,
        over committed: some CommittedState
    ) throws(GraphError) -> CommittedRow? {
        if let row = try committed.committedRow(of: objectID) { return row }
        if let insertion = insertion(of: objectID) {
            return CommittedRow(version: insertion.formerVersion, row: insertion.initial)
        }
        return keepsEdited ? bases[objectID] : nil
    }

    /// What an object says of its to-one relationship, whether the other side agrees or not.
    func claim(
        of objectID: ManagedObjectID,
        toOne slot: Int,
        over committed: some CommittedState
    ) throws(GraphError) -> ManagedObjectID? {
        if let destination = destination(of: objectID, toOne: slot) { return destination }
        return try rowBeneath(objectID, over: committed)?.row.toOnes[slot]
    }

    /// Whether two objects are to be related, whatever was deleted.
    func isPair(_ pair: MemberPair, over committed: some CommittedState) throws(GraphError) -> Bool {
        if let isAdded = isAdded(pair) { return isAdded }
        return try committed.isCommittedMember(pair.member, of: pair.owner, pair.relationship)
    }
}
