// SPDX-License-Identifier: Apache-2.0

// Undo and redo after the committed state has changed: orders, one-to-one partners, and objects that other contexts
// have deleted.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Undo of ordered relationships after merges")
struct UndoOfOrderTests {
    /// How the committed state changes.
    enum Trigger: CaseIterable, CustomTestStringConvertible {
        case merge
        case refresh

        var testDescription: String { "\(self)" }
    }

    let world: Playlists
    let live: LiveContext

    init() async throws {
        world = try Playlists()
        live = world.coordinator.liveContext()
        try await live.perform { $0.undoManager = ObjectUndoManager() }
        try world.insert([("List", "a"), ("List", "b"), ("List", "c"), ("Song", "s")])
        for number in 1...4 {
            try world.insert([("Song", "song \(number)"), ("Tag", "tag \(number)"), ("Chapter", "chapter \(number)")])
        }
    }

    private func move(
        _ trigger: Trigger,
        _ entity: String = "List",
        _ title: String = "a",
        in context: ManagedObjectContext
    ) throws {
        switch trigger {
        case .merge:
            try world.touch(entity, title, "touched")
            try context.mergeSavedChanges()
        case .refresh: try context.refresh(try context.named(entity, title), mergingChanges: true)
        }
    }

    @Test(
        "undoing a deletion restores the order of new members, and a save stores it",
        arguments: [("songs", "Song", "song"), ("tags", "Tag", "tag"), ("chapters", "Chapter", "chapter")],
        Trigger.allCases
    )
    func deletion(_ relationship: (name: String, entity: String, prefix: String), trigger: Trigger) async throws {
        let titles = [3, 1, 4, 2].map { "\(relationship.prefix) \($0)" }
        try await live.perform { (context) throws in
            let list = try context.named("List", "a")
            try list.set(relationship.name, relationship.entity, titles)
            try context.processPendingChanges()
            try move(trigger, in: context)
            context.delete(list)
            try context.undo()
            #expect(try list.titles(relationship.name) == titles)
            try context.redo()
            try context.undo()
            #expect(try list.titles(relationship.name) == titles)
            try context.save()
        }
        #expect(try world.run { try $0.named("List", "a").titles(relationship.name) } == titles)
    }

    @Test(
        "undoing a deletion restores the new order of existing members, and a save stores it",
        arguments: [("List", "a"), ("Song", "s")],
        [(isByChild: false, movesLate: false), (false, true), (true, false), (true, true)]
    )
    func deletionOfReordered(
        _ owner: (entity: String, title: String),
        _ course: (isByChild: Bool, movesLate: Bool)
    ) async throws {
        let titles = (1...4).map { "chapter \($0)" }
        for trigger in Trigger.allCases {
            for order in titles.permutations where order != titles {
                try world.run { context in
                    try context.named(owner.entity, owner.title).set("chapters", "Chapter", titles)
                    try context.save()
                }
                try await live.perform { (context) throws in
                    try context.mergeSavedChanges()
                    if course.isByChild {
                        try context.withChild { child in
                            try child.named(owner.entity, owner.title).set("chapters", "Chapter", order)
                            try child.save()
                        }
                    } else {
                        try context.named(owner.entity, owner.title).set("chapters", "Chapter", order)
                        try context.processPendingChanges()
                    }
                    if !course.movesLate { try move(trigger, owner.entity, owner.title, in: context) }
                    let object = try context.named(owner.entity, owner.title)
                    context.delete(object)
                    try context.processPendingChanges()
                    if course.movesLate {
                        // A deleted object can't be refreshed, so another registered object is.
                        _ = try context.named("Tag", "tag 1")
                        try move(trigger, "Tag", "tag 1", in: context)
                    }
                    try context.undo()
                    #expect(try object.titles("chapters") == order)
                    try context.redo()
                    try context.undo()
                    #expect(try object.titles("chapters") == order)
                    try context.save()
                }
                let saved = try world.run { try $0.named(owner.entity, owner.title).titles("chapters") }
                #expect(saved == order, "\(trigger)")
            }
        }
    }

    @Test(
        "undo and redo of a child's new order survive a refresh of the parent",
        arguments: [true, false],
        ["songs", "chapters"]
    )
    func childReordering(isSaved: Bool, name: String) async throws {
        let entity = name == "songs" ? "Song" : "Chapter"
        let titles = (1...4).map { "\(entity.lowercased()) \($0)" }
        try await live.perform { (context) throws in
            try context.named("List", "a").set(name, entity, titles)
            if isSaved { try context.save() }
        }
        for order in titles.permutations where order != titles {
            try await live.perform { (context) throws in
                try context.withChild { child in
                    try child.named("List", "a").set(name, entity, order)
                    try child.save()
                }
                let list = try context.named("List", "a")
                try move(.refresh, in: context)
                #expect(try list.titles(name) == order)
                try context.undo()
                #expect(try list.titles(name) == titles, "undone: \(order)")
                try move(.refresh, in: context)
                try context.redo()
                #expect(try list.titles(name) == order, "redone")
                try context.undo()
                #expect(try list.titles(name) == titles, "undone again: \(order)")
            }
        }
    }

    @Test(
        "redo and undo of a move restore the member's position in another context's order",
        arguments: [false, true]
    )
    func takenFromOthers(isSaved: Bool) async throws {
        try await live.perform { (context) throws in
            try context.named("Chapter", "chapter 3").relate("list", try context.named("List", "b"))
            try context.processPendingChanges()
            try context.undo()
        }
        let titles = [3, 2, 1].map { "chapter \($0)" }
        try world.run { context in
            try context.named("List", "a").set("chapters", "Chapter", titles)
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            let list = try context.named("List", "a")
            #expect(try list.titles("chapters") == titles)
            try context.redo()
            #expect(try list.titles("chapters") == ["chapter 2", "chapter 1"])
            if isSaved { try context.save() }
            try context.undo()
            #expect(try list.titles("chapters") == titles)
            try context.save()
        }
        #expect(try world.run { try $0.named("List", "a").titles("chapters") } == titles)
    }

    @Test(
        "undo and redo restore one-to-one partners of a relationship that is its own inverse",
        arguments: Trigger.allCases
    )
    func partners(trigger: Trigger) async throws {
        try world.run { context in
            try context.named("List", "a").relate("partner", try context.named("List", "b"))
            try context.save()
        }
        try await live.perform { (context) throws in
            let (one, two) = (try context.named("List", "a"), try context.named("List", "b"))
            let three = try context.named("List", "c")
            try one.relate("partner", three)
            try context.processPendingChanges()
            try move(trigger, in: context)
            try context.undo()
            #expect(try one.titles("partner") == ["b"] && two.titles("partner") == ["a"])
            #expect(try three.titles("partner").isEmpty)
            try context.redo()
            #expect(try one.titles("partner") == ["c"] && three.titles("partner") == ["a"])
            #expect(try two.titles("partner").isEmpty)
            context.delete(one)
            try context.processPendingChanges()
            try move(trigger, "List", "b", in: context)
            try context.undo()
            #expect(try one.titles("partner") == ["c"] && three.titles("partner") == ["a"])
            try context.undo()
            #expect(try one.titles("partner") == ["b"] && two.titles("partner") == ["a"])
            #expect(!context.hasChanges)
        }
    }

    @Test("undo restores an object that is its own partner", arguments: Trigger.allCases)
    func ownPartner(trigger: Trigger) async throws {
        try world.run { context in
            let list = try context.named("List", "b")
            try list.relate("partner", list)
            try context.save()
        }
        try await live.perform { (context) throws in
            let (list, other) = (try context.named("List", "b"), try context.named("List", "c"))
            try move(trigger, in: context)
            try list.relate("partner", other)
            try context.processPendingChanges()
            try context.undo()
            #expect(try list.titles("partner") == ["b"] && other.titles("partner").isEmpty)
            context.delete(list)
            try context.processPendingChanges()
            try context.undo()
            #expect(try list.titles("partner") == ["b"])
            #expect(!context.hasChanges)
        }
    }

    @Test(
        "undoing a deletion restores an object that another context has deleted, and a save writes it",
        arguments: [true, false],
        ["Chapter", "List"]
    )
    func deletedByOthers(keepsBase: Bool, deletedEntity: String) async throws {
        try await live.perform { (context) throws in
            context.mergesKeepBase = keepsBase
            let (list, chapter) = (try context.named("List", "a"), try context.named("Chapter", "chapter 1"))
            try chapter.relate("list", list)
            try chapter.setValue("changed", forKey: "note")
            try context.processPendingChanges()
        }
        try world.run { context in
            context.delete(try context.named("Chapter", "chapter 1"))
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            let (list, chapter) = (try context.named("List", "a"), try context.named("Chapter", "chapter 1"))
            #expect(try list.titles("chapters") == ["chapter 1"])
            context.delete(deletedEntity == "List" ? list : chapter)
            try context.processPendingChanges()
            try context.undo()
            #expect(!list.isDeleted && !chapter.isDeleted)
            #expect(try list.titles("chapters") == ["chapter 1"])
            #expect(try chapter.titles("list") == ["a"] && chapter.value(forKey: "note") == "changed")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        try world.run { (context) throws in
            #expect(try context.named("List", "a").titles("chapters") == ["chapter 1"])
            #expect(try context.named("Chapter", "chapter 1").value(forKey: "note") == "changed")
        }
    }
}

extension UndoOfOrderTests {
    @Test(
        "a deleted object that a pending change keeps is restored by undo after the change was reverted by hand",
        .disabled(
            """
            The object is removed along with the change, and undo doesn't know that it was pending. It will once \
            pending changes are a single value.
            """
        ),
        arguments: [true, false]
    )
    func overtaken(keepsBase: Bool) async throws {
        try await live.perform { (context) throws in
            context.mergesKeepBase = keepsBase
            try context.named("List", "a").setValue("changed", forKey: "note")
            try context.processPendingChanges()
        }
        try world.run { context in
            context.delete(try context.named("List", "a"))
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            try context.named("List", "a").setValue(.null, forKey: "note")
            try context.processPendingChanges()
            try context.undo()
            #expect(try context.named("List", "a").value(forKey: "note") == "changed")
        }
    }
}

extension Array {
    /// The elements in all orders.
    fileprivate var permutations: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var rest = self
            let first = rest.remove(at: index)
            return rest.permutations.map { [first] + $0 }
        }
    }
}
