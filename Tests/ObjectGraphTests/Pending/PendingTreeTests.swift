// SPDX-License-Identifier: Apache-2.0

// Trees of pending states at random: children over what their parents show, and their archives.

import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Trees of pending states")
struct PendingTreeTests {
    @Test(
        "show what is beneath and their own changes, and come back from their archives",
        arguments: SeededGenerator.seeds(200)
    )
    func random(seed: UInt64) throws {
        var play = try TreePlay(seed: seed)
        do {
            for _ in 0..<40 { try play.step() }
        } catch {
            Issue.record("seed \(seed): \(error)\n\(play.log.suffix(100).joined(separator: "\n"))")
        }
    }
}

/// The committed state of a place in a tree, whatever it is.
private struct Beneath: CommittedState {
    let state: any CommittedState

    func committedRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        try state.committedRow(of: objectID)
    }

    func formerRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow? {
        try state.formerRow(of: objectID)
    }

    func committedMembers(
        of owner: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        try state.committedMembers(of: owner, relationship)
    }
}

private struct TreePlay {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Place {
        let parent: Int?
        /// Whether what is beneath is merged at random only.
        let staysBehind: Bool
        var state = PendingState()
        var history = PendingHistory()

        mutating func undo(over committed: Beneath) throws { try history.undo(&state, over: committed) }

        mutating func redo(over committed: Beneath) throws { try history.redo(&state, over: committed) }
    }

    private var edits: RandomPendingEdits
    private var committed = MemoryState()
    private var places = [
        Place(parent: nil, staysBehind: false), Place(parent: 0, staysBehind: false),
        Place(parent: 0, staysBehind: false), Place(parent: 1, staysBehind: false), Place(parent: 1, staysBehind: true),
    ]
    private var objectIDs: Set<ManagedObjectID> = []
    private var others = 0
    private(set) var log: [String] = []

    init(seed: UInt64) throws {
        edits = try RandomPendingEdits(seed: seed)
        try changeByOthers(count: 12)
    }

    mutating func step() throws {
        let place = Int.random(in: places.indices, using: &edits.random)
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<10: try changeByOthers(count: 2)
        case ..<26: try save(place)
        case ..<30:
            log.append("rollback of \(place)")
            places[place].state = PendingState()
            places[place].history = PendingHistory()
        case ..<44:
            log.append("undo in \(place)")
            let beneath = try beneath(place)
            try places[place].undo(over: beneath)
        case ..<54:
            log.append("redo in \(place)")
            let beneath = try beneath(place)
            try places[place].redo(over: beneath)
        case ..<60: try restart()
        default: try change(place)
        }
        try merge()
        for place in places.indices { _ = try shown(place) }
    }

    // MARK: What is shown

    private func beneath(_ place: Int) throws -> Beneath {
        guard let parent = places[place].parent else { return Beneath(state: committed) }
        return Beneath(state: try places[parent].state.view(over: beneath(parent)))
    }

    private func shown(_ place: Int) throws -> PendingPicture {
        let picture = try PendingPicture(try places[place].state.view(over: beneath(place)), objectIDs)
        if let oneSided = picture.oneSided { throw Failure(description: "\(place) is one-sided: \(oneSided)") }
        return picture
    }

    private func expect(_ expected: PendingPicture, of place: Int, _ occasion: String) throws {
        let shown = try shown(place)
        guard shown != expected else { return }
        throw Failure(description: "\(place) \(occasion), shown | expected:\n\(shown.difference(from: expected))")
    }

    // MARK: Steps

    private mutating func change(_ place: Int) throws {
        log.append("in \(place):")
        let before = places[place].state
        var state = before
        try edit(&state, over: beneath(place), count: 1)
        places[place].state = state
        let step = before.diff(to: state)
        if !step.isEmpty { places[place].history.append(step) }
    }

    private mutating func edit(_ state: inout PendingState, over committed: some CommittedState, count: Int) throws {
        for _ in 0..<count {
            for edit in try edits.next(state, over: committed, of: objectIDs) {
                log.append("  \(edit)")
                if case .insert(let objectID, _) = edit { objectIDs.insert(objectID) }
                try state.apply(edit, over: committed)
            }
        }
    }

    private mutating func changeByOthers(count: Int) throws {
        log.append("others:")
        others += 1
        var own = edits
        edits = try RandomPendingEdits(seed: own.random.next(), first: 1_000 * others)
        let objectsBefore = objectIDs
        objectIDs = Set(committed.rows.keys)
        var state = PendingState()
        try edit(&state, over: committed, count: count)
        objectIDs.formUnion(objectsBefore)
        edits = own
        committed = try committed.saving(state)
    }

    /// A save changes nothing that is shown anywhere but beneath.
    private mutating func save(_ place: Int) throws {
        log.append("save of \(place)")
        let witnesses = places.indices.filter { isAbove(place, $0) }
        let before = try witnesses.map(shown)
        let own = places[place]
        let beneathBefore = try beneath(place)
        if let parent = own.parent {
            let parentBefore = places[parent].state
            var state = parentBefore
            try state.absorb(own.state, over: beneath(parent))
            places[parent].state = state
            let step = parentBefore.diff(to: state)
            if !step.isEmpty { places[parent].history.append(step) }
        } else {
            committed = try committed.saving(own.state)
        }
        places[place].history = try own.history.saved(own.state, from: beneathBefore, to: beneath(place))
        places[place].state = PendingState()
        places[place].state.keepsEdited = own.state.keepsEdited
        for (witness, before) in zip(witnesses, before) {
            try expect(before, of: witness, "after the save of \(place)")
        }
        if let parent = own.parent, let shown = before.first { try expect(shown, of: parent, "after its child's save") }
    }

    /// Whether a place is another one, or somewhere above it.
    private func isAbove(_ place: Int, _ other: Int) -> Bool {
        if place == other { return true }
        return places[other].parent.map { isAbove(place, $0) } ?? false
    }

    /// Moves the bases of what isn't left behind.
    private mutating func merge() throws {
        for place in places.indices where !places[place].staysBehind || edits.random.chance(20) {
            let state = places[place].state
            places[place].state = try state.rebase(onto: beneath(place))
        }
    }

    /// Has all places come back from their archives.
    private mutating func restart() throws {
        log.append("restart")
        let before = try places.indices.map(shown)
        for place in places.indices {
            let archived = try PendingState(archived: places[place].state.archived(), in: MemoryState.model.get())
            guard archived == places[place].state else {
                throw Failure(description: "the archive of \(place) is another state")
            }
            places[place].state = archived
        }
        for (place, before) in zip(places.indices, before) { try expect(before, of: place, "after a restart") }
    }
}
