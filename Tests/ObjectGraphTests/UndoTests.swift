// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Undo and redo")
struct UndoTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a group contains the changes of one event and is undone as a whole")
    func groups() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
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

    @Test("a deletion is undone with its consequences, even after it was saved")
    func deletion() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            let post = try context.insert("Post")
            try user.relate("posts", post)
            try context.save()
            context.undoManager = ObjectUndoManager()
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

    @Test("undo of a saved deletion restores references that no delete rule has cleared")
    func noAction() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Person") {
                    Relationship("boss", toOne: "Person", inverse: "reports", deleteRule: .noAction).optional()
                    Relationship("reports", toMany: "Person", inverse: "boss", deleteRule: .noAction).optional()
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(try TestStore.make(model))
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let boss = try context.insert("Person")
            let other = try context.insert("Person")
            try boss.relate("boss", boss)
            try other.relate("boss", boss)
            try context.save()
            context.delete(boss)
            context.delete(other)
            try context.save()
            try context.undo()
            #expect(try boss.related("boss") == [boss])
            #expect(try other.related("boss") == [boss])
            #expect(try Set(boss.related("reports")) == [boss, other])
            try context.save()
        }
        let counts = try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Person")).map { try $0.related("reports").count }
        }
        #expect(counts.sorted() == [0, 2])
    }

    @Test("undoing a saved insertion deletes the object")
    func savedInsertion() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            try context.save()
            try context.undo()
            #expect(context.deletedObjects == [post])
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }

    /// A post with a title that was changed to each of some texts, in one event each.
    private func retitled(_ context: ManagedObjectContext, _ titles: [String]) throws -> ManagedObject {
        let post = try context.insert("Post")
        try context.save()
        context.undoManager?.removeAll()
        for title in titles {
            try post.setValue(.string(title), forKey: "title")
            try context.processPendingChanges()
        }
        return post
    }

    @Test("undo keeps no more levels than its limit")
    func levels() throws {
        try world.run { context in
            let undoManager = ObjectUndoManager()
            undoManager.levelsOfUndo = 2
            context.undoManager = undoManager
            let post = try retitled(context, ["One", "Two", "Three"])
            try context.undo()
            try context.undo()
            #expect(!undoManager.canUndo)
            try context.undo()
            #expect(try post.value(forKey: "title") == "One")
            try context.redo()
            undoManager.levelsOfUndo = 1
            try context.redo()
            #expect(try post.value(forKey: "title") == "Three")
            #expect(!undoManager.canRedo)
            try context.undo()
            try context.undo()
            #expect(try post.value(forKey: "title") == "Two")
        }
    }

    @Test("explicit groups contain several events and may be nested")
    func explicitGroups() throws {
        try world.run { context in
            let undoManager = ObjectUndoManager()
            context.undoManager = undoManager
            let post = try retitled(context, ["One"])
            undoManager.beginGrouping()
            try post.setValue("Two", forKey: "title")
            try context.processPendingChanges()
            undoManager.beginGrouping()
            try post.setValue(2, forKey: "views")
            undoManager.endGrouping()
            try context.processPendingChanges()
            try post.setValue("Three", forKey: "title")
            undoManager.endGrouping()
            try context.undo()
            #expect(try post.value(forKey: "title") == "One")
            #expect(try post.value(forKey: "views") == 0)
            try context.redo()
            #expect(try post.value(forKey: "title") == "Three")
            #expect(try post.value(forKey: "views") == 2)
        }
    }

    @Test("changes aren't registered while that is disabled, and a new change clears redo")
    func registration() throws {
        try world.run { context in
            let undoManager = ObjectUndoManager()
            context.undoManager = undoManager
            let post = try retitled(context, ["One", "Two"])
            undoManager.disableRegistration()
            #expect(!undoManager.isRegistrationEnabled)
            try post.setValue(5, forKey: "views")
            try context.processPendingChanges()
            undoManager.enableRegistration()
            try context.undo()
            #expect(try post.value(forKey: "title") == "One")
            #expect(try post.value(forKey: "views") == 5)
            #expect(undoManager.canRedo)
            try post.setValue("Other", forKey: "title")
            try context.processPendingChanges()
            #expect(!undoManager.canRedo)
            try context.redo()
            #expect(try post.value(forKey: "title") == "Other")
        }
    }

    @Test("undo after a save makes the object changed, and undoing everything makes it unchanged")
    func acrossSaves() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try retitled(context, ["One"])
            try context.save()
            try post.setValue("Two", forKey: "title")
            try context.undo()
            #expect(!post.hasChanges)
            try context.undo()
            #expect(post.isUpdated)
            #expect(post.changedValues == ["title": "Untitled"])
            try context.save()
            let id = post.objectID
            try world.coordinator.withContext { (other) throws in
                #expect(try other.object(with: id).value(forKey: "title") == "Untitled")
            }
        }
    }

    @Test("undo and redo restore the order of members after all kinds of changes")
    func order() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            let pages = try (0..<4).map { _ in try context.insert("Page") }
            let relationship = try post.relationship("pages")
            try post.setObjects(pages, of: relationship)
            try context.save()
            try post.setObjects(pages.reversed(), of: relationship)
            try context.processPendingChanges()
            try post.remove(pages[2], from: relationship)
            try context.processPendingChanges()
            try post.add(pages[2], to: relationship, at: 0)
            try context.processPendingChanges()
            #expect(try post.objects(of: relationship) == [pages[2], pages[3], pages[1], pages[0]])
            try context.undo()
            #expect(try post.objects(of: relationship) == [pages[3], pages[1], pages[0]])
            try context.undo()
            #expect(try post.objects(of: relationship) == pages.reversed())
            try context.undo()
            #expect(try post.objects(of: relationship) == pages)
            #expect(!post.hasChanges)
            try context.redo()
            try context.save()
            let id = post.objectID
            let reversed = pages.reversed().map(\.objectID)
            try world.coordinator.withContext { (other) throws in
                #expect(try other.object(with: id).related("pages").map(\.objectID) == reversed)
            }
        }
    }
    @Test("an order is redone after its object became a fault, with the stored members")
    func orderOfFault() throws {
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            let pages = try (0..<3).map { _ in try context.insert("Page") }
            let relationship = try post.relationship("pages")
            try post.setObjects(pages, of: relationship)
            try context.save()
            try post.setObjects(pages.reversed(), of: relationship)
            try context.processPendingChanges()
            try context.undo()
            try context.refresh(post, mergingChanges: false)
            #expect(post.isFault)
            try context.redo()
            #expect(Set(try post.objects(of: relationship)) == Set(pages))
            try context.save()
        }
    }

    @Test("a saved deletion that is undone keeps members that were recreated and saved since")
    func recreatedMembers() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Owner") { Relationship("watched", toMany: "Owner").optional() }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let (owner, member) = (try context.insert("Owner"), try context.insert("Owner"))
            try owner.relate("watched", member)
            try context.save()
            context.delete(owner)
            try context.processPendingChanges()
            context.delete(member)
            try context.save()
            try context.undo()
            try context.save()
            try context.undo()
            #expect(try owner.related("watched") == [member])
            try context.save()
        }
        let watched = try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Owner")).map { try $0.related("watched").count }.sorted()
        }
        #expect(watched == [0, 1])
    }
}
