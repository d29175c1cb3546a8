// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Undo and redo")
struct UndoTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a group is what happened in one event, and comes back as a whole")
    func groups() throws {
        try world.run { context in
            context.undoManager = UndoManager()
            let post = try context.insert("Post")
            try context.processPendingChanges()
            try post.setValue("One", forKey: "title")
            try post.setValue(7, forKey: "views")
            try context.processPendingChanges()
            try context.undo()
            #expect(try post.value(forKey: "title") == "Untitled")
            #expect(try post.value(forKey: "views") == 0)
            try context.redo()
            #expect(try post.value(forKey: "title") == "One")
            try context.undo()
            try context.undo()
            #expect(context.insertedObjects.isEmpty)
            #expect(!post.isInserted)
            try context.redo()
            #expect(context.insertedObjects == [post])
        }
    }

    @Test("a deletion is undone with all it led to, also after it was saved")
    func deletion() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            let post = try context.insert("Post")
            try user.relate("posts", post)
            try context.save()
            context.undoManager = UndoManager()
            context.delete(user)
            try context.processPendingChanges()
            try context.undo()
            #expect(!user.isDeleted && !post.isDeleted && !context.hasChanges)
            #expect(try user.related("posts") == [post])
            context.delete(user)
            try context.save()
            try context.undo()
            #expect(context.insertedObjects.count == 2)
            #expect(try user.related("posts") == [post])
            #expect(try post.related("author") == [user])
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 1)
        }
    }

    @Test("undoing an insertion that was saved deletes the object")
    func savedInsertion() throws {
        try world.run { context in
            context.undoManager = UndoManager()
            let post = try context.insert("Post")
            try context.save()
            try context.undo()
            #expect(context.deletedObjects == [post])
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }
}
