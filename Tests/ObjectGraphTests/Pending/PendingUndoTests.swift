// SPDX-License-Identifier: Apache-2.0

// Undo and redo of pending states at random, over saves, saves of children, and a committed state that others change.

import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Undo of pending states")
struct PendingUndoTests {
    @Test("undo and redo show what there was, across saves and merges", arguments: SeededGenerator.seeds(300))
    func random(seed: UInt64) throws {
        var play = try UndoPlay(seed: seed)
        do {
            for _ in 0..<30 { try play.step() }
        } catch {
            Issue.record("seed \(seed): \(error)\n\(play.log.suffix(80).joined(separator: "\n"))")
        }
    }
}

private struct UndoPlay {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var edits: RandomPendingEdits
    private var committed = MemoryState()
    private var state = PendingState()
    private var history = PendingHistory()
    /// What was shown before each step, or nil if others have changed the same since.
    private var undoable: [PendingPicture?] = []
    private var redoable: [PendingPicture?] = []
    private var objectIDs: Set<ManagedObjectID> = []
    private var others = 0
    /// Whether deletions may have been saved: no object tells which others referred to it without an inverse.
    private var hasSaved = false
    private(set) var log: [String] = []

    init(seed: UInt64) throws {
        edits = try RandomPendingEdits(seed: seed)
        try changeByOthers(count: 12)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<40: try change()
        case ..<48: try changeInChild()
        case ..<64: try replay(isUndo: true)
        case ..<74: try replay(isUndo: false)
        case ..<84: try touch()
        case ..<94: try changeByOthers(count: 3)
        default: try save()
        }
    }

    private func shown() throws -> PendingPicture {
        let picture = try PendingPicture(try state.view(over: committed), objectIDs)
        if let oneSided = picture.oneSided { throw Failure(description: "one-sided: \(oneSided)") }
        return picture
    }

    private func expect(_ expected: PendingPicture?, _ occasion: String) throws {
        var shown = try shown()
        guard var expected else { return }
        if hasSaved {
            shown = shown.without("watchers")
            expected = expected.without("watchers")
        }
        guard shown != expected else { return }
        throw Failure(description: "\(occasion), shown | expected:\n\(shown.difference(from: expected))")
    }

    // MARK: Steps

    private mutating func edit(
        _ state: inout PendingState,
        over committed: some CommittedState,
        count: Int
    ) throws {
        for _ in 0..<count {
            for edit in try edits.next(state, over: committed, of: objectIDs) {
                log.append("  \(edit)")
                if case .insert(let objectID, _) = edit { objectIDs.insert(objectID) }
                try state.apply(edit, over: committed)
            }
        }
    }

    private mutating func end(_ before: PendingState, _ shownBefore: PendingPicture) throws {
        let step = before.diff(to: state)
        if !step.isEmpty {
            history.append(step)
            undoable.append(shownBefore)
            redoable = []
        }
        _ = try shown()
    }

    private mutating func change() throws {
        log.append("change:")
        let before = state
        let shownBefore = try shown()
        var changed = state
        try edit(&changed, over: committed, count: Int.random(in: 1...3, using: &edits.random))
        state = changed
        try end(before, shownBefore)
    }

    private mutating func changeInChild() throws {
        log.append("in a child:")
        let before = state
        let shownBefore = try shown()
        var child = PendingState()
        let beneath = try state.view(over: committed)
        try edit(&child, over: beneath, count: Int.random(in: 1...3, using: &edits.random))
        let shownByChild = try PendingPicture(try child.view(over: beneath), objectIDs)
        try state.absorb(child, over: committed)
        try expect(shownByChild, "a parent after the save of its child")
        try end(before, shownBefore)
    }

    private mutating func replay(isUndo: Bool) throws {
        guard let expected = isUndo ? undoable.popLast() : redoable.popLast() else { return }
        log.append(isUndo ? "undo" : "redo")
        let before = try shown()
        if isUndo {
            try history.undo(&state, over: committed)
            redoable.append(before)
        } else {
            try history.redo(&state, over: committed)
            undoable.append(before)
        }
        try expect(expected, "after \(isUndo ? "undo" : "redo")")
    }

    // MARK: The committed state

    private mutating func save() throws {
        log.append("save")
        let before = try shown()
        let saved = try committed.saving(state)
        history = try history.saved(state, from: committed, to: saved)
        committed = saved
        state = PendingState()
        try expect(before, "after save")
        hasSaved = true
    }

    /// Others change what a picture doesn't show.
    private mutating func touch() throws {
        let touched = Array(committed.rows.keys).sorted { ($0.number, $0.entity.index) < ($1.number, $1.entity.index) }
        guard let objectID = touched.randomElement(using: &edits.random) else { return }
        log.append("others touch \(objectID.caption)")
        let before = try shown()
        others += 1
        var state = PendingState()
        let slot = objectID.entity.slot("note")
        try state.apply(.setAttribute(objectID, slot: slot, .integer(Int64(others))), over: committed)
        try merge(state)
        try expect(before, "after merging")
    }

    private mutating func changeByOthers(count: Int) throws {
        log.append("others:")
        others += 1
        var own = edits
        edits = try RandomPendingEdits(seed: own.random.next(), first: 1_000 * others)
        var state = PendingState()
        let objectsBefore = objectIDs
        objectIDs = Set(committed.rows.keys)
        try edit(&state, over: committed, count: count)
        objectIDs.formUnion(objectsBefore)
        edits = own
        try merge(state)
        undoable = undoable.map { _ in nil }
        redoable = redoable.map { _ in nil }
        _ = try shown()
    }

    private mutating func merge(_ others: PendingState) throws {
        committed = try committed.saving(others)
        state = try state.rebase(onto: committed)
        if edits.random.chance(50) {
            let before = try shown()
            state = try state.pruned(over: committed)
            try expect(before, "without dormant facts")
        }
    }
}
