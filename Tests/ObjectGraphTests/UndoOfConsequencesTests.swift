// SPDX-License-Identifier: Apache-2.0

// The consequences of a deletion to which other contexts relate objects, and their undo.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Undo of changed deletion consequences")
struct UndoOfConsequencesTests {
    let world: Playlists
    let live: LiveContext

    init() async throws {
        world = try Playlists()
        live = world.coordinator.liveContext()
        try await live.perform { context in
            context.undoManager = ObjectUndoManager()
            context.mergePolicy = .mergeByPropertyObjectTrump
        }
        try world.insert([
            ("List", "a"), ("List", "b"), ("List", "c"), ("Song", "d"), ("Song", "e"), ("Chapter", "m"), ("Tag", "t"),
        ])
    }

    /// Relates an object to another one, and saves it.
    private func relate(
        _ entity: String,
        _ title: String,
        _ name: String,
        _ other: (entity: String, title: String)
    ) throws {
        try world.run { context in
            try context.named(entity, title).relate(name, try context.named(other.entity, other.title))
            try context.save()
        }
    }

    /// A to-one relationship, and objects that it may refer to.
    enum Link: CaseIterable {
        case toMany
        case toOne

        var source: (entity: String, title: String) { self == .toMany ? ("Chapter", "m") : ("List", "a") }
        var name: String { self == .toMany ? "song" : "partner" }
        var destinations: [(entity: String, title: String)] {
            self == .toMany ? [("Song", "d"), ("Song", "e")] : [("List", "b"), ("List", "c")]
        }
    }

    @Test(
        "a reference set instead of one to a deleted object survives the undo of a later step",
        arguments: Link.allCases,
        [false, true]
    )
    func laterReference(link: Link, mergesAgain: Bool) async throws {
        let ((entity, title), name, destinations) = (link.source, link.name, link.destinations)
        try await live.perform { (context) throws in
            context.delete(try context.named(destinations[0].entity, destinations[0].title))
            try context.processPendingChanges()
        }
        try relate(entity, title, name, destinations[0])
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            let object = try context.named(entity, title)
            #expect(try object.titles(name).isEmpty)
            try object.relate(name, try context.named(destinations[1].entity, destinations[1].title))
            try context.processPendingChanges()
            try context.named("Tag", "t").setValue("noted", forKey: "note")
            try context.processPendingChanges()
            if mergesAgain {
                try world.touch(entity, title, "touched")
                try context.mergeSavedChanges()
            }
            try context.undo()
            #expect(try object.titles(name) == [destinations[1].title])
            try context.undo()
            #expect(try object.titles(name).isEmpty)
            try context.redo()
            #expect(try object.titles(name) == [destinations[1].title])
            try context.redo()
            #expect(try object.titles(name) == [destinations[1].title])
            for _ in 1...3 { try context.undo() }
            #expect(try object.titles(name) == [destinations[0].title])
            #expect(!context.hasChanges)
            for _ in 1...2 { try context.redo() }
            #expect(try object.titles(name) == [destinations[1].title])
            try context.save()
        }
        #expect(try world.run { try $0.named(entity, title).titles(name) } == [destinations[1].title])
    }

    @Test(
        "an object that another context moves from a deleted owner to a new one isn't deleted",
        arguments: [true, false]
    )
    func passedOn(keepsBase: Bool) async throws {
        try await live.perform { (context) throws in
            context.mergesKeepBase = keepsBase
            context.delete(try context.named("List", "a"))
            try context.processPendingChanges()
        }
        try relate("Chapter", "m", "list", ("List", "a"))
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            #expect(context.deletedObjects.count == 2)
        }
        try relate("Chapter", "m", "list", ("List", "b"))
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            #expect(context.deletedObjects.count == 1)
            #expect(try context.named("Chapter", "m").titles("list") == ["b"])
            try context.undo()
            #expect(!context.hasChanges)
            try context.redo()
            #expect(context.deletedObjects.count == 1)
            try context.save()
        }
        #expect(try world.run { try $0.named("List", "b").titles("chapters") } == ["m"])
    }

    enum Deletion: CaseIterable {
        case here
        case inChild
        case beforeArchiving
    }

    @Test(
        "an object of a cascade that another context moves to a new owner isn't deleted",
        arguments: Deletion.allCases,
        [true, false]
    )
    func movedAway(deletion: Deletion, keepsBase: Bool) async throws {
        try relate("Chapter", "m", "list", ("List", "a"))
        try await live.perform { (context) throws in
            context.mergesKeepBase = keepsBase
            if deletion == .inChild {
                try context.withChild { child in
                    child.delete(try child.named("List", "a"))
                    try child.save()
                }
            } else {
                context.delete(try context.named("List", "a"))
                try context.processPendingChanges()
            }
            #expect(context.deletedObjects.count == 2)
            if deletion == .beforeArchiving {
                let archive = try context.archive()
                context.reset()
                try context.restore(archive)
            }
        }
        try relate("Chapter", "m", "list", ("List", "b"))
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            #expect(context.deletedObjects.count == 1)
            #expect(try context.named("Chapter", "m").titles("list") == ["b"])
            try context.undo()
            #expect(!context.hasChanges)
            #expect(try context.named("List", "a").titles("chapters").isEmpty)
            try context.redo()
            #expect(context.deletedObjects.count == 1)
            #expect(try context.named("Chapter", "m").titles("list") == ["b"])
            try context.save()
        }
        #expect(try world.run { try $0.named("List", "b").titles("chapters") } == ["m"])
    }

    @Test("an object that another context moves away from a deleted owner keeps its edits")
    func movedAwayAndEdited() async throws {
        try relate("Chapter", "m", "list", ("List", "a"))
        try await live.perform { (context) throws in
            try context.named("Chapter", "m").setValue("mine", forKey: "note")
            try context.processPendingChanges()
            context.delete(try context.named("List", "a"))
            try context.processPendingChanges()
        }
        try relate("Chapter", "m", "list", ("List", "b"))
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            let chapter = try context.named("Chapter", "m")
            #expect(try chapter.value(forKey: "note") == .string("mine"))
            #expect(context.updatedObjects == [chapter])
            try context.undo()
            #expect(try chapter.value(forKey: "note") == .string("mine"))
            try context.undo()
            #expect(!context.hasChanges)
            try context.redo()
            try context.save()
        }
        let note = try world.run { try $0.named("Chapter", "m").value(forKey: "note") }
        #expect(note == .string("mine"))
    }

    @Test("a cascaded deletion is notified once despite further saves of other contexts")
    func toldOnce() async throws {
        try await live.perform { (context) throws in
            context.delete(try context.named("List", "a"))
            try context.processPendingChanges()
        }
        try relate("Chapter", "m", "list", ("List", "a"))
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            #expect(context.deletedObjects.count == 2)
            var deletions = 0
            let observation = context.observeChanges { deletions += $0.deleted.count }
            for number in 1...3 {
                try world.touch("List", "a", "\(number)")
                try world.touch("Chapter", "m", "\(number)")
                try context.mergeSavedChanges()
            }
            context.remove(observation)
            #expect(context.deletedObjects.count == 2)
            #expect(deletions == 0)
        }
    }

    @Test(
        "an object deleted in the same step as a reverted value is restored with its members",
        arguments: [false, true]
    )
    func deletedWhileOvertaken(isStored: Bool) async throws {
        try await live.perform { (context) throws in
            context.mergesKeepBase = true
            try context.named("List", "a").setValue("mine", forKey: "note")
            if !isStored { try context.insert("Tag").setValue("new", forKey: "title") }
            let tag = try context.named("Tag", isStored ? "t" : "new")
            try context.named("List", "b").relate("tags", tag)
            try context.processPendingChanges()
            try world.touch("List", "a", "theirs")
            try context.mergeSavedChanges()
            try context.named("List", "a").setValue(.null, forKey: "note")
            context.delete(tag)
            try context.processPendingChanges()
            #expect(try context.named("List", "b").titles("tags").isEmpty)
            try context.undo()
            #expect(try context.named("List", "b").titles("tags") == [tag.caption])
            #expect(try tag.titles("lists") == ["b"])
        }
    }

    @Test(
        "a conflicting reference is cleared when both destinations are deleted, and undo restores it",
        arguments: Link.allCases,
        [true, false]
    )
    func contestedReference(link: Link, keepsBase: Bool) async throws {
        let ((entity, title), name, destinations) = (link.source, link.name, link.destinations)
        try await live.perform { (context) throws in
            context.mergesKeepBase = keepsBase
            let other = try context.named(destinations[1].entity, destinations[1].title)
            try context.named(entity, title).relate(name, other)
            try context.processPendingChanges()
        }
        try relate(entity, title, name, destinations[0])
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            let object = try context.named(entity, title)
            #expect(try object.titles(name) == [destinations[1].title])
            for destination in destinations {
                context.delete(try context.named(destination.entity, destination.title))
                try context.processPendingChanges()
            }
            #expect(try object.titles(name).isEmpty)
            for _ in destinations { try context.undo() }
            #expect(try object.titles(name) == [destinations[1].title])
        }
    }

    @Test("a step without an effect is undone and redone as a step of its own, despite merges")
    func stepWithoutEffect() async throws {
        try await live.perform { (context) throws in
            try context.named("List", "a").relate("partner", nil)
            try context.processPendingChanges()
            try context.named("List", "b").relate("partner", try context.named("List", "c"))
            try context.processPendingChanges()
            try world.touch("List", "a", "touched")
            try context.mergeSavedChanges()
            let undoManager = try #require(context.undoManager)
            #expect(undoManager.undoCount == 2)
            for _ in 1...2 { try context.undo() }
            #expect(undoManager.undoCount == 0 && undoManager.redoCount == 2)
            #expect(!context.hasChanges)
            try context.redo()
            #expect(try context.named("List", "b").titles("partner").isEmpty)
            try context.redo()
            #expect(undoManager.undoCount == 2 && undoManager.redoCount == 0)
            #expect(try context.named("List", "b").titles("partner") == ["c"])
        }
    }
}
