// SPDX-License-Identifier: Apache-2.0

// Archiving and restoring contexts, case by case.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Context archives")
struct ArchivingTests {
    let world: World

    init() throws {
        world = try World()
    }

    /// Archives a context with an undo manager after a closure has changed it.
    private func archive(_ change: @Sendable (ManagedObjectContext) throws -> Void) throws -> ContextArchive {
        try world.run { (context) throws in
            context.undoManager = ObjectUndoManager()
            try change(context)
            return try context.archive()
        }
    }

    private func restore(_ archive: ContextArchive, _ look: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try world.run { (context) throws in
            context.undoManager = ObjectUndoManager()
            try context.restore(archive)
            try look(context)
        }
    }

    /// Saves a post with pages 1, 2 and 3.
    private func paged() throws -> ManagedObjectID {
        try world.run { (context) throws in
            let post = try context.insert("Post")
            for number in 1...3 {
                let page = try context.insert("Page")
                try page.setValue(.integer(Int64(number)), forKey: "number")
                try post.relate("pages", page)
            }
            try context.save()
            return post.objectID
        }
    }

    private static func numbers(_ context: ManagedObjectContext, _ post: ManagedObjectID) throws -> [Value] {
        try context.object(with: post).related("pages").map { try $0.value(forKey: "number") }
    }

    @Test("an archive of an unchanged context restores to an unchanged context")
    func empty() throws {
        try restore(archive { _ in }) { context in
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test("an archive preserves the order of members and its undo")
    func ordered() throws {
        let id = try paged()
        let archive = try archive { context in
            let post = context.object(with: id)
            try post.setObjects(post.related("pages").reversed(), of: post.relationship("pages"))
            try context.processPendingChanges()
            context.delete(try post.related("pages")[1])
            try context.processPendingChanges()
            try post.add(context.insert("Page"), to: post.relationship("pages"))
        }
        try restore(archive) { (context) throws in
            #expect(try Self.numbers(context, id) == [3, 1, 0])
            try context.undo()
            #expect(try Self.numbers(context, id) == [3, 1])
            try context.undo()
            #expect(try Self.numbers(context, id) == [3, 2, 1])
            try context.undo()
            #expect(try Self.numbers(context, id) == [1, 2, 3])
            #expect(!context.hasChanges)
            for _ in 0..<3 { try context.redo() }
            #expect(try Self.numbers(context, id) == [3, 1, 0])
            try context.save()
        }
        #expect(try world.run { try Self.numbers($0, id) } == [3, 1, 0])
    }

    @Test("an archive preserves saved orders of members for undo")
    func savedOrder() throws {
        let id = try paged()
        let archive = try archive { context in
            let post = context.object(with: id)
            try post.setObjects(post.related("pages").reversed(), of: post.relationship("pages"))
            try context.save()
        }
        try restore(archive) { (context) throws in
            #expect(!context.hasChanges)
            try context.undo()
            #expect(try Self.numbers(context, id) == [1, 2, 3])
        }
    }

    @Test("an archive preserves deletions with their consequences, and undo reverts them", arguments: [false, true])
    func deletions(isSaved: Bool) throws {
        let id = try paged()
        let archive = try archive { context in
            context.delete(try context.existingObject(with: id))
            try context.processPendingChanges()
            if isSaved { try context.save() }
        }
        try restore(archive) { (context) throws in
            #expect(context.deletedObjects.count == (isSaved ? 0 : 4))
            #expect(try context.count(FetchRequest<ManagedObject>("Page")) == 0)
            try context.undo()
            #expect(context.insertedObjects.count == (isSaved ? 4 : 0) && context.deletedObjects.isEmpty)
            let post = try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first)
            #expect(try Self.numbers(context, post.objectID) == [1, 2, 3])
            try context.save()
        }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Page")) } == 3)
    }

    @Test("an archive preserves self-references and undone changes")
    func selves() throws {
        let archive = try archive { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            try user.relate("mentor", user)
            try user.relate("friends", user)
            try context.processPendingChanges()
            context.delete(user)
            try context.processPendingChanges()
            try context.undo()
            try context.undo()
        }
        try restore(archive) { (context) throws in
            #expect(!context.hasChanges)
            try context.redo()
            let user = try #require(context.insertedObjects.first)
            #expect(try user.related("mentor") == [user] && user.related("students") == [user])
            #expect(try user.related("friends") == [user])
            try context.redo()
            #expect(!context.hasChanges)
        }
    }

    /// Undoes and redoes everything, and returns the number of groups each time.
    private static func counts(_ context: ManagedObjectContext) throws -> [Int] {
        guard let undoManager = context.undoManager else { return [] }
        var counts = [undoManager.undoCount]
        while undoManager.canUndo { try context.undo() }
        counts.append(undoManager.redoCount)
        while undoManager.canRedo { try context.redo() }
        return counts + [undoManager.undoCount]
    }

    @Test("an archive preserves the undo of setting members to the same members", arguments: [false, true])
    func setToTheSame(isSaved: Bool) throws {
        let (archive, expected) = try world.run { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            try context.processPendingChanges()
            try post.setObjects([], of: post.relationship("pages"))
            if isSaved { try context.save() }
            return (try context.archive(), try Self.counts(context))
        }
        try restore(archive) { (context) throws in #expect(try Self.counts(context) == expected) }
    }

    @Test("a child's archive preserves the undo of setting a parent's new object's members to the same members")
    func setToTheSameInChild() throws {
        let (archives, expected) = try world.run { context in
            let post = try context.insert("Post").objectID
            try context.processPendingChanges()
            return try context.withOpenChild { child in
                child.undoManager = ObjectUndoManager()
                let post = try child.existingObject(with: post)
                try post.setObjects([], of: post.relationship("pages"))
                return ([try context.archive(), try child.archive()], try Self.counts(child))
            }
        }
        #expect(expected == [1, 1, 1])
        try restore(archives[0]) { (context) throws in
            try context.withChild { (child) throws in
                child.undoManager = ObjectUndoManager()
                try child.restore(archives[1])
                #expect(try Self.counts(child) == expected)
            }
        }
    }

    @Test("an archive can be restored without an undo manager, and undo then has no effect")
    func withoutUndo() throws {
        let archive = try archive { _ = try $0.insert("Post") }
        try world.run { (context) throws in
            try context.restore(archive)
            #expect(context.insertedObjects.count == 1)
            try context.undo()
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test("undo in a restored context skips objects that another context has deleted")
    func gone() throws {
        let id = try paged()
        let archive = try archive { context in
            let pages = try context.object(with: id).related("pages")
            try context.object(with: id).unrelate("pages", pages[0])
            try context.object(with: id).unrelate("pages", pages[1])
            try context.save()
            try context.insert("Page").relate("post", context.object(with: id))
        }
        try world.run { (context) throws in
            let pages = try context.fetch(FetchRequest<ManagedObject>("Page"))
            for page in pages where try page.value(forKey: "number") == 1 { context.delete(page) }
            try context.object(with: id).setValue("Theirs", forKey: "title")
            try context.save()
        }
        try restore(archive) { (context) throws in
            #expect(try context.object(with: id).value(forKey: "title") == "Theirs")
            #expect(try Self.numbers(context, id) == [3, 0])
            try context.undo()
            try context.undo()
            #expect(try Set(Self.numbers(context, id)) == [2, 3])
            try context.save()
        }
        try world.run { (context) throws in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
        try restore(archive) { (context) throws in
            #expect(try context.insertedObjects.map { try $0.related("post") } == [[]])
            try context.save()
        }
    }

    @Test("a restored change that conflicts with another context's save is a conflict, as after a merge")
    func conflict() throws {
        let id = try paged()
        let archive = try archive { try $0.existingObject(with: id).setValue("Mine", forKey: "title") }
        try world.run { (context) throws in
            try context.existingObject(with: id).setValue("Theirs", forKey: "title")
            try context.existingObject(with: id).setValue(7, forKey: "views")
            try context.save()
        }
        try restore(archive) { (context) throws in
            let post = context.object(with: id)
            #expect(try post.value(forKey: "title") == "Mine")
            #expect(try post.value(forKey: "views") == 7)
            let error = try failure { try context.save() }
            #expect(error.code == .conflict)
            let again = try context.archive()
            try world.run { other in
                try other.restore(again)
                #expect(try failure { try other.save() }.code == .conflict)
            }
        }
    }

    @Test("restoring an archive notifies observers")
    func observers() throws {
        let archive = try archive { _ = try $0.insert("Post") }
        try world.run { (context) throws in
            var inserted = 0
            _ = context.observe { if case .objectsDidChange(let changes) = $0 { inserted += changes.inserted.count } }
            try context.restore(archive)
            #expect(inserted == 1)
        }
    }

    @Test("an archive can be restored only into an empty context of the same stores")
    func refusals() throws {
        let id = try paged()
        let archive = try archive { try $0.existingObject(with: id).setValue("Mine", forKey: "title") }
        try world.run { (context) throws in
            let post = try context.insert("Post")
            #expect(try failure { try context.restore(archive) }.code == .invalidRequest)
            context.delete(post)
            context.reset()
            try context.restore(archive)
            #expect(context.updatedObjects.count == 1)
        }
        try world.coordinator.check(archive)
        let other = try World()
        #expect(try failure { try other.coordinator.check(archive) }.code == .unknownStore)
        try other.run { (context) throws in
            #expect(try failure { try context.restore(archive) }.code == .unknownStore)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        }
    }

    @Test("the deletion of a missing object isn't archived, even after undo and redo")
    func deletedFaultsOfNothing() throws {
        let postID = try paged()
        try world.run { (context) throws in
            context.delete(try context.existingObject(with: postID))
            try context.save()
        }
        let archive = try archive { context in
            context.delete(context.object(with: postID))
            try context.processPendingChanges()
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            try context.undo()
            #expect(!context.hasChanges)
            try context.redo()
            #expect(!context.hasChanges)
        }
        try restore(archive) { context in
            #expect(!context.hasChanges)
            try context.save()
        }
    }
}
