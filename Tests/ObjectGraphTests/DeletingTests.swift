// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Deletions")
struct DeletingTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a cascade ends in cycles, and related objects lose the deleted ones")
    func cascade() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            let profile = try context.insert("Profile")
            try user.relate("profile", profile)
            let tag = try context.insert("Tag")
            let posts = try (0..<3).map { _ in try context.insert("Post") }
            for post in posts {
                try user.relate("posts", post)
                try post.relate("tags", tag)
                try post.relate("pages", try context.insert("Page"))
            }
            try context.save()
            context.delete(user)
            #expect(!posts[0].isDeleted)
            try context.processPendingChanges()
            #expect(posts.allSatisfy(\.isDeleted) && profile.isDeleted)
            #expect(!tag.isDeleted)
            #expect(try tag.related("posts").isEmpty)
            try context.save()
            for entity in ["User", "Profile", "Post", "Page"] {
                #expect(try context.count(FetchRequest<ManagedObject>(entity)) == 0, "\(entity)")
            }
            #expect(try context.count(FetchRequest<ManagedObject>("Tag")) == 1)
        }
    }

    @Test("without a delete rule, a deleted object stays a member until the save, and undo restores it")
    func noAction() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Shelf") { Relationship("books", toMany: "Book", inverse: "shelf").optional() }
                Entity("Book") {
                    Relationship("shelf", toOne: "Shelf", inverse: "books", deleteRule: .noAction).optional()
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let (shelf, books) = (try context.insert("Shelf"), try ["a", "b"].map { _ in try context.insert("Book") })
            for book in books { try shelf.relate("books", book) }
            try context.save()
            context.delete(books[0])
            try context.save()
            #expect(try shelf.related("books") == [books[1]])
            try context.undo()
            #expect(try Set(shelf.related("books")) == Set(books))
            #expect(try books[0].related("shelf") == [shelf])
            try context.save()
            let shelfID = shelf.objectID
            try coordinator.withContext { (other) throws in
                #expect(try other.existingObject(with: shelfID).related("books").count == 2)
            }
        }
    }

    @Test("a deny rule applies to objects outside the deletion only")
    func deny() throws {
        try world.run { context in
            let (post, lock) = (try context.insert("Post"), try context.insert("Lock"))
            try lock.relate("post", post)
            try context.save()
            context.delete(post)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.code) == [.relationshipDeniedDelete])
            #expect(post.isDeleted)
            context.delete(lock)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }

    @Test(
        "deleting an unsaved object removes it from all relationships under any delete rule, and undo restores it",
        arguments: [DeleteRule.noAction, .nullify, .deny]
    )
    func unsaved(rule: DeleteRule) throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Shelf") {
                    Relationship("books", toMany: "Book", inverse: "shelf", deleteRule: rule).optional()
                    Relationship("labels", toMany: "Book", inverse: "shelves", deleteRule: rule).optional()
                }
                Entity("Book") {
                    Relationship("shelf", toOne: "Shelf", inverse: "books").optional()
                    Relationship("shelves", toMany: "Shelf", inverse: "labels").optional()
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        let archive = try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let (shelf, book) = (try context.insert("Shelf"), try context.insert("Book"))
            try shelf.relate("books", book)
            try shelf.relate("labels", book)
            try context.processPendingChanges()
            context.delete(shelf)
            try context.processPendingChanges()
            for key in ["shelf", "shelves"] { #expect(try book.related(key).isEmpty) }
            try context.undo()
            for key in ["shelf", "shelves"] { #expect(try book.related(key) == [shelf]) }
            try context.redo()
            return try context.archive()
        }
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(archive)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Book")) == 1)
            #expect(try context.count(FetchRequest<ManagedObject>("Shelf")) == 0)
        }
    }

    @Test("deleting an unsaved object leaves no deletion to save")
    func neverSaved() throws {
        try world.run { context in
            let (post, user) = (try context.insert("Post"), try context.insert("User"))
            try user.relate("posts", post)
            context.delete(post)
            try context.processPendingChanges()
            #expect(try user.related("posts").isEmpty)
            #expect(context.insertedObjects == [user])
            #expect(context.deletedObjects.isEmpty)
        }
    }
}
