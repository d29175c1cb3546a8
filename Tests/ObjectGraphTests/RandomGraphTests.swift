// SPDX-License-Identifier: Apache-2.0

// Random changes to the engine, to a plain graph and to pending changes as one value, which must be the same after each of them.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("The engine compared with a plain graph")
struct RandomGraphTests {
    @Test(
        "the engine and the plain graph are the same after each of many random changes",
        arguments: SeededGenerator.seeds(20)
    )
    func sameGraph(seed: UInt64) throws {
        let world = try World()
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            var run = RandomGraphRun(context, seed: seed)
            for _ in 0..<300 {
                try run.step()
                try run.compare()
            }
            try run.save()
            let committed = run.committed
            try world.coordinator.withContext { other in try RandomGraphRun.compare(other, with: committed) }
        }
    }
}

/// A context and a plain graph that are changed alike.
private struct RandomGraphRun {
    private(set) var context: ManagedObjectContext
    private var random: SeededGenerator
    private var plain = PlainGraph()
    private var pending = PendingGraph()
    private(set) var committed = PlainGraph()
    private var undoable: [PlainGraph] = []
    private var redoable: [PlainGraph] = []
    private var eventStart = PlainGraph()
    private var hasEvent = false
    private var pendingDeletions: Set<Int> = []
    private var objects: [Int: ManagedObject] = [:]
    private var made = 0
    private var log: [String] = []

    init(_ context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<15: try insert()
        case ..<25: try setViews()
        case ..<60: try relate()
        case ..<70: try unrelate()
        case ..<78: try delete()
        case ..<84: try undo()
        case ..<88: try redo()
        case ..<93: try save()
        case ..<94: try rollback()
        case ..<97: try changeInChild()
        default: break
        }
        if random.chance(60) { try process() }
    }

    // MARK: Changes

    private mutating func begin(_ what: String) {
        log.append(what)
        if !hasEvent { eventStart = plain }
        hasEvent = true
    }

    private mutating func insert() throws {
        let entity = ["User", "Profile", "Post", "Tag", "Page"].randomElement(using: &random) ?? "User"
        let number = made
        made += 1
        begin("insert \(entity) \(number)")
        let object = try context.insert(entity)
        try RandomGraphRun.name(object, number)
        objects[number] = object
        plain.entities[number] = entity
        try pending.insert(entity, number)
    }

    private mutating func setViews() throws {
        guard let post = alive("Post") else { return }
        begin("views of \(post)")
        let views = Int64.random(in: 1...1_000_000, using: &random)
        try objects[post]?.setValue(.integer(views), forKey: "views")
        plain.views[post] = views
        try pending.setViews(post, views)
    }

    private mutating func relate() throws {
        guard let link = PlainGraph.links.randomElement(using: &random), let one = alive(link.from),
            let other = alive(link.to), !(plain.pairs[link]?.contains(PlainGraph.Pair(one: one, other: other)) ?? false)
        else { return }
        begin("relate \(one) \(link.name) \(other)")
        if random.chance(50) {
            try objects[one]?.relate(link.name, objects[other])
            try pending.relate(one, link.name, other)
        } else {
            try objects[other]?.relate(link.inverse, objects[one])
            try pending.relate(other, link.inverse, one)
        }
        plain.relate(one, other, by: link)
    }

    private mutating func unrelate() throws {
        let candidates = PlainGraph.links.flatMap { link in (plain.pairs[link] ?? []).map { (link, $0) } }
            .filter { !pendingDeletions.contains($1.one) && !pendingDeletions.contains($1.other) }
            .sorted { ($0.0.name, $0.1.one, $0.1.other) < ($1.0.name, $1.1.one, $1.1.other) }
        guard let (link, pair) = candidates.randomElement(using: &random), let one = objects[pair.one],
            let other = objects[pair.other]
        else { return }
        begin("unrelate \(pair.one) \(link.name) \(pair.other)")
        if random.chance(50) {
            try one.unrelate(link.name, other)
            try pending.unrelate(pair.one, link.name, pair.other)
        } else {
            try other.unrelate(link.inverse, one)
            try pending.unrelate(pair.other, link.inverse, pair.one)
        }
        plain.unrelate(pair.one, pair.other, by: link)
    }

    private mutating func delete() throws {
        guard let entity = ["User", "Profile", "Post", "Tag", "Page"].randomElement(using: &random),
            let number = alive(entity), let object = objects[number]
        else { return }
        begin("delete \(number)")
        context.delete(object)
        pendingDeletions.insert(number)
        try pending.delete(number)
    }

    /// Makes some changes in a child context, which reach the parent by one save.
    private mutating func changeInChild() throws {
        try process()
        log.append("child {")
        let (parent, own) = (context, objects)
        pending.beginChild()
        try parent.withOpenChild { child in
            context = child
            objects = own.filter { plain.entities[$0.key] != nil }.mapValues { child.object(with: $0.objectID) }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try insert()
                case 1: try setViews()
                case 2: try unrelate()
                default: try relate()
                }
            }
            try compareObjects()
            try child.save()
            try pending.saveChild()
            let new = objects.filter { own[$0.key] == nil }.mapValues { parent.object(with: $0.objectID) }
            objects = own.merging(new) { $1 }
        }
        context = parent
        log.append("}")
        if plain == eventStart { hasEvent = false }
        endEvent()
    }

    // MARK: Events

    private mutating func process() throws {
        log.append("process")
        try context.processPendingChanges()
        endEvent()
    }

    private mutating func endEvent() {
        plain.delete(pendingDeletions)
        pendingDeletions = []
        pending.endEvent(isStep: hasEvent)
        guard hasEvent else { return }
        hasEvent = false
        undoable.append(eventStart)
        redoable = []
    }

    private mutating func undo() throws {
        log.append("undo")
        endEvent()
        try context.undo()
        try pending.undo()
        guard let before = undoable.popLast() else { return }
        redoable.append(plain)
        plain = before
    }

    private mutating func redo() throws {
        log.append("redo")
        endEvent()
        try context.redo()
        try pending.redo()
        guard let after = redoable.popLast() else { return }
        undoable.append(plain)
        plain = after
    }

    mutating func save() throws {
        log.append("save")
        endEvent()
        try context.save()
        committed = plain
        try pending.save()
        let difference = try pending.committedDifference(from: plain)
        try #require(difference == nil, "\(difference ?? "") \(log.suffix(30))")
    }

    private mutating func rollback() throws {
        log.append("rollback")
        context.rollback()
        (plain, pendingDeletions, hasEvent, undoable, redoable) = (committed, [], false, [], [])
        pending.rollback()
    }

    // MARK: Comparing

    func compare() throws {
        // Deleted objects are still related until changes are processed.
        guard pendingDeletions.isEmpty else { return }
        try compareObjects()
        try #require(context.hasChanges || plain == committed, "\(log.suffix(30))")
    }

    private func compareObjects() throws {
        for (number, object) in objects {
            let isAlive = plain.entities[number] != nil
            let here = object.context === context && !object.isDeleted
            try #require(here == isAlive, "\(number) \(log.suffix(30))")
            if isAlive { try compare(object, number) }
        }
        let difference = try pending.difference(from: plain)
        try #require(difference == nil, "pending state | plain graph: \(difference ?? "") \(log.suffix(30))")
    }

    private func compare(_ object: ManagedObject, _ number: Int) throws {
        for relationship in object.entity.relationships {
            let related = try object.related(relationship.name).map { try RandomGraphRun.number($0) }
            let expected = plain.related(number, relationship.name)
            try #require(related.count == Set(related).count, "\(number).\(relationship.name) \(log.suffix(30))")
            try #require(Set(related) == expected, "\(number).\(relationship.name) \(log.suffix(30))")
        }
        if object.entity.name == "Post" {
            let views = try object.value(forKey: "views")
            try #require(views == .integer(plain.views[number] ?? 0), "views of \(number) \(log.suffix(30))")
        }
    }

    /// Compares the objects that a new context reads from the store.
    static func compare(_ context: ManagedObjectContext, with plain: PlainGraph) throws {
        var found = 0
        for entity in ["User", "Profile", "Post", "Tag", "Page"] {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                found += 1
                let number = try number(object)
                #expect(plain.entities[number] == entity)
                for relationship in object.entity.relationships {
                    let related = try object.related(relationship.name).map { try Self.number($0) }
                    #expect(Set(related) == plain.related(number, relationship.name), "\(number).\(relationship.name)")
                    #expect(related.count == Set(related).count)
                }
            }
        }
        #expect(found == plain.entities.count)
    }

    // MARK: Numbers of objects

    private static let names = ["User": "name", "Profile": "text", "Post": "title", "Tag": "name", "Page": "number"]

    private static func name(_ object: ManagedObject, _ number: Int) throws {
        let isNumber = object.entity.name == "Page"
        let name: Value = isNumber ? .integer(Int64(number)) : .string("\(number)")
        try object.setValue(name, forKey: names[object.entity.name] ?? "")
    }

    private static func number(_ object: ManagedObject) throws -> Int {
        switch try object.value(forKey: names[object.entity.name] ?? "") {
        case .integer(let number): Int(number)
        case .string(let text): try #require(Int(text))
        default: try #require(nil as Int?)
        }
    }

    private mutating func alive(_ entity: String) -> Int? {
        plain.entities.filter { $0.value == entity && !pendingDeletions.contains($0.key) }.keys.sorted()
            .randomElement(using: &random)
    }
}
