// SPDX-License-Identifier: Apache-2.0

// Randomly changed contexts that are archived and restored, compared with the originals.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Archives of randomly changed contexts")
struct RandomArchivingTests {
    /// The states that a context shows while it is changed.
    private struct Course: Sendable {
        var steps: [(log: [String], view: ContextView)] = []
        /// The result of a save.
        var outcome: [String] = []

        mutating func look(at context: ManagedObjectContext, after log: [String]) throws {
            steps.append((log, try ContextView(context).withoutEmptyUpdates))
        }

        /// Continues to change a context, then undoes and redoes everything.
        mutating func goOn(_ context: ManagedObjectContext, _ edits: LabelledEdits, steps count: Int = 30) throws {
            var edits = edits
            try look(at: context, after: edits.log)
            outcome = Self.outcome(of: context)
            for _ in 0..<count {
                try edits.step(context)
                try look(at: context, after: edits.log)
            }
            while context.undoManager?.canUndo == true {
                try context.undo()
                edits.note("undo")
                try look(at: context, after: edits.log)
            }
            while context.undoManager?.canRedo == true {
                try context.redo()
                edits.note("redo")
                try look(at: context, after: edits.log)
            }
        }

        private static func outcome(of context: ManagedObjectContext) -> [String] {
            do throws(GraphError) {
                let rows = try context.rehearseSave()
                return rows.map { "\($0.objectID.entity.name) \($0.version) \($0.row.attributes)" }.sorted()
            } catch {
                return ["\(error.code)"]
            }
        }

        func compare(with other: Course) throws {
            for (one, two) in zip(steps, other.steps) {
                let log = "\(one.view.difference(from: two.view))\n\(one.log.suffix(60).joined(separator: "\n"))"
                let isSame = one.view == two.view
                try #require(isSame, "\(log)")
            }
            #expect(steps.count == other.steps.count)
            #expect(outcome == other.outcome)
        }
    }

    let world: World

    init() throws {
        world = try World()
    }

    /// Changes a context at random, including saves of its own and of other contexts.
    private static func prepare(
        _ context: ManagedObjectContext,
        _ world: World,
        seed: UInt64,
        looking look: (inout LabelledEdits) throws -> Void = { _ in }
    ) throws -> LabelledEdits {
        var edits = LabelledEdits(seed: seed)
        context.undoManager = ObjectUndoManager()
        for round in 1...40 {
            try edits.step(context)
            if edits.random.chance(12) {
                edits.note("save")
                do throws(GraphError) { try context.save() } catch { edits.note("\(error.code)") }
            }
            if edits.random.chance(10) { try change(world, &edits, first: 10_000 * round) }
            try context.mergeSavedChanges()
            try look(&edits)
        }
        return edits
    }

    /// Makes a change in another context and saves it.
    private static func change(_ world: World, _ edits: inout LabelledEdits, first: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max, using: &edits.random)
        let log = try world.run { other in
            var others = LabelledEdits(seed: seed, first: first)
            for _ in 0..<3 { try others.change(other) }
            try other.save()
            return others.log
        }
        edits.note("others: \(log)")
    }

    @Test("a restored context shows the same state and continues the same way", arguments: SeededGenerator.seeds(20))
    func same(seed: UInt64) async throws {
        let world = world
        let (archive, edits, course) = try await world.coordinator.liveContext().perform { context in
            let edits = try Self.prepare(context, world, seed: seed)
            let archive = try context.archive()
            var course = Course()
            try course.goOn(context, edits)
            return (archive, edits, course)
        }
        let (again, shown) = try world.run { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(ContextArchive(bytes: archive.bytes))
            let again = try context.archive()
            var copy = Course()
            try copy.goOn(context, edits)
            try course.compare(with: copy)
            return (again, copy.steps[0].view)
        }
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(again)
            #expect(try ContextView(context).withoutEmptyUpdates == shown)
            context.mergePolicy = .overwrite
            try context.save()
            let saved = try ContextView(context).objects
            try world.run { (fresh) throws in #expect(try ContextView(fresh).objects == saved) }
        }
    }

    @Test("a sequence of incremental archives equals a complete one", arguments: SeededGenerator.seeds(20))
    func following(seed: UInt64) async throws {
        let world = world
        func archived(_ archives: [ContextArchive]) throws -> [UInt8] {
            try world.run { context in
                context.undoManager = ObjectUndoManager()
                try context.restore(archives.map { try ContextArchive(bytes: $0.bytes) }, mergingSavedChanges: false)
                return try context.archive().bytes
            }
        }
        let pairs = try await world.coordinator.liveContext().perform { context in
            var (archives, pairs): ([ContextArchive], [([ContextArchive], ContextArchive, [String])]) = ([], [])
            func look(_ edits: inout LabelledEdits) throws {
                guard edits.random.chance(60) else { return }
                let next = try context.archiveNext()
                if next.isWhole { archives = [] }
                archives.append(next)
                pairs.append((archives, try context.archive(), edits.log))
                if edits.random.chance(3) { context.invalidateArchive() }
            }
            _ = try Self.prepare(context, world, seed: seed, looking: look)
            return pairs
        }
        for (archives, whole, log) in pairs {
            let isSame = try archived(archives) == archived([whole])
            try #require(isSame, "\(archives.count) archives\n\(log.suffix(60).joined(separator: "\n"))")
        }
        #expect(pairs.contains { $0.0.count > 1 })
    }

    @Test(
        "a restored context merges other saves as the original context does",
        arguments: SeededGenerator.seeds(20)
    )
    func meanwhile(seed: UInt64) async throws {
        let world = world
        let live = world.coordinator.liveContext()
        let (archive, before) = try await live.perform { context in
            var edits = try Self.prepare(context, world, seed: seed)
            // A change that is pending and saved by another context too is found only by a merge.
            try Self.change(world, &edits, first: 900_000)
            try context.mergeSavedChanges()
            return (try context.archive(), edits)
        }
        var edits = before
        try Self.change(world, &edits, first: 1_000_000)
        let log = edits.log
        let told = try await live.perform { (context) throws in try ContextView(context).withoutEmptyUpdates }
        try world.run { (context) throws in
            context.undoManager = ObjectUndoManager()
            try context.restore(archive)
            let restored = try ContextView(context).withoutEmptyUpdates
            let isSame = told == restored
            try #require(isSame, "\(told.difference(from: restored))\n\(log.suffix(60).joined(separator: "\n"))")
            // The result of undo depends on what was read before. Both sides of relationships agree in any case.
            while context.undoManager?.canUndo == true {
                try context.undo()
                try WorldState(context).checkBothSides(log)
            }
            while context.undoManager?.canRedo == true {
                try context.redo()
                try WorldState(context).checkBothSides(log)
            }
        }
    }

    // Objects may count as changed although nothing differs; these seeds have no such objects.
    @Test(
        "a restored family shows the same state, and its children save the same changes",
        arguments: (10...29).map { UInt64($0) }
    )
    func families(seed: UInt64) async throws {
        let world = world
        let (archives, edits, course) = try await world.coordinator.liveContext().perform { context in
            var edits = try Self.prepare(context, world, seed: seed)
            var course = Course()
            let archives = try context.withOpenChild { child in
                child.undoManager = ObjectUndoManager()
                for _ in 0..<20 {
                    try edits.step(child)
                    if edits.random.chance(10) { try child.save() }
                }
                let archives = (try context.archive(), try child.archive())
                try course.goOn(child, edits)
                try child.save()
                return archives
            }
            try course.look(at: context, after: edits.log)
            return (archives, edits, course)
        }
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(archives.0)
            var copy = Course()
            try context.withOpenChild { child in
                child.undoManager = ObjectUndoManager()
                try child.restore(archives.1)
                try copy.goOn(child, edits)
                try child.save()
            }
            try copy.look(at: context, after: edits.log)
            try course.compare(with: copy)
        }
    }
}
