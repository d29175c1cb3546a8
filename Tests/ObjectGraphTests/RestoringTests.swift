// SPDX-License-Identifier: Apache-2.0

// Closures that fail and leave their context as it was.

import ObjectGraph
import Predicates
import Testing

@Suite("Restoring a context after a failed closure")
struct RestoringTests {
    private struct Refused: Error {}

    let world: World

    init() throws {
        world = try World()
    }

    /// Runs a closure and fails.
    private func refuse(in context: ManagedObjectContext, _ body: () throws -> Void) {
        #expect(throws: Refused.self) {
            try context.restoringOnFailure {
                try body()
                throw Refused()
            }
        }
    }

    @Test("a failed undo of a saved deletion can be repeated")
    func savedDeletion() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            let post = try context.insert("Post")
            try user.relate("posts", post)
            try context.save()
            context.undoManager = ObjectUndoManager()
            context.delete(user)
            try context.save()
            let deleted = user.objectID
            refuse(in: context) {
                try context.undo()
                #expect(user.isInserted)
            }
            #expect(user.objectID == deleted)
            #expect(!user.isInserted && !context.hasChanges)
            #expect(context.registeredObject(for: deleted) == nil)
            try context.undo()
            #expect(Set(context.insertedObjects) == [user, post])
            #expect(try user.related("posts") == [post])
            #expect(try user.value(forKey: "name") == "Ann")
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("User")) == 1)
        }
    }

    @Test("a failed redo of an insertion leaves no object")
    func insertion() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            try context.processPendingChanges()
            try context.undo()
            refuse(in: context) { try context.redo() }
            #expect(!post.isInserted && !context.hasChanges)
            #expect(context.registeredObject(for: post.objectID) == nil)
            try context.redo()
            #expect(context.insertedObjects == [post])
        }
    }

    @Test("objects that were inserted are gone, and those that were read have no changes")
    func others() throws {
        let objectID = try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            try context.save()
            return user.objectID
        }
        try world.run { context in
            var inserted: ManagedObject?
            refuse(in: context) {
                let post = try context.insert("Post")
                inserted = post
                let user = context.object(with: objectID)
                try user.setValue("Bob", forKey: "name")
                try user.relate("posts", post)
            }
            let post = try #require(inserted)
            #expect(!context.hasChanges && !post.isInserted)
            #expect(context.registeredObject(for: post.objectID) == nil)
            let user = context.object(with: objectID)
            #expect(!user.hasChanges)
            #expect(try user.value(forKey: "name") == "Ann")
            #expect(try user.related("posts").isEmpty)
            try context.processPendingChanges()
            var events: [ObjectsDidChange] = []
            let observation = context.observe { if case .objectsDidChange(let event) = $0 { events.append(event) } }
            defer { context.remove(observation) }
            refuse(in: context) {
                context.delete(user)
                try context.processPendingChanges()
            }
            #expect(!user.isDeleted && !context.hasChanges)
            try context.processPendingChanges()
            #expect(events.map(\.deleted) == [[user], []])
            #expect(try context.fetch(FetchRequest<ManagedObject>("User")) == [user])
        }
    }
}
