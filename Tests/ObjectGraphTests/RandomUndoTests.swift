// SPDX-License-Identifier: Apache-2.0

// Random undo and redo over ordered relationships while the committed state changes: each restores exactly the earlier
// state.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Random undo over ordered relationships")
struct RandomUndoTests {
    @Test(
        "undo and redo restore earlier states, including orders, despite merges and refreshes",
        arguments: SeededGenerator.seeds(100)
    )
    func random(seed: UInt64) async throws { try await run(seed, othersDelete: false) }

    @Test(
        "undo and redo restore earlier states despite deletions by other contexts",
        .disabled(
            """
            An object that another context has deleted and a pending change keeps is removed when the value is set \
            back, and undo doesn't restore it: that requires the earlier pending state, which will be recorded once \
            pending changes are a single value.
            """
        ),
        arguments: SeededGenerator.seeds(40)
    )
    func randomDeletions(seed: UInt64) async throws { try await run(seed, othersDelete: true) }

    @Test(
        "undo and redo restore an order and a one-to-one partner that another context has changed since the edit",
        .disabled(
            """
            Redo of a deletion doesn't record the order that another context has set meanwhile, and a reference to itself that \
            another context has cleared is set again. Both require the earlier pending state, which will be recorded once pending \
            changes are a single value.
            """
        ),
        arguments: [7_335_720_633_460_421_780, 12_352_710_030_987_890_816, 16_761_981_843_291_468]
    )
    func changedSince(seed: UInt64) async throws { try await run(seed, othersDelete: false) }

    private func run(_ seed: UInt64, othersDelete: Bool) async throws {
        let world = try Playlists()
        let live = world.coordinator.liveContext()
        let failure: String? = try await live.perform { (context) throws in
            var run = UndoRun(world, context, seed: seed, othersDelete: othersDelete)
            do {
                try run.prepare()
                for _ in 0..<40 { try run.step() }
                try run.saveAndCompare()
                return nil
            } catch {
                return "\(error)\n\(run.log.suffix(60).joined(separator: "\n"))"
            }
        }
        if let failure { Issue.record("seed \(seed): \(failure)") }
    }
}

/// Random changes of playlists.
private struct PlaylistEdits {
    private static let links: [(from: String, name: String, to: String, inverse: String)] = [
        ("List", "songs", "Song", "lists"), ("List", "tags", "Tag", "lists"),
        ("List", "chapters", "Chapter", "list"), ("Song", "chapters", "Chapter", "song"),
        ("List", "partner", "List", "partner"),
    ]
    private static let ordered = [
        ("List", "songs", "Song"), ("List", "tags", "Tag"), ("List", "chapters", "Chapter"), ("Song", "lists", "List"),
        ("Song", "chapters", "Chapter"),
    ]

    var random: SeededGenerator
    var log: [String] = []
    /// The changes since the last call of `takeMade()`.
    private var made: [PlaylistEdit] = []
    /// Whether objects are deleted, or only related differently.
    var deletes = true
    private let prefix: String
    private var count = 0

    /// - Parameter prefix: what the titles of new objects begin with.
    init(seed: UInt64, prefix: String = "") {
        random = SeededGenerator(seed: seed)
        self.prefix = prefix
    }

    mutating func takeMade() -> [PlaylistEdit] {
        defer { made = [] }
        return made
    }

    mutating func change(_ context: ManagedObjectContext) throws {
        switch Int.random(in: 0..<(deletes ? 100 : 84), using: &random) {
        case ..<12: try insert(context)
        case ..<30: try relate(context)
        case ..<40: try unrelate(context)
        case ..<58: try reorder(context)
        case ..<80: try set(context)
        case ..<84:
            guard let object = try pick(context, Playlists.entities) else { return }
            log.append("note of \(try object.caption)")
            try note("\(Int.random(in: 0..<9, using: &random))", of: object)
        default:
            guard let object = try pick(context, Playlists.entities) else { return }
            log.append("delete \(try object.caption)")
            made.append(.delete(title: try object.caption))
            context.delete(object)
            try context.processPendingChanges()
        }
    }

    mutating func insert(_ context: ManagedObjectContext) throws {
        let entity = Playlists.entities.randomElement(using: &random) ?? "List"
        count += 1
        let title = "\(prefix)\(entity)\(count)"
        log.append("insert \(title)")
        made.append(.insert(entity: entity, title: title))
        try context.insert(entity).setValue(.string(title), forKey: "title")
    }

    mutating func note(_ note: String, of object: ManagedObject) throws {
        made.append(.note(note, title: try object.caption))
        try object.setValue(.string(note), forKey: "note")
    }

    private mutating func relate(_ context: ManagedObjectContext) throws {
        guard let link = Self.links.randomElement(using: &random), let one = try pick(context, [link.from]),
            let other = try pick(context, [link.to])
        else { return }
        let isFromOne = random.chance(50)
        log.append("relate \(try one.caption) \(link.name) \(try other.caption) \(isFromOne)")
        let title = try one.caption
        let otherTitle = try other.caption
        if isFromOne {
            made.append(.relate(title: title, name: link.name, other: otherTitle))
            try one.relate(link.name, other)
        } else {
            made.append(.relate(title: otherTitle, name: link.inverse, other: title))
            try other.relate(link.inverse, one)
        }
    }

    private mutating func unrelate(_ context: ManagedObjectContext) throws {
        guard let link = Self.links.randomElement(using: &random), let one = try pick(context, [link.from]),
            let other = try sorted(one.related(link.name)).randomElement(using: &random)
        else { return }
        let isFromOne = random.chance(50)
        log.append("unrelate \(try one.caption) \(link.name) \(try other.caption) \(isFromOne)")
        let title = try one.caption
        let otherTitle = try other.caption
        if isFromOne {
            made.append(.unrelate(title: title, name: link.name, other: otherTitle))
            try one.unrelate(link.name, other)
        } else {
            made.append(.unrelate(title: otherTitle, name: link.inverse, other: title))
            try other.unrelate(link.inverse, one)
        }
    }

    private mutating func reorder(_ context: ManagedObjectContext) throws {
        guard let (entity, name, _) = Self.ordered.randomElement(using: &random),
            let owner = try pick(context, [entity])
        else { return }
        let members = try owner.related(name).shuffled(using: &random)
        log.append("reorder \(try owner.caption).\(name) \(try members.map { try $0.caption })")
        try set(members, name, of: owner)
    }

    private mutating func set(_ context: ManagedObjectContext) throws {
        guard let (entity, name, destination) = Self.ordered.randomElement(using: &random),
            let owner = try pick(context, [entity])
        else { return }
        let all = try sorted(context.fetch(FetchRequest<ManagedObject>(destination))).shuffled(using: &random)
        let members = Array(all.prefix(Int.random(in: 0...4, using: &random)))
        log.append("set \(try owner.caption).\(name) \(try members.map { try $0.caption })")
        try set(members, name, of: owner)
    }

    private mutating func set(_ members: [ManagedObject], _ name: String, of owner: ManagedObject) throws {
        made.append(.set(title: try owner.caption, name: name, members: try members.map { try $0.caption }))
        try owner.setObjects(members, of: try owner.relationship(name))
    }

    mutating func pick(_ context: ManagedObjectContext, _ entities: [String]) throws -> ManagedObject? {
        guard let entity = entities.randomElement(using: &random) else { return nil }
        return try sorted(context.fetch(FetchRequest<ManagedObject>(entity))).randomElement(using: &random)
    }

    private func sorted(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        try objects.map { (try $0.caption, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

/// A context that is changed at random, and the states that undo and redo must restore.
private struct UndoRun {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let world: Playlists
    private let context: ManagedObjectContext
    private var edits: PlaylistEdits
    /// The same changes as one value.
    private var pending = PendingPlaylists()
    /// The chance that everything is read: read objects are loaded, and others aren't.
    private let lookingChance: Int
    /// The visible state, or nil if it wasn't read.
    private var shown: PlaylistsView?
    private var undoable: [PlaylistsView?] = []
    private var redoable: [PlaylistsView?] = []
    private var touches = 0
    private let othersDelete: Bool

    var log: [String] { edits.log }

    init(_ world: Playlists, _ context: ManagedObjectContext, seed: UInt64, othersDelete: Bool) {
        self.othersDelete = othersDelete
        self.world = world
        self.context = context
        edits = PlaylistEdits(seed: seed)
        lookingChance = [100, 100, 60].randomElement(using: &edits.random) ?? 100
        context.undoManager = ObjectUndoManager()
        context.automaticallyMergesChanges = false
        context.mergesKeepBase = edits.random.chance(50)
        context.mergePolicy = .mergeByPropertyObjectTrump
    }

    mutating func prepare() throws {
        let entities = Playlists.entities.flatMap { entity in (1...3).map { (entity, "\(entity)s\($0)") } }
        try world.insert(entities)
        try pending.changeByOthers(entities.map { .insert(entity: $0, title: $1) })
        try changeByOthers(count: 8, deleting: true)
        try look()
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<38: try change()
        case ..<44: try changeInChild()
        case ..<60: try replay("undo")
        case ..<70: try replay("redo")
        case ..<80: try touch()
        case ..<90: try refresh()
        case ..<96: try mergeOthers()
        default: try saveAndCompare()
        }
    }

    // MARK: Changes

    private mutating func change() throws {
        let before = shown
        context.undoManager?.beginGrouping()
        edits.log.append("group {")
        for _ in 0..<Int.random(in: 1...3, using: &edits.random) { try edits.change(context) }
        edits.log.append("}")
        try context.processPendingChanges()
        context.undoManager?.endGrouping()
        try pending.change(edits.takeMade(), isStep: hasNewStep)
        try end(before)
    }

    private var hasNewStep: Bool { context.undoManager?.undoCount ?? 0 > undoable.count }

    private mutating func changeInChild() throws {
        edits.log.append("child {")
        let before = shown
        let editsBefore = edits
        edits = try context.withChild { child in
            var edits = editsBefore
            for _ in 0..<Int.random(in: 1...3, using: &edits.random) { try edits.change(child) }
            try child.save()
            return edits
        }
        edits.log.append("}")
        try pending.changeInChild(edits.takeMade(), isStep: hasNewStep)
        try end(before)
    }

    /// Ends a group of changes, if there were any.
    private mutating func end(_ before: PlaylistsView?) throws {
        shown = nil
        if hasNewStep {
            undoable.append(before)
            redoable = []
        }
        if edits.random.chance(lookingChance) { try look() }
    }

    private mutating func replay(_ what: String) throws {
        let isUndo = what == "undo"
        guard let expected = isUndo ? undoable.last : redoable.last else { return }
        edits.log.append(what)
        let before = shown
        if isUndo { try context.undo() } else { try context.redo() }
        if isUndo { try pending.undo() } else { try pending.redo() }
        if isUndo {
            undoable.removeLast()
            redoable.append(before)
        } else {
            redoable.removeLast()
            undoable.append(before)
        }
        shown = nil
        if let expected { try expect(expected, "after \(what)") } else { try look() }
    }

    // MARK: Changes by other contexts

    /// Makes another context change properties outside the view.
    private mutating func touch() throws {
        let seed = edits.random.next()
        touches += 1
        let touches = touches
        let made = try world.run { other in
            var others = PlaylistEdits(seed: seed)
            guard let object = try others.pick(other, ["List"] + Playlists.entities) else { return [PlaylistEdit]() }
            try others.note("touch \(touches)", of: object)
            try other.save()
            return others.takeMade()
        }
        edits.log.append("others touch \(made)")
        try pending.changeByOthers(made)
        try context.mergeSavedChanges()
        if let shown { try expect(shown, "after merging") }
    }

    private mutating func refresh() throws {
        let objects = context.registeredObjects.filter { !$0.isDeleted && !$0.isInserted }
        let titles = try objects.map { (try $0.caption, $0) }.sorted { $0.0 < $1.0 }
        let chosen = titles.filter { _ in edits.random.chance(40) }
        edits.log.append("refresh \(chosen.map(\.0))")
        try context.refresh(chosen.map(\.1), mergingChanges: true)
        try context.processPendingChanges()
        if let shown { try expect(shown, "after refreshing") }
    }

    /// Makes another context change the same properties. The earlier states that undo restores are then unknown.
    private mutating func mergeOthers() throws {
        try changeByOthers(count: 2, deleting: othersDelete)
        try context.mergeSavedChanges()
        undoable = undoable.map { _ in nil }
        redoable = redoable.map { _ in nil }
        try look()
    }

    private mutating func changeByOthers(count: Int, deleting deletes: Bool) throws {
        let seed = edits.random.next()
        let (log, made) = try world.run { other in
            var others = PlaylistEdits(seed: seed, prefix: "o\(seed % 100_000)")
            others.deletes = deletes
            for _ in 0..<count { try others.change(other) }
            try other.save()
            return (others.log, others.takeMade())
        }
        edits.log.append("others: \(log)")
        try pending.changeByOthers(made)
    }

    // MARK: Invariants

    private mutating func look() throws {
        let view = try PlaylistsView(context)
        if let fault = view.oneSided { throw Failure(description: fault) }
        shown = view
        try compare(view)
    }

    /// Whether the context is as its changes as one value say.
    private func compare(_ view: PlaylistsView) throws {
        let expected = try pending.shown()
        guard view == expected else {
            throw Failure(description: "shown | pending state:\n\(view.difference(from: expected))")
        }
        let changes = try PlaylistsChanges(context)
        let expectedChanges = try pending.changes()
        guard changes == expectedChanges else {
            let difference = changes.difference(from: expectedChanges)
            throw Failure(description: "changes | pending state:\n\(difference)")
        }
    }

    private mutating func expect(_ expected: PlaylistsView, _ occasion: String) throws {
        try look()
        guard let shown, shown != expected else { return }
        throw Failure(description: "\(occasion), shown | expected:\n\(shown.difference(from: expected))")
    }

    mutating func saveAndCompare() throws {
        edits.log.append("save")
        try context.save()
        try pending.save()
        try look()
        let stored = try world.run { try PlaylistsView($0) }
        guard let shown, shown != stored else { return }
        throw Failure(description: "after save, shown | stored:\n\(shown.difference(from: stored))")
    }
}
