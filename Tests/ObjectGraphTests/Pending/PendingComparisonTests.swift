// SPDX-License-Identifier: Apache-2.0

// The same random changes made in a context and to a pending state, which must show the same after each of them.

import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Contexts and pending states")
struct PendingComparisonTests {
    @Test("show the same after each change, undo, redo and save", arguments: SeededGenerator.seeds(60))
    func alone(seed: UInt64) async throws { try await run(seed, merges: false) }

    @Test("and what others have saved and is merged", arguments: SeededGenerator.seeds(60))
    func merging(seed: UInt64) async throws { try await run(seed, merges: true) }

    private func run(_ seed: UInt64, merges: Bool) async throws {
        let model = try MemoryState.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        let failure: String? = try await coordinator.liveContext().perform { (context) throws in
            context.automaticallyMergesChanges = false
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = false
            var play = try ComparisonPlay(context, coordinator, seed: seed, merges: merges)
            do {
                for _ in 0..<30 { try play.step() }
                return nil
            } catch {
                return "\(error)\n\(play.log.suffix(60).joined(separator: "\n"))"
            }
        }
        if let failure { Issue.record("seed \(seed): \(failure)") }
    }
}

private struct ComparisonPlay {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private let merges: Bool
    private var edits: RandomPendingEdits
    private var committed = MemoryState()
    private var state = PendingState()
    private var history = PendingHistory()
    private var others = 0
    private(set) var log: [String] = []

    init(
        _ context: ManagedObjectContext,
        _ coordinator: PersistentStoreCoordinator,
        seed: UInt64,
        merges: Bool
    ) throws {
        self.context = context
        self.coordinator = coordinator
        self.merges = merges
        edits = try RandomPendingEdits(seed: seed)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<66: try change()
        case ..<76:
            log.append("undo")
            try context.undo()
            try history.undo(&state, over: committed)
        case ..<84:
            log.append("redo")
            try context.redo()
            try history.redo(&state, over: committed)
        case ..<92: try save()
        case ..<94:
            log.append("refresh")
            try context.refresh(context.registeredObjects.filter { !$0.isDeleted }, mergingChanges: true)
        default: if merges { try merge() }
        }
        try compare()
    }

    private mutating func change() throws {
        let objectIDs = Array(committed.rows.keys) + state.objectIDs
        let count = context.undoManager?.undoCount ?? 0
        var step = PendingDiff()
        context.undoManager?.beginGrouping()
        for edit in try edits.next(state, over: committed, of: objectIDs) {
            if case .restore = edit { continue }
            log.append("\(edit)")
            step.append(try state.apply(edit, over: committed))
            try Self.make(edit, in: context)
        }
        try context.processPendingChanges()
        context.undoManager?.endGrouping()
        if context.undoManager?.undoCount != count { history.append(step) }
    }

    private mutating func save() throws {
        log.append("save")
        do throws(GraphError) { try context.save() } catch {
            log.append("  refused: \(error.code)")
            return
        }
        let saved = try committed.saving(state)
        history = try history.saved(state, from: committed, to: saved)
        committed = saved
        state = PendingState()
    }

    private mutating func merge() throws {
        others += 1
        let seed = UInt64.random(in: .min ... .max, using: &edits.random)
        let first = 1_000 * others
        let before = committed
        let (changes, saved): ([String], MemoryState?) = try coordinator.withContext { (context) throws in
            var edits = try RandomPendingEdits(seed: seed, first: first)
            var state = PendingState()
            var log: [String] = []
            for _ in 0..<3 {
                for edit in try edits.next(state, over: before, of: Array(before.rows.keys) + state.objectIDs) {
                    if case .restore = edit { continue }
                    log.append("  \(edit)")
                    try state.apply(edit, over: before)
                    try Self.make(edit, in: context)
                    try context.processPendingChanges()
                }
            }
            do throws(GraphError) { try context.save() } catch { return (log, nil) }
            return (log, try before.saving(state))
        }
        guard let saved else { return }
        log += ["merge:"] + changes
        committed = saved
        try context.mergeSavedChanges()
        state = try state.rebase(onto: committed).pruned(over: committed)
    }

    private func compare() throws {
        let view = try state.view(over: committed)
        let expected = try PendingPicture(view, Array(committed.rows.keys) + state.objectIDs)
        let shown = try PendingPicture(context)
        guard expected == shown else {
            throw Failure(description: "pending state | context\n\(expected.difference(from: shown))")
        }
    }

    private static func make(_ edit: PendingEdit, in context: ManagedObjectContext) throws {
        func object(_ objectID: ManagedObjectID) throws -> ManagedObject {
            let predicate = try ObjectPredicate("number == %@", objectID.number)
            let found = try context.fetch(FetchRequest<ManagedObject>(objectID.entity.name, predicate: predicate)).first
            return try #require(found, "\(objectID.caption)")
        }
        switch edit {
        case .insert(let objectID, _):
            try context.insert(objectID.entity.name).setValue(.integer(Int64(objectID.number)), forKey: "number")
        case .delete(let objectID): context.delete(try object(objectID))
        case .restore: break
        case .setAttribute(let objectID, slot: _, let value):
            try object(objectID).setValue(value, forKey: "value")
        case .setToOne(let objectID, let slot, let destination):
            try object(objectID).setObject(destination.map(object), of: objectID.entity.toOnes[slot])
        case .add(let member, to: let slot, at: let index):
            let relationship = slot.owner.entity.toManys[slot.slot]
            try object(slot.owner).add(object(member), to: relationship, at: index)
        case .remove(let member, from: let slot):
            try object(slot.owner).remove(object(member), from: slot.owner.entity.toManys[slot.slot])
        case .setMembers(let slot, let members):
            try object(slot.owner).setObjects(members.map(object), of: slot.owner.entity.toManys[slot.slot])
        }
    }
}
