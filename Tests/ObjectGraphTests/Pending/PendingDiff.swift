// SPDX-License-Identifier: Apache-2.0

// The difference of two pending states: a step that undo takes back.

import Predicates

@testable import ObjectGraph

/// What facts were before and after a step.
struct PendingDiff: Equatable, Sendable {
    struct Change: Equatable, Sendable {
        var before: PendingFact?
        var after: PendingFact?
    }

    private(set) var changes: [PendingKey: Change] = [:]
    /// The rows that objects were seen with last.
    private(set) var bases: [ManagedObjectID: CommittedRow] = [:]
    /// Whether the step was saved. Its values don't bring back objects that others have deleted since.
    var isSaved = false

    init() {}

    var isEmpty: Bool { changes.isEmpty }

    /// The step that takes this one back.
    var inverted: PendingDiff {
        var inverted = self
        inverted.changes = changes.mapValues { Change(before: $0.after, after: $0.before) }
        return inverted
    }

    var asSaved: PendingDiff {
        var saved = self
        saved.isSaved = true
        return saved
    }

    mutating func record(_ key: PendingKey, before: PendingFact?, after: PendingFact?, base: CommittedRow?) {
        let first = changes[key].map(\.before) ?? before
        changes[key] = first == after ? nil : Change(before: first, after: after)
        if let objectID = key.changedObject, let base { bases[objectID] = base }
    }

    /// Makes one step of this one and another that follows it.
    mutating func append(_ next: PendingDiff) {
        for (key, change) in next.changes {
            record(key, before: change.before, after: change.after, base: key.changedObject.flatMap { next.bases[$0] })
        }
    }
}

extension PendingState {
    func diff(to other: PendingState) -> PendingDiff {
        var diff = PendingDiff()
        for key in Set(facts.keys).union(other.facts.keys) where facts[key] != other.facts[key] {
            let base = key.changedObject.flatMap { other.bases[$0] ?? bases[$0] }
            diff.record(key, before: facts[key], after: other.facts[key], base: base)
        }
        return diff
    }

    /// Takes a step back: each fact that still says what the step has left. Others were decided otherwise since.
    mutating func undo(_ step: PendingDiff, over committed: some CommittedState) throws(GraphError) {
        try redo(step.inverted, over: committed)
    }

    /// Makes a step that was taken back.
    mutating func redo(_ step: PendingDiff, over committed: some CommittedState) throws(GraphError) {
        let view = try view(over: committed)
        for (key, change) in step.changes where try view.isSame(key, change.before) {
            if step.isSaved, let objectID = key.changedObject, change.after != nil, facts[key] == nil,
                step.changes[.insertion(objectID)] == nil, try !view.exists(objectID)
            {
                continue
            }
            var base: CommittedRow?
            if let objectID = key.changedObject {
                base = try committed.committedRow(of: objectID)
                if base == nil { base = try committed.formerRow(of: objectID) }
                if base == nil { base = step.bases[objectID] }
            }
            set(key, to: change.after, base: base)
        }
    }
}

extension PendingView {
    /// Whether a fact says the same as what there is, be it because that is committed.
    fileprivate func isSame(_ key: PendingKey, _ fact: PendingFact?) throws(GraphError) -> Bool {
        let present = pending.facts[key]
        if present == fact { return true }
        switch key {
        case .insertion, .deletion: return false
        case .attribute(let objectID, let slot):
            let stored = try rowBeneath(objectID)?.row.attributes[slot]
            return (present?.value ?? stored) == (fact?.value ?? stored)
        case .toOne(let objectID, let slot):
            let stored = try rowBeneath(objectID)?.row.toOnes[slot]
            return (present?.destination ?? stored) == (fact?.destination ?? stored)
        case .pair(let pair):
            let isStored = try committed.isCommittedMember(pair.member, of: pair.owner, pair.relationship)
            return (present?.isAdded ?? isStored) == (fact?.isAdded ?? isStored)
        case .order(let slot):
            guard try exists(slot.owner) else { return false }
            return try order(of: slot, by: present?.order) == order(of: slot, by: fact?.order)
        }
    }
}

extension PendingFact {
    fileprivate var value: Value? {
        if case .attribute(let value, base: _) = self { value } else { nil }
    }

    fileprivate var destination: ManagedObjectID?? {
        if case .toOne(let destination, base: _) = self { .some(destination) } else { nil }
    }

    fileprivate var isAdded: Bool? {
        if case .pair(let isAdded) = self { isAdded } else { nil }
    }

    fileprivate var order: PendingOrder? {
        if case .order(let order) = self { order } else { nil }
    }
}
