// SPDX-License-Identifier: Apache-2.0

// Deletions that are undone after other contexts have changed the same objects.

import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Undo across merges")
struct UndoAcrossMergesTests {
    let world: World
    let live: LiveContext

    init() async throws {
        world = try World()
        live = world.coordinator.liveContext()
        try await live.perform { $0.undoManager = ObjectUndoManager() }
    }

    /// Saves a post with a tag.
    private func taggedPost() throws -> (post: ManagedObjectID, tag: ManagedObjectID) {
        try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try post.relate("tags", tag)
            try context.save()
            return (post.objectID, tag.objectID)
        }
    }

    private func delete(_ objectID: ManagedObjectID) throws {
        try world.run { context in
            context.delete(try context.existingObject(with: objectID))
            try context.save()
        }
    }

    @Test("undoing a deletion keeps the changes that a merge policy or another context has made since")
    func undoneDeletions() async throws {
        let (userID, friendID) = try world.run { context in
            let (user, friend) = (try context.insert("User"), try context.insert("User"))
            try user.setValue("Ann", forKey: "name")
            try friend.setValue("Bea", forKey: "name")
            try context.save()
            return (user.objectID, friend.objectID)
        }
        try await live.perform { context in
            context.mergePolicy = .rollback
            context.delete(try context.existingObject(with: userID))
        }
        try world.run { context in
            try context.object(with: userID).relate("friends", context.object(with: friendID))
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.undo()
            #expect(!context.hasChanges)
            #expect(try context.object(with: userID).related("friends").map(\.objectID) == [friendID])
            #expect(try context.object(with: friendID).related("friends").map(\.objectID) == [userID])
            context.delete(context.object(with: userID))
            try context.processPendingChanges()
        }
        try world.run { context in
            try context.object(with: userID).setValue(40, forKey: "age")
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.save()
            try context.undo()
            #expect(context.insertedObjects.isEmpty)
            #expect(try context.object(with: userID).value(forKey: "age") == 40)
            #expect(try context.count(FetchRequest<ManagedObject>("User")) == 2)
        }
    }

    @Test("undo leaves a row that another context has recreated and restores its relationships")
    func writtenAgain() async throws {
        let (postID, tagID) = try taggedPost()
        let other = world.coordinator.liveContext()
        try await other.perform { context in
            context.mergePolicy = .overwrite
            try context.existingObject(with: tagID).setValue("theirs", forKey: "name")
        }
        try await live.perform { context in
            context.delete(try context.existingObject(with: tagID))
            try context.save()
        }
        try await other.perform { try $0.save() }
        try await live.perform { (context) throws in
            let tag = try #require(try context.fetch(FetchRequest<ManagedObject>("Tag")).first)
            #expect(tag.objectID == tagID)
            try context.undo()
            let post = context.object(with: postID)
            #expect(context.insertedObjects.isEmpty)
            #expect(context.object(with: tagID) === tag)
            #expect(try tag.value(forKey: "name") == "theirs")
            #expect(try post.related("tags") == [tag] && tag.related("posts") == [post])
            try context.save()
        }
        #expect(try world.run { try $0.object(with: tagID).related("posts").map(\.objectID) } == [postID])
    }

    @Test("a row that another context recreates after undo is a different object")
    func writtenAgainAfterwards() async throws {
        let (postID, tagID) = try taggedPost()
        let other = world.coordinator.liveContext()
        try await other.perform { context in
            context.mergePolicy = .overwrite
            try context.existingObject(with: tagID).setValue("theirs", forKey: "name")
        }
        try await live.perform { (context) throws in
            // The retained object is notified of other saves.
            let post = try context.existingObject(with: postID)
            #expect(try post.related("tags").count == 1)
            context.delete(try context.existingObject(with: tagID))
            try context.save()
            try context.undo()
            #expect(context.insertedObjects.count == 1)
        }
        try await other.perform { context in
            try context.object(with: tagID).relate("posts", context.object(with: postID))
            try context.save()
        }
        try await live.perform { (context) throws in
            let post = try context.existingObject(with: postID)
            let tags = try post.related("tags")
            #expect(Set(tags.map(\.objectID)) == Set(context.insertedObjects.map(\.objectID) + [tagID]))
            for tag in tags { #expect(try tag.related("posts") == [post]) }
        }
    }

    @Test("members that another context removed from a deleted object aren't restored by undo")
    func membersTaken() async throws {
        let (postID, tagID) = try taggedPost()
        try await live.perform { context in
            context.delete(try context.existingObject(with: tagID))
        }
        try world.run { context in
            try context.object(with: postID).unrelate("tags", context.object(with: tagID))
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.undo()
            let (post, tag) = (context.object(with: postID), context.object(with: tagID))
            #expect(!context.hasChanges && !tag.isDeleted)
            #expect(try post.related("tags").isEmpty && tag.related("posts").isEmpty)
        }
    }

    @Test("undo doesn't revert a later deletion by another context")
    func deletedSinceThen() async throws {
        let (_, tagID) = try taggedPost()
        try await live.perform { context in
            context.mergePolicy = .rollback
            context.delete(try context.existingObject(with: tagID))
        }
        try world.run { context in
            try context.object(with: tagID).setValue("theirs", forKey: "name")
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.save()
            #expect(!context.object(with: tagID).isDeleted)
        }
        try delete(tagID)
        try await live.perform { (context) throws in
            try context.undo()
            #expect(!context.hasChanges)
            #expect(context.object(with: tagID).isDeleted)
            let registered = context.registeredObjects
            #expect(Set(registered).count == registered.count)
        }
    }

    @Test(
        "undo of a deletion after a merge restores edited references that no delete rule clears",
        arguments: [true, false]
    )
    func uncleared(keepsBase: Bool) async throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Person") {
                    Attribute("note", .string).optional()
                    Relationship("boss", toOne: "Person", inverse: "reports", deleteRule: .noAction).optional()
                    Relationship("reports", toMany: "Person", inverse: "boss", deleteRule: .noAction).optional()
                    Relationship("watched", toMany: "Person").optional()
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        let (id, bossID) = try coordinator.withContext { context in
            let person = try context.insert("Person")
            let boss = try context.insert("Person")
            try context.save()
            return (person.objectID, boss.objectID)
        }
        let live = coordinator.liveContext()
        try await live.perform { context in
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = keepsBase
            let person = context.object(with: id)
            let boss = context.object(with: bossID)
            try person.relate("boss", boss)
            try person.relate("watched", boss)
            try context.processPendingChanges()
            context.delete(person)
        }
        try coordinator.withContext { context in
            try context.object(with: id).setValue("theirs", forKey: "note")
            try context.save()
        }
        try await live.perform { (context) throws in
            try context.mergeSavedChanges()
            try context.undo()
            let person = context.object(with: id)
            let boss = context.object(with: bossID)
            #expect(try person.related("boss") == [boss])
            #expect(try person.related("watched") == [boss])
            #expect(try boss.related("reports") == [person])
            #expect(try person.value(forKey: "note") == "theirs")
            try context.undo()
            #expect(!context.hasChanges)
            #expect(try boss.related("reports").isEmpty)
        }
    }

    @Test("redo doesn't relate objects to one that was deleted by an unrecorded save")
    func unrecorded() async throws {
        let (postID, tagID) = try taggedPost()
        try await live.perform { (context) throws in
            let (post, tag) = (try context.existingObject(with: postID), try context.existingObject(with: tagID))
            let new = try context.insert("Tag")
            try context.save()
            context.undoManager?.removeAll()
            try post.relate("tags", new)
            try context.undo()
            context.undoManager?.disableRegistration()
            context.delete(post)
            try context.save()
            context.undoManager?.enableRegistration()
            try context.redo()
            #expect(!context.hasChanges)
            #expect(try new.related("posts").isEmpty && tag.related("posts").isEmpty)
        }
    }

    @Test(
        "objects that other contexts related to a deleted object are restored with it",
        arguments: [1, 3],
        [false, true]
    )
    func broughtToDeleted(merges: Int, isSaved: Bool) async throws {
        let (user, student, post) = try world.run { context in
            let (user, student) = (try context.insert("User"), try context.insert("User"))
            try user.setValue("Ann", forKey: "name")
            try student.setValue("Bea", forKey: "name")
            let post = try context.insert("Post")
            try post.relate("author", user)
            try context.save()
            return (user.objectID, student.objectID, post.objectID)
        }
        try await live.perform { (context) throws in
            context.delete(try context.existingObject(with: user))
            try context.processPendingChanges()
        }
        var brought: [ManagedObjectID] = []
        for _ in 0..<merges {
            brought.append(
                try world.run { context in
                    let post = try context.insert("Post")
                    try post.relate("author", try context.existingObject(with: user))
                    let page = try context.insert("Page")
                    try page.relate("post", post)
                    try context.save()
                    return post.objectID
                }
            )
        }
        try world.run { context in
            try context.existingObject(with: student).relate("mentor", try context.existingObject(with: user))
            try context.save()
        }
        let expected = Set([post] + brought)
        try await live.perform { (context) throws in
            #expect(context.deletedObjects.count == 2 + 2 * merges)
            if isSaved { try context.save() }
            try context.undo()
            guard !isSaved else {
                return #expect(context.insertedObjects.filter { $0.entity.name == "Post" }.count == 1 + merges)
            }
            #expect(!context.hasChanges)
            #expect(Set(try context.existingObject(with: user).related("posts").map(\.objectID)) == expected)
            #expect(try context.existingObject(with: user).related("students").map(\.objectID) == [student])
            try context.redo()
            #expect(context.deletedObjects.count == 2 + 2 * merges)
            try context.undo()
            #expect(!context.hasChanges)
        }
    }

    @Test(
        "after undoing everything, the context shows the state of other contexts' saves",
        arguments: SeededGenerator.seeds(30),
        [true, false]
    )
    func allUndone(seed: UInt64, keepsBase: Bool) async throws {
        try await live.perform { $0.mergesKeepBase = keepsBase }
        var run = UndoneRun(world, live, seed)
        for _ in 0..<40 { try await run.step() }
        try await run.compare()
    }
}

/// Random changes in a live context, all undone at the end, while other contexts change everything except deleting.
private struct UndoneRun {
    private let world: World
    private let live: LiveContext
    private var edits: RandomEdits

    init(_ world: World, _ live: LiveContext, _ seed: UInt64) {
        (self.world, self.live, edits) = (world, live, RandomEdits(seed: seed))
    }

    mutating func step() async throws {
        let isOwn = edits.random.chance(50)
        edits.note(isOwn ? "here:" : "there:")
        let before = edits
        if isOwn {
            edits = try await live.perform { try Self.change($0, before) }
        } else {
            edits = try world.run { context in
                let edits = try Self.change(context, before)
                if context.deletedObjects.isEmpty { try context.save() } else { context.rollback() }
                return edits
            }
        }
    }

    private static func change(_ context: ManagedObjectContext, _ edits: RandomEdits) throws -> RandomEdits {
        var (edits, pending) = (edits, PendingValues())
        try edits.change(context, &pending)
        return edits
    }

    func compare() async throws {
        let (stored, log) = (try world.run { try WorldState($0) }, edits.log)
        try await live.perform { (context) throws in
            while context.undoManager?.canUndo == true { try context.undo() }
            #expect(!context.hasChanges, "\(log)")
            let shown = try WorldState(context)
            #expect(shown == stored, "\(log)")
        }
    }
}
