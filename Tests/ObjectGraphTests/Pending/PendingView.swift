// SPDX-License-Identifier: Apache-2.0

// What objects show: pending facts laid over a committed state, and all that follows from them.

import ObjectModel
import Predicates

@testable import ObjectGraph

/// A pending state over a committed one. It is a committed state itself, for the changes of a child.
///
/// 1. An object *exists* if it has a committed row, is inserted, or is *kept*: changed here after others deleted its row. It is *present* if
///    it exists and isn't deleted.
/// 2. A *link* is what facts and rows say, whatever was deleted. One-to-one it takes both halves. Nothing is linked to an object that
///    doesn't exist, but for committed to-ones that a rule of no action left there.
/// 3. What is deleted follows, by cascades along links, from the requested deletions.
/// 4. A to-one that was nil, and was set to an object that is deleted, *yields* to what is committed.
/// 5. A deletion *cuts* the links that its rules follow, and all links of an object that was never saved. A link is shown by both ends or
///    by neither.
///
/// The sets and lists here are derived and may be thrown away.
struct PendingView<Committed: CommittedState> {
    let pending: PendingState
    let committed: Committed
    /// Objects whose rows others have deleted, and that are there because they were changed.
    private(set) var kept: Set<ManagedObjectID> = []
    private(set) var deleted: Set<ManagedObjectID> = []
    /// To-ones that were nil and were set to objects that are deleted now: they are nil again, which is no change.
    private(set) var yielded: Set<PendingKey> = []
    /// The objects that say that they are members, for each relationship to many whose inverse is to one.
    private var claims: [MemberSlot: [ManagedObjectID]] = [:]
    /// The objects that were added to each many-to-many relationship.
    private var added: [MemberSlot: [ManagedObjectID]] = [:]
    private var removed: [MemberSlot: Set<ManagedObjectID>] = [:]

    init(_ pending: PendingState, over committed: Committed) throws(GraphError) {
        self.pending = pending
        self.committed = committed
        try findKept()
        try findMembers()
        try followDeletions()
    }

    private mutating func findKept() throws(GraphError) {
        guard pending.keepsEdited else { return }
        var candidates: Set<ManagedObjectID> = []
        var pointing: [(ManagedObjectID, ManagedObjectID?)] = []
        for (key, _) in pending.facts {
            guard let objectID = key.changedObject, pending.bases[objectID] != nil,
                pending.insertion(of: objectID) == nil, try committed.committedRow(of: objectID) == nil
            else { continue }
            switch key {
            case .attribute(_, let slot) where objectID.entity.attributes[slot].isPersistent:
                candidates.insert(objectID)
            case .toOne(_, let slot):
                pointing.append((objectID, pending.destination(of: objectID, toOne: slot) ?? nil))
            default: break
            }
        }
        kept = candidates
        // A to-one keeps an object if it refers to nothing, or to an object that is there itself and isn't deleted here.
        var count = -1
        while count != kept.count {
            count = kept.count
            for (objectID, destination) in pointing where !kept.contains(objectID) {
                guard let destination else {
                    kept.insert(objectID)
                    continue
                }
                if !pending.isDeletionAsked(of: destination), try exists(destination) { kept.insert(objectID) }
            }
        }
    }

    private mutating func findMembers() throws(GraphError) {
        for (key, fact) in pending.facts {
            switch (key, fact) {
            case (.toOne(let objectID, let slot), .toOne(let destination, base: _)):
                if try exists(objectID) { claim(objectID, slot, destination) }
            case (.insertion(let objectID), .insertion(let insertion)):
                if try committed.committedRow(of: objectID) == nil { claimUnset(objectID, insertion.initial) }
            case (.pair(let pair), .pair(let isAdded)):
                try link(pair, isAdded)
            default: break
            }
        }
        for objectID in kept {
            if let base = pending.bases[objectID] { claimUnset(objectID, base.row) }
        }
    }

    private mutating func claimUnset(_ objectID: ManagedObjectID, _ row: Row) {
        for slot in row.toOnes.indices where pending.destination(of: objectID, toOne: slot) == nil {
            claim(objectID, slot, row.toOnes[slot])
        }
    }

    private mutating func claim(_ objectID: ManagedObjectID, _ slot: Int, _ destination: ManagedObjectID?) {
        guard let destination, let inverse = objectID.entity.toOnes[slot].inverse, inverse.isToMany else { return }
        claims[MemberSlot(owner: destination, slot: inverse.slot), default: []].append(objectID)
    }

    private mutating func link(_ pair: MemberPair, _ isAdded: Bool) throws(GraphError) {
        var sides = [(MemberSlot(owner: pair.owner, slot: pair.slot), pair.member)]
        if let back = pair.backSlot, back != sides[0].0 || pair.member != pair.owner {
            sides.append((back, pair.owner))
        }
        if isAdded {
            guard try exists(pair.owner), try exists(pair.member) else { return }
            for (slot, member) in sides { added[slot, default: []].append(member) }
        } else {
            for (slot, member) in sides { removed[slot, default: []].insert(member) }
        }
    }

    private mutating func followDeletions() throws(GraphError) {
        var waiting: [ManagedObjectID] = []
        for case .deletion(let objectID) in pending.facts.keys { waiting.append(objectID) }
        while let objectID = waiting.popLast() {
            guard try exists(objectID), deleted.insert(objectID).inserted else { continue }
            for relationship in objectID.entity.relationships {
                let others = try linked(objectID, relationship)
                if relationship.deleteRule == .cascade {
                    waiting += others
                } else {
                    waiting += try yield(others, to: objectID, relationship)
                }
            }
        }
    }

    /// Has to-ones that were nil before they were set to a deleted object refer to what is committed. Returns the objects that follow
    /// a deletion by that.
    private mutating func yield(
        _ others: [ManagedObjectID],
        to objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        guard let inverse = relationship.inverseToOne, try cuts(objectID, relationship) else { return [] }
        var following: [ManagedObjectID] = []
        for other in others {
            let key = PendingKey.toOne(other, slot: inverse.slot)
            guard pending.facts[key] == .toOne(objectID, base: nil),
                let destination = try committed.committedRow(of: other)?.row.toOnes[inverse.slot]
            else { continue }
            yielded.insert(key)
            let back = destination.relationship(inverseTo: other.entity.toOnes[inverse.slot])
            if deleted.contains(destination), back?.deleteRule == .cascade { following.append(other) }
        }
        return following
    }
}

extension PendingState {
    func view<Committed: CommittedState>(
        over committed: Committed
    ) throws(GraphError) -> PendingView<Committed> {
        try PendingView(self, over: committed)
    }
}

// MARK: Objects

extension PendingView {
    func exists(_ objectID: ManagedObjectID) throws(GraphError) -> Bool {
        if kept.contains(objectID) || pending.insertion(of: objectID) != nil { return true }
        return try committed.committedRow(of: objectID) != nil
    }

    func isPresent(_ objectID: ManagedObjectID) throws(GraphError) -> Bool {
        if deleted.contains(objectID) { return false }
        return try exists(objectID)
    }

    func isNeverSaved(_ objectID: ManagedObjectID) throws(GraphError) -> Bool {
        guard pending.insertion(of: objectID) != nil else { return false }
        return try committed.committedRow(of: objectID) == nil
    }

    /// The row that facts about an existing object are laid over.
    func rowBeneath(_ objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        guard try exists(objectID) else { return nil }
        return try pending.rowBeneath(objectID, over: committed)
    }

    func value(of objectID: ManagedObjectID, attribute slot: Int) throws(GraphError) -> Value? {
        guard try isPresent(objectID) else { return nil }
        if let value = pending.value(of: objectID, attribute: slot) { return value }
        return try rowBeneath(objectID)?.row.attributes[slot]
    }

    /// The object that a to-one relationship shows.
    func destination(of objectID: ManagedObjectID, toOne slot: Int) throws(GraphError) -> ManagedObjectID? {
        let relationship = objectID.entity.toOnes[slot]
        guard let destination = try linkedDestination(of: objectID, relationship),
            try isShown(objectID, relationship, destination)
        else { return nil }
        return destination
    }

    /// The objects that a relationship shows.
    func related(
        _ objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        if relationship.isToMany { return try members(of: MemberSlot(owner: objectID, slot: relationship.slot)) }
        return try destination(of: objectID, toOne: relationship.slot).map { [$0] } ?? []
    }

    /// The members that a to-many relationship shows, in their order where that counts.
    func members(of slot: MemberSlot) throws(GraphError) -> [ManagedObjectID] {
        var members: [ManagedObjectID] = []
        let relationship = slot.relationship
        for member in try linkedMembers(of: slot) where try isShown(slot.owner, relationship, member) {
            members.append(member)
        }
        return members
    }

    /// Whether the deletion of either end leaves a link there.
    private func isShown(
        _ objectID: ManagedObjectID,
        _ relationship: RelationshipDescription,
        _ other: ManagedObjectID
    ) throws(GraphError) -> Bool {
        guard !deleted.isEmpty else { return true }
        if let back = other.relationship(inverseTo: relationship) {
            if try cuts(objectID, relationship) { return false }
            return try !cuts(other, back)
        }
        return deleted.contains(other) ? try !isNeverSaved(other) : true
    }

    private func cuts(_ objectID: ManagedObjectID, _ relationship: RelationshipDescription) throws(GraphError) -> Bool {
        guard deleted.contains(objectID) else { return false }
        return relationship.isFollowedByDeletion ? true : try isNeverSaved(objectID)
    }
}

// MARK: Links, whatever was deleted

extension PendingView {
    func linked(
        _ objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        if relationship.isToMany {
            return try linkedMembers(of: MemberSlot(owner: objectID, slot: relationship.slot))
        }
        return try linkedDestination(of: objectID, relationship).map { [$0] } ?? []
    }

    func linkedDestination(
        of objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> ManagedObjectID? {
        guard try exists(objectID),
            let destination = try claim(of: objectID, toOne: relationship.slot)
        else { return nil }
        let isCommitted = try isClaimCommitted(of: objectID, toOne: relationship.slot)
        guard relationship.isOneToOne || !isCommitted else { return destination }
        guard try exists(destination) else { return isCommitted ? destination : nil }
        guard let back = relationship.inverseToOne else { return destination }
        let answer = try claim(of: destination, toOne: back.slot)
        return answer == objectID ? destination : nil
    }

    /// What a to-one relationship was set to; nil if it wasn't set, or yields.
    private func setDestination(of objectID: ManagedObjectID, toOne slot: Int) -> ManagedObjectID?? {
        let isYielded = !yielded.isEmpty && yielded.contains(.toOne(objectID, slot: slot))
        return isYielded ? nil : pending.destination(of: objectID, toOne: slot)
    }

    private func claim(of objectID: ManagedObjectID, toOne slot: Int) throws(GraphError) -> ManagedObjectID? {
        if let destination = setDestination(of: objectID, toOne: slot) { return destination }
        return try pending.rowBeneath(objectID, over: committed)?.row.toOnes[slot]
    }

    /// Whether a to-one relationship is as its committed row says.
    private func isClaimCommitted(of objectID: ManagedObjectID, toOne slot: Int) throws(GraphError) -> Bool {
        if setDestination(of: objectID, toOne: slot) != nil { return false }
        return try committed.committedRow(of: objectID) != nil
    }

    func linkedMembers(of slot: MemberSlot) throws(GraphError) -> [ManagedObjectID] {
        guard try exists(slot.owner) else { return [] }
        let (committed, added) = try parts(of: slot)
        guard slot.relationship.isOrdered else { return committed + added }
        return Self.arrange(committed, added, by: pending.order(of: slot))
    }

    /// The linked members that are committed, and those that aren't.
    private func parts(
        of slot: MemberSlot
    ) throws(GraphError) -> (committed: [ManagedObjectID], added: [ManagedObjectID]) {
        let relationship = slot.relationship
        let before = try committed.committedMembers(of: slot.owner, relationship)
        var staying: [ManagedObjectID] = []
        var coming: [ManagedObjectID]
        if let inverse = relationship.inverseToOne {
            for member in before
            where setDestination(of: member, toOne: inverse.slot).map({ $0 == slot.owner }) ?? true {
                staying.append(member)
            }
            coming = claims[slot] ?? []
        } else {
            let removed = removed[slot] ?? []
            staying = before.filter { !removed.contains($0) }
            coming = added[slot] ?? []
        }
        let known = Set(staying)
        coming.removeAll(where: known.contains)
        if coming.count > 1, relationship.isOrdered {
            // Facts have no order.
            coming.sort { $0.uri < $1.uri }
        }
        return (staying, coming)
    }

    /// The ordered relationships that objects come to by what they say themselves.
    func orderedArrivals() throws(GraphError) -> [MemberSlot] {
        var slots: [MemberSlot] = []
        for slot in claims.keys where slot.relationship.isOrdered {
            if try isPresent(slot.owner), try hasAdded(slot) { slots.append(slot) }
        }
        return slots
    }

    /// Whether members were added here.
    func hasAdded(_ slot: MemberSlot) throws(GraphError) -> Bool { try !parts(of: slot).added.isEmpty }

    /// The order that linked members come to with an intended one.
    func order(of slot: MemberSlot, by order: PendingOrder?) throws(GraphError) -> [ManagedObjectID] {
        let (committed, added) = try parts(of: slot)
        return Self.arrange(committed, added, by: order)
    }

    private static func arrange(
        _ committed: [ManagedObjectID],
        _ added: [ManagedObjectID],
        by order: PendingOrder?
    ) -> [ManagedObjectID] {
        switch order {
        case .added(let order): OrderedMembers(committed + order.filter(Set(added).contains) + added).members
        case .all(let order):
            OrderedMembers(order.filter(Set(committed).union(added).contains) + committed + added).members
        case nil: committed + added
        }
    }

    /// What is to be asked for so that members stand in an order: nothing, the order of those that were added, or that of all.
    func intent(_ order: [ManagedObjectID], of slot: MemberSlot) throws(GraphError) -> PendingOrder? {
        let (committed, added) = try parts(of: slot)
        let arranged = Self.arrange(committed, added, by: .all(order))
        let coming = Set(added)
        let arrivals = arranged.filter(coming.contains)
        if arranged == committed + arrivals { return arrivals.isEmpty ? nil : .added(arrivals) }
        return .all(arranged)
    }

    /// The same intent as far as it says something that the committed order doesn't say.
    func effectiveOrder(of slot: MemberSlot) throws(GraphError) -> PendingOrder? {
        guard let order = pending.order(of: slot), try exists(slot.owner) else { return nil }
        return try intent(self.order(of: slot, by: order), of: slot)
    }
}

// MARK: As a committed state

extension PendingView: CommittedState {
    func committedRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        guard try isPresent(objectID) else { return nil }
        return try shownRow(of: objectID)
    }

    func formerRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        try deleted.contains(objectID) ? shownRow(of: objectID) : committed.formerRow(of: objectID)
    }

    private func shownRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        guard var shown = try rowBeneath(objectID) else { return nil }
        for slot in shown.row.attributes.indices {
            if let value = pending.value(of: objectID, attribute: slot) { shown.row.attributes[slot] = value }
        }
        for slot in shown.row.toOnes.indices {
            shown.row.toOnes[slot] = try destination(of: objectID, toOne: slot)
        }
        return shown
    }

    func committedMembers(
        of owner: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        // An object that was deleted may still be referred to.
        guard try exists(owner) else { return try committed.committedMembers(of: owner, relationship) }
        return try members(of: MemberSlot(owner: owner, slot: relationship.slot))
    }
}
