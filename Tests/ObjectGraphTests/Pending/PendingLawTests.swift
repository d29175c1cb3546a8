// SPDX-License-Identifier: Apache-2.0

// What holds of every pending state, over random changes of its own and of others.

import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Laws of pending states")
struct PendingLawTests {
    @Test("hold of random changes over random committed states", arguments: SeededGenerator.seeds(300))
    func laws(seed: UInt64) throws {
        var play = try LawPlay(seed: seed)
        do { try play.run() } catch { Issue.record("seed \(seed): \(error)\n\(play.log.joined(separator: "\n"))") }
    }
}

private struct LawPlay {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var edits: RandomPendingEdits
    private let seed: UInt64
    private var others = 0
    private(set) var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        edits = try RandomPendingEdits(seed: seed)
    }

    mutating func run() throws {
        let first = try changed(MemoryState(), count: 14)
        log.append("mine:")
        let (state, history) = try change(over: first, count: 10)
        try checkArchive(state)
        var undone = state
        var steps = history
        while !steps.undoable.isEmpty { try steps.undo(&undone, over: first) }
        try check(undone == PendingState(), "undo leaves \(undone.facts)")
        while !steps.redoable.isEmpty { try steps.redo(&undone, over: first) }
        try check(undone == state, "redo comes to something else")

        let second = try changed(first, count: 4)
        let third = try changed(second, count: 4)
        let rebased = try checkRebasing(state, first, second, third)
        try checkUndo(of: rebased, history, over: third)
        try checkChild(of: rebased, over: third)
        try checkSave(of: rebased, history, over: third)
    }

    private func check(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Failure(description: what()) }
    }

    private func picture(
        _ state: PendingState,
        _ committed: some CommittedState,
        _ objectIDs: some Sequence<ManagedObjectID>
    ) throws -> PendingPicture {
        let picture = try PendingPicture(try state.view(over: committed), Array(objectIDs) + state.objectIDs)
        try check(picture.oneSided == nil, "one-sided: \(picture.oneSided ?? "")")
        return picture
    }

    private func same(_ one: PendingPicture, _ other: PendingPicture, _ law: String) throws {
        try check(one == other, "\(law):\n\(one.difference(from: other))")
    }

    /// What is committed after somewhat random saves of others.
    private mutating func changed(_ committed: MemoryState, count: Int) throws -> MemoryState {
        others += 1
        var edits = try RandomPendingEdits(
            seed: UInt64.random(in: .min ... .max, using: &edits.random),
            first: 1_000 * others
        )
        var state = PendingState()
        log.append("others:")
        for _ in 0..<count {
            for edit in try edits.next(state, over: committed, of: Array(committed.rows.keys) + state.objectIDs) {
                log.append("  \(edit)")
                try state.apply(edit, over: committed)
            }
        }
        let before = try picture(state, committed, committed.rows.keys)
        let saved = try committed.saving(state)
        try same(before, picture(PendingState(), saved, saved.rows.keys), "a save commits what is shown")
        return saved
    }

    /// Changes with their steps.
    private mutating func change(
        over committed: MemoryState,
        count: Int
    ) throws -> (PendingState, PendingHistory) {
        var state = PendingState()
        var history = PendingHistory()
        for _ in 0..<count {
            let before = state
            var step = PendingDiff()
            for edit in try edits.next(state, over: committed, of: Array(committed.rows.keys) + state.objectIDs) {
                log.append("  \(edit)")
                step.append(try state.apply(edit, over: committed))
            }
            guard !step.isEmpty else { continue }
            try check(step == before.diff(to: state), "a step is the difference of the states around it")
            _ = try picture(state, committed, committed.rows.keys)
            var undone = state
            try undone.undo(step, over: committed)
            try check(undone == before, "undo brings back what there was")
            try undone.redo(step, over: committed)
            try check(undone == state, "redo brings back what was undone")
            try check(try state.pruned(over: committed) == state, "edits leave no dormant facts: \(state.facts)")
            history.append(step)
        }
        return (state, history)
    }

    private func checkArchive(_ state: PendingState) throws {
        let bytes = try state.archived()
        let read = try PendingState(archived: bytes, in: MemoryState.model.get())
        try check(read == state, "an archive is read as what it was made of")
        try check(try read.archived() == bytes, "equal states have equal bytes")
    }

    private func checkRebasing(
        _ state: PendingState,
        _ first: MemoryState,
        _ second: MemoryState,
        _ third: MemoryState
    ) throws -> PendingState {
        let objectIDs = Set(first.rows.keys).union(second.rows.keys).union(third.rows.keys)
        try check(try state.rebase(onto: first) == state, "over nothing, rebasing is the identity")
        let once = try state.rebase(onto: second)
        let rebased = try once.rebase(onto: third)
        try check(try state.rebase(onto: third) == rebased, "over two changes it is one and then the other")
        try check(try rebased.rebase(onto: third) == rebased, "a state depends on what is committed, not on the way")
        try check(try rebased.rebase(onto: first) == state, "and back")
        for committed in [second, third] {
            let moved = try state.rebase(onto: committed)
            let pruned = try moved.pruned(over: committed)
            try same(
                picture(moved, committed, objectIDs),
                picture(pruned, committed, objectIDs + moved.objectIDs),
                "without dormant facts the same is shown"
            )
            try check(try pruned.pruned(over: committed) == pruned, "pruning once is enough")
        }
        return rebased
    }

    private func checkUndo(of state: PendingState, _ history: PendingHistory, over committed: MemoryState) throws {
        var undone = state
        var steps = history
        while !steps.undoable.isEmpty {
            try steps.undo(&undone, over: committed)
            _ = try picture(undone, committed, committed.rows.keys)
        }
        try check(undone == PendingState(), "after merges, undo leaves \(undone.facts)")
        while !steps.redoable.isEmpty { try steps.redo(&undone, over: committed) }
        try check(undone == state, "after merges, redo comes to something else")
    }

    private mutating func checkChild(of state: PendingState, over committed: MemoryState) throws {
        let beneath = try state.view(over: committed)
        var child = PendingState()
        log.append("child:")
        var objectIDs = Array(committed.rows.keys) + state.objectIDs
        for _ in 0..<6 {
            for edit in try edits.next(child, over: beneath, of: objectIDs + child.objectIDs) {
                log.append("  \(edit)")
                try child.apply(edit, over: beneath)
            }
        }
        objectIDs += child.objectIDs
        var parent = state
        try parent.absorb(child, over: committed)
        try same(
            picture(child, beneath, objectIDs),
            picture(parent, committed, objectIDs),
            "a parent shows what its child has saved"
        )
    }

    private mutating func checkSave(
        of state: PendingState,
        _ history: PendingHistory,
        over committed: MemoryState
    ) throws {
        let objectIDs = Array(committed.rows.keys) + state.objectIDs
        let before = try picture(state, committed, objectIDs)
        let saved = try committed.saving(state)
        let after = try picture(PendingState(), saved, objectIDs)
        try same(before, after, "a save commits what is shown")
        var steps = try history.saved(state, from: committed, to: saved)
        var undone = PendingState()
        var expected = state
        for step in history.undoable.reversed() {
            try expected.undo(step, over: committed)
            try steps.undo(&undone, over: saved)
            // No object tells which others refer to it without an inverse.
            try same(
                picture(expected, committed, objectIDs).without("watchers"),
                picture(undone, saved, objectIDs).without("watchers"),
                "undo after a save shows what it would have shown before"
            )
        }
        while !steps.redoable.isEmpty { try steps.redo(&undone, over: saved) }
        try check(undone == PendingState(), "redo comes to what was saved")
    }
}
