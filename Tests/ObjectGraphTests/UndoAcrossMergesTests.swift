// SPDX-License-Identifier: Apache-2.0

// Deletions that are taken back after others have had to do with the same objects.

import ObjectGraph
import Predicates
import Testing

@Suite("Undo across merges")
struct UndoAcrossMergesTests {
    let world: World
    let live: LiveContext

    init() async throws {
        world = try World()
        live = world.coordinator.liveContext()
        try await live.perform { $0.undoManager = UndoManager() }
    }

    /// A post with a tag, saved.
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

    @Test("a deletion that a merge policy took back, or that others gave pairs meanwhile, is undone into what is there")
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

    @Test("a row that others have written again is left as it is by undo, and its relationships come back")
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

    @Test("a row that others write again after undo has brought it back as a new one is another object")
    func writtenAgainAfterwards() async throws {
        let (postID, tagID) = try taggedPost()
        let other = world.coordinator.liveContext()
        try await other.perform { context in
            context.mergePolicy = .overwrite
            try context.existingObject(with: tagID).setValue("theirs", forKey: "name")
        }
        try await live.perform { (context) throws in
            // What is held is told of what others save.
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

    @Test("members that others took from a deleted object are a change of both sides when undo brings it back")
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
            #expect(Set(context.updatedObjects) == [post, tag])
            #expect(try post.related("tags") == [tag] && tag.related("posts") == [post])
            context.rollback()
            #expect(try post.related("tags").isEmpty && tag.related("posts").isEmpty)
        }
    }

    @Test("a deletion that a merge policy took back, and that others have done since then, is not undone")
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

    @Test("nothing leads to an object whose deletion was saved and that undo has no record of")
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
}
