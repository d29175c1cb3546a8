// SPDX-License-Identifier: Apache-2.0

// Pending changes over another committed state.

import Predicates

@testable import ObjectGraph

/// A property that was changed here and, since, by others.
struct PendingContest: Hashable, Sendable {
    let key: PendingKey
    /// The committed value that the fact replaced.
    let base: PendingContestValue
}

enum PendingContestValue: Hashable, Sendable {
    case attribute(Value)
    case toOne(ManagedObjectID?)
}

extension PendingState {
    /// The same changes over another committed state. Facts stay, whatever they mean there; only the rows seen last are others.
    ///
    /// - Over two states after each other it comes to the same as over the second one.
    /// - Over the committed state that the changes were made on it comes to the same changes.
    func rebase(onto committed: some CommittedState) throws(GraphError) -> PendingState {
        var rebased = self
        for objectID in bases.keys {
            var row = try committed.committedRow(of: objectID)
            if row == nil { row = try committed.formerRow(of: objectID) }
            if let row { rebased.setBase(of: objectID, to: row) }
        }
        return rebased
    }

    /// The facts that say something over a committed state: without the dormant ones.
    func pruned(over committed: some CommittedState) throws(GraphError) -> PendingState {
        let view = try view(over: committed)
        var pruned = self
        for (key, fact) in facts {
            if case .order(let slot) = key {
                pruned.set(key, to: try view.effectiveOrder(of: slot).map(PendingFact.order), base: nil)
            } else if try view.isDormant(key, fact) {
                pruned.set(key, to: nil, base: nil)
            }
        }
        return pruned
    }

    /// The values that both sides have changed.
    func editConflicts(over committed: some CommittedState) throws(GraphError) -> [PendingContest] {
        var editConflicts: [PendingContest] = []
        for (key, fact) in facts {
            guard let objectID = key.changedObject, let row = try committed.committedRow(of: objectID)?.row else {
                continue
            }
            switch (key, fact) {
            case (.attribute(_, let slot), .attribute(let value, let base)):
                let now = row.attributes[slot]
                if now != base, now != value { editConflicts.append(PendingContest(key: key, base: .attribute(base))) }
            case (.toOne(_, let slot), .toOne(let destination, let base)):
                let now = row.toOnes[slot]
                if now != base, now != destination {
                    editConflicts.append(PendingContest(key: key, base: .toOne(base)))
                }
            default: break
            }
        }
        return editConflicts
    }
}

extension PendingView {
    /// Whether the view is the same without a fact.
    fileprivate func isDormant(_ key: PendingKey, _ fact: PendingFact) throws(GraphError) -> Bool {
        for objectID in key.objects where try !exists(objectID) { return true }
        switch (key, fact) {
        case (.insertion(let objectID), _): return try committed.committedRow(of: objectID) != nil
        case (.attribute(let objectID, let slot), .attribute(let value, base: _)):
            return try committed.committedRow(of: objectID).map { $0.row.attributes[slot] == value } ?? false
        case (.toOne(let objectID, let slot), .toOne(let destination, base: _)):
            return try committed.committedRow(of: objectID).map { $0.row.toOnes[slot] == destination } ?? false
        case (.pair(let pair), .pair(let isAdded)):
            return try isAdded == committed.isCommittedMember(pair.member, of: pair.owner, pair.relationship)
        default: return false
        }
    }
}
