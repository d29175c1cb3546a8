// SPDX-License-Identifier: Apache-2.0

// The changes of a child made those of its parent.

import Predicates

@testable import ObjectGraph

extension PendingState {
    /// Takes in the changes of a child, whose committed state is this one's view. The view is then what the child's was.
    mutating func absorb(_ child: PendingState, over committed: some CommittedState) throws(GraphError) {
        let beneath = try view(over: committed)
        let shown = try child.view(over: beneath)
        let facts = try child.pruned(over: beneath).facts
        var returning = OrderedMembers(shown.kept)
        // Values are laid over what new objects begin with.
        for (key, fact) in facts {
            guard case .insertion(let objectID) = key else { continue }
            returning.append(objectID)
            if try committed.committedRow(of: objectID) == nil { set(key, to: fact, base: nil) }
        }
        for (key, fact) in facts where !shown.yielded.contains(key) {
            switch (key, fact) {
            case (.attribute(let objectID, let slot), .attribute(let value, base: _)):
                let row = try rowBeneath(objectID, over: committed)
                let base = row?.row.attributes[slot] ?? .null
                let isRedundant = try isRedundant(objectID, isSame: value == base, over: committed)
                set(key, to: isRedundant ? nil : .attribute(value, base: base), base: row)
            case (.toOne(let objectID, let slot), .toOne(let destination, base: _)):
                let row = try rowBeneath(objectID, over: committed)
                let base = row?.row.toOnes[slot]
                let isRedundant = try isRedundant(objectID, isSame: destination == base, over: committed)
                set(key, to: isRedundant ? nil : .toOne(destination, base: base), base: row)
            case (.pair(let pair), .pair(let isAdded)):
                let isCommitted = try committed.isCommittedMember(pair.member, of: pair.owner, pair.relationship)
                set(key, to: isAdded == isCommitted ? nil : fact, base: nil)
            case (.deletion(let objectID), _): set(key, to: fact, base: try committed.committedRow(of: objectID))
            default: break
            }
        }
        for objectID in returning where try shown.isPresent(objectID) {
            try absorbReturning(objectID, shown, over: committed)
        }
        // A change of the child may end what kept an object that the child shows.
        let after = try view(over: committed)
        for objectID in beneath.kept where try !after.exists(objectID) {
            guard try shown.isPresent(objectID),
                let slot = objectID.entity.attributes.first(where: \.isPersistent)?.slot,
                let value = try shown.value(of: objectID, attribute: slot)
            else { continue }
            set(
                .attribute(objectID, slot: slot),
                to: .attribute(value, base: value),
                base: beneath.pending.bases[objectID]
            )
        }
        // What yields here shows what the child has left.
        for case .toOne(let objectID, let slot) in after.yielded {
            let destination = try shown.destination(of: objectID, toOne: slot)
            guard try after.destination(of: objectID, toOne: slot) != destination else { continue }
            let row = try rowBeneath(objectID, over: committed)
            set(.toOne(objectID, slot: slot), to: .toOne(destination, base: row?.row.toOnes[slot]), base: row)
        }
        try absorbOrders(shown, over: committed)
    }

    /// Whether a child's value is no change here. The changes of an object whose row others have deleted are what keeps it.
    private func isRedundant(
        _ objectID: ManagedObjectID,
        isSame: Bool,
        over committed: some CommittedState
    ) throws(GraphError) -> Bool {
        guard isSame else { return false }
        if insertion(of: objectID) != nil { return true }
        return try committed.committedRow(of: objectID) != nil
    }

    /// Has an object be what the child shows that may have been deleted here, or by others.
    private mutating func absorbReturning(
        _ objectID: ManagedObjectID,
        _ shown: PendingView<some CommittedState>,
        over committed: some CommittedState
    ) throws(GraphError) {
        set(.deletion(objectID), to: nil, base: nil)
        let row = try committed.committedRow(of: objectID)
        if row == nil, bases[objectID] == nil, let base = shown.pending.bases[objectID] {
            setBase(of: objectID, to: base)
        }
        for attribute in objectID.entity.attributes where !attribute.isDerived {
            let slot = attribute.slot
            let value = try shown.value(of: objectID, attribute: slot) ?? .null
            let base = try rowBeneath(objectID, over: committed)?.row.attributes[slot] ?? .null
            guard value != self.value(of: objectID, attribute: slot) ?? base else { continue }
            let isRedundant = try isRedundant(objectID, isSame: value == base, over: committed)
            set(.attribute(objectID, slot: slot), to: isRedundant ? nil : .attribute(value, base: base), base: row)
        }
        for relationship in objectID.entity.toOnes {
            let slot = relationship.slot
            let destination = try shown.destination(of: objectID, toOne: slot)
            guard try claim(of: objectID, toOne: slot, over: committed) != destination else { continue }
            let base = try rowBeneath(objectID, over: committed)?.row.toOnes[slot]
            set(.toOne(objectID, slot: slot), to: .toOne(destination, base: base), base: row)
        }
        let linked = try view(over: committed)
        for relationship in objectID.entity.toManys where relationship.isManyToMany {
            let slot = MemberSlot(owner: objectID, slot: relationship.slot)
            let members = Set(try shown.linkedMembers(of: slot))
            for member in try linked.linkedMembers(of: slot) where !members.contains(member) {
                let isCommitted = try committed.isCommittedMember(member, of: objectID, relationship)
                let pair = MemberPair(owner: objectID, relationship, member: member)
                set(.pair(pair), to: isCommitted ? .pair(isAdded: false) : nil, base: nil)
            }
        }
    }

    /// Lists members that the child added behind those that were added here, unless it has arranged them otherwise.
    private mutating func absorbOrders(
        _ shown: PendingView<some CommittedState>,
        over committed: some CommittedState
    ) throws(GraphError) {
        var slots = OrderedMembers<MemberSlot>()
        for key in Set(facts.keys).union(shown.pending.facts.keys) {
            if case .order(let slot) = key { slots.append(slot) }
        }
        let linked = try view(over: committed)
        for slot in slots {
            var order = try shown.linkedMembers(of: slot)
            let seen = Set(order)
            // Members that were deleted here stay behind their predecessors.
            let present = try linked.linkedMembers(of: slot)
            for (index, member) in present.enumerated() where !seen.contains(member) {
                let predecessor = present[..<index].last.flatMap(order.firstIndex)
                order.insert(member, at: predecessor.map { $0 + 1 } ?? 0)
            }
            let intent = try linked.intent(order, of: slot)
            set(.order(slot), to: intent.map(PendingFact.order), base: nil)
        }
    }
}
