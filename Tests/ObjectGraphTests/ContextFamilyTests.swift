// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Synchronization
import TestSupport
import Testing

@Suite("Context families")
struct ContextFamilyTests {
    let world: World
    let family: ContextFamily
    var root: ContextFamily.Member { family.root }

    init() throws {
        world = try World()
        family = ContextFamily(world.coordinator)
        try family.perform(in: family.root) { context in
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = false
        }
    }

    private func child(of parent: ContextFamily.Member) throws -> ContextFamily.Member {
        let child = try family.addChild(of: parent)
        try family.perform(in: child) { context in
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = false
        }
        return child
    }

    private func stored(_ title: String) throws -> ManagedObjectID {
        try world.run { context in
            let post = try context.insert("Post")
            try post.setValue(.string(title), forKey: "title")
            try context.save()
            return post.objectID
        }
    }

    private func set(_ key: String, _ value: Value, of id: ManagedObjectID) throws {
        try world.run { context in
            try context.object(with: id).setValue(value, forKey: key)
            try context.save()
        }
    }

    private func value(_ key: String, of id: ManagedObjectID, in member: ContextFamily.Member) throws -> Value {
        try family.perform(in: member) { try $0.object(with: id).value(forKey: key) }
    }

    @Test("another context's save is merged into all contexts, and edits remain")
    func merging() throws {
        let id = try stored("One")
        let child = try child(of: root)
        #expect(try value("title", of: id, in: child) == "One")
        try family.perform(in: child) { try $0.object(with: id).setValue(3, forKey: "views") }
        try set("title", "Two", of: id)
        #expect(try value("title", of: id, in: root) == "Two")
        #expect(try value("title", of: id, in: child) == "Two")
        #expect(try value("views", of: id, in: child) == 3)
        #expect(try value("views", of: id, in: root) == 0)
    }

    @Test("a child's save is pending in its parent and visible to siblings, and the root's save assigns IDs for all")
    func saving() throws {
        let (one, other) = (try child(of: root), try child(of: root))
        let grandchild = try child(of: one)
        let temporary = try family.perform(in: grandchild) { context in
            let author = try context.insert("User")
            try author.setValue("Ada", forKey: "name")
            let post = try context.insert("Post")
            try post.relate("author", author)
            try context.save()
            return post.objectID
        }
        #expect(temporary.temporaryNumber == 2)
        #expect(try family.perform(in: other) { try $0.count(FetchRequest<ManagedObject>("Post")) } == 0)
        try family.perform(in: one) { try $0.save() }
        #expect(try family.perform(in: other) { try $0.count(FetchRequest<ManagedObject>("Post")) } == 1)
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Post")) } == 0)
        try family.perform(in: root) { try $0.save() }
        let permanent = try #require(family.temporaryIDs.objectID(numbered: 2))
        #expect(!permanent.isTemporary)
        for member in [root, one, other, grandchild] {
            let names = try family.perform(in: member) { context in
                #expect(!context.hasChanges)
                let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
                #expect(posts.map(\.objectID) == [permanent])
                #expect(context.object(with: temporary) === posts.first)
                return try posts.map { try $0.related("author").first?.value(forKey: "name") }
            }
            #expect(names == ["Ada"])
        }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Post")) } == 1)
    }

    @Test("an edit on both sides is an edit conflict, and the save writes the own edit")
    func editConflicts() throws {
        let id = try stored("One")
        try family.perform(in: root) { try $0.object(with: id).setValue("Mine", forKey: "title") }
        let seen = Notices()
        let watch = try family.watch(root) { seen.add($0) }
        try set("title", "Theirs", of: id)
        try set("views", 9, of: id)
        try family.perform(in: root) { context in
            let post = context.object(with: id)
            let editConflicts = context.editConflicts(of: post)
            #expect(editConflicts.map(\.property.name) == ["title"])
            #expect(editConflicts.first?.base == .attribute("One"))
            #expect(try post.committedValues(forKeys: ["title"])["title"] == "Theirs")
            #expect(try post.value(forKey: "views") == 9)
            try context.save()
            #expect(context.editConflicts(of: post).isEmpty)
        }
        #expect(seen.all.flatMap(\.updated).map(\.properties) == [["title"], ["views"]])
        #expect(seen.all.flatMap(\.updated).map(\.conflict) == [["title"], []])
        family.endWatch(watch, of: root)
        let saved = try world.run { try $0.object(with: id).value(forKey: "title") }
        #expect(saved == "Mine")
    }

    @Test("each save by others is reported once, also if it arrives while the context is used")
    func noticesDuringUse() async throws {
        let id = try stored("One")
        let count = 400
        let seen = Notices()
        let family = family
        let watch = try family.watch(root) { seen.add($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled { try family.perform(in: family.root) { _ in } }
            }
            for views in 1...count { try set("views", .integer(Int64(views)), of: id) }
            group.cancelAll()
            try await group.waitForAll()
        }
        try family.perform(in: root) { _ in }
        family.endWatch(watch, of: root)
        #expect(seen.all.flatMap(\.updated).count == count)
        #expect(try value("views", of: id, in: root) == .integer(Int64(count)))
    }

    @Test("undoing a conflicting edit restores the saved value")
    func undoingContested() throws {
        let id = try stored("One")
        try family.perform(in: root) { try $0.object(with: id).setValue("Mine", forKey: "title") }
        try set("title", "Theirs", of: id)
        try family.perform(in: root) { try $0.undo() }
        #expect(try value("title", of: id, in: root) == "Theirs")
        #expect(try family.perform(in: root) { $0.hasChanges } == false)
        try family.perform(in: root) { try $0.redo() }
        #expect(try value("title", of: id, in: root) == "Mine")
    }

    @Test("a group with a closure that throws leaves the context unchanged")
    func groups() throws {
        let id = try stored("One")
        try family.perform(in: root) { context in
            try context.withUndoGroup { try context.object(with: id).setValue("Two", forKey: "title") }
            try context.undo()
        }
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try family.perform(in: root) { context in
                try context.withUndoGroup {
                    let user = try context.insert("User")
                    try context.object(with: id).relate("author", user)
                    context.delete(try context.insert("Tag"))
                    try context.processPendingChanges()
                    context.delete(context.object(with: id))
                    throw Refused()
                }
            }
        }
        try family.perform(in: root) { context in
            #expect(!context.hasChanges)
            #expect(context.undoManager?.undoCount == 0)
            #expect(context.undoManager?.redoCount == 1)
            try context.redo()
            #expect(try context.object(with: id).value(forKey: "title") == "Two")
            #expect(try context.object(with: id).related("author").isEmpty)
        }
    }

    @Test("making room drops the oldest undo steps, and a failed group restores them")
    func room() throws {
        let id = try stored("One")
        struct Refused: Error {}
        try family.perform(in: root) { (context) throws in
            func set(_ letter: String, failing: Bool = false) throws {
                try context.withUndoGroup {
                    let title = String(repeating: letter, count: 10_000)
                    try context.object(with: id).setValue(.string(title), forKey: "title")
                    try context.trimToMemoryLimit()
                    if failing { throw Refused() }
                }
            }
            for letter in ["a", "b", "c"] { try set(letter) }
            #expect(context.undoManager?.undoCount == 3)
            context.memoryLimit = context.pendingSize
            #expect(throws: Refused.self) { try set("d", failing: true) }
            #expect(context.undoManager?.undoCount == 3)
            try set("d")
            #expect(context.undoManager?.undoCount == 2)
            #expect(context.pendingSize <= context.memoryLimit ?? 0)
            context.memoryLimit = 15_000
            #expect(throws: GraphError.self) { try set("e") }
            for _ in 0..<2 { try context.undo() }
            #expect(
                try context.object(with: id).value(forKey: "title") == .string(String(repeating: "b", count: 10_000))
            )
        }
    }

    @Test("pending changes stay within the memory limit, and many steps can still be undone")
    func manySteps() throws {
        let id = try stored("One")
        try family.perform(in: root) { (context) throws in
            context.memoryLimit = 100_000
            for number in 0..<1_000 {
                try context.withUndoGroup {
                    let title = String(repeating: "\(number % 10)", count: number % 7 * 100)
                    try context.object(with: id).setValue(.string(title), forKey: "title")
                    try context.trimToMemoryLimit()
                }
                #expect(context.pendingSize <= 100_000)
            }
            #expect(try #require(context.undoManager?.undoCount) > 100)
        }
    }

    @Test("a full parent refuses a child's save, and both contexts are unchanged")
    func fullParent() throws {
        let child = try family.addChild(of: root)
        try family.perform(in: root) { $0.memoryLimit = 15_000 }
        let tag = { (letter: String) in
            try family.perform(in: child) { (context) throws in
                let name = String(repeating: letter, count: 10_000)
                try context.insert("Tag").setValue(.string(name), forKey: "name")
            }
        }
        try tag("a")
        try family.perform(in: child) { try $0.save() }
        try tag("b")
        #expect(throws: GraphError.self) { try family.perform(in: child) { try $0.save() } }
        #expect(try family.perform(in: child) { $0.insertedObjects.count } == 1)
        try family.perform(in: root) { (context) throws in
            #expect(context.insertedObjects.count == 1)
            #expect(context.undoManager?.undoCount == 1)
            try context.save()
        }
        try family.perform(in: child) { try $0.save() }
        #expect(try family.perform(in: root) { $0.insertedObjects.count } == 1)
    }

    @Test("a context that doesn't merge automatically is unchanged until it merges all")
    func stayingBehind() throws {
        let id = try stored("One")
        try family.perform(in: root) { (context) throws in
            context.automaticallyMergesChanges = false
            context.retainsRegisteredObjects = true
            #expect(try context.object(with: id).value(forKey: "title") == "One")
        }
        try set("title", "Two", of: id)
        #expect(try value("title", of: id, in: root) == "One")
        try family.perform(in: root) { try $0.mergeAll() }
        #expect(try value("title", of: id, in: root) == "Two")
    }

    @Test("a parent's undo is visible in its children")
    func parentsUndo() throws {
        let id = try stored("One")
        let child = try child(of: root)
        try family.perform(in: root) { try $0.object(with: id).setValue("Two", forKey: "title") }
        #expect(try value("title", of: id, in: child) == "Two")
        try family.perform(in: root) { try $0.undo() }
        #expect(try value("title", of: id, in: child) == "One")
    }

    @Test("saving a child's edit of an object that the parent deleted is a conflict, unless the child's policy wins")
    func deletedInParent() throws {
        let id = try stored("One")
        let child = try child(of: root)
        try family.perform(in: child) { try $0.object(with: id).setValue("Mine", forKey: "title") }
        try family.perform(in: root) { (context) throws in context.delete(context.object(with: id)) }
        let error = #expect(throws: GraphError.self) { try family.perform(in: child) { try $0.save() } }
        #expect(error?.code == .conflict)
        #expect(throws: GraphError.self) { try family.perform(in: child) { _ = try $0.rehearseSave() } }
        try family.perform(in: child) { (context) throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(try value("title", of: id, in: root) == "Mine")
        try family.perform(in: root) { try $0.save() }
        #expect(try world.run { try $0.object(with: id).value(forKey: "title") } == "Mine")
    }

    @Test("a deletion that a child has saved is undone to the same object until the parent saves")
    func undoneDeletion() throws {
        let id = try stored("One")
        let child = try child(of: root)
        let grandchild = try self.child(of: child)
        try family.perform(in: grandchild) { try $0.object(with: id).setValue(7, forKey: "views") }
        try family.perform(in: child) { (context) throws in
            context.delete(context.object(with: id))
            try context.save()
        }
        #expect(try family.perform(in: root) { try $0.count(FetchRequest<ManagedObject>("Post")) } == 0)
        try family.perform(in: child) { try $0.undo() }
        #expect(try value("views", of: id, in: grandchild) == 7)
        try family.perform(in: grandchild) { try $0.save() }
        try family.perform(in: child) { try $0.save() }
        #expect(try value("views", of: id, in: root) == 7)
        #expect(try family.perform(in: root) { $0.insertedObjects.count } == 0)
        try family.perform(in: root) { try $0.save() }
        #expect(try world.run { try $0.object(with: id).value(forKey: "views") } == 7)
    }

    @Test("resetting a parent removes its unsaved objects from its children")
    func resetOfParent() throws {
        let child = try child(of: root)
        let grandchild = try self.child(of: child)
        let id = try family.perform(in: root) { try $0.insert("User").objectID }
        try family.perform(in: child) { (context) throws in
            let user = context.object(with: id)
            try user.relate("mentor", user)
        }
        #expect(try family.perform(in: grandchild) { try $0.object(with: id).related("students").count } == 1)
        try family.perform(in: child) { $0.reset() }
        for name in ["mentor", "students"] {
            #expect(try family.perform(in: grandchild) { try $0.object(with: id).related(name).count } == 0)
        }
    }

    @Test("undo and redo of an insertion in a parent apply to its children")
    func goneAndBack() throws {
        let child = try child(of: root)
        let id = try family.perform(in: child) { (context) throws in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        let other = try self.child(of: root)
        func count() throws -> [Int] {
            try [child, other].map { try family.perform(in: $0) { try $0.count(FetchRequest<ManagedObject>("Post")) } }
        }
        #expect(try count() == [1, 1])
        try family.perform(in: root) { try $0.undo() }
        #expect(try count() == [0, 0])
        try family.perform(in: root) { try $0.redo() }
        #expect(try count() == [1, 1])
        #expect(try value("title", of: id, in: other) == "Untitled")
    }

    @Test("an object that is restored in a parent isn't related to objects that were deleted with it")
    func backAlone() throws {
        let id = try world.run { context in
            let post = try context.insert("Post")
            try post.relate("pages", try context.insert("Page"))
            try post.relate("tags", try context.insert("Tag"))
            try context.save()
            return post.objectID
        }
        let (one, other) = (try child(of: root), try child(of: root))
        let witness = try child(of: other)
        try family.perform(in: other) { try $0.object(with: id).setValue("Mine", forKey: "title") }
        #expect(try value("title", of: id, in: witness) == "Mine")
        try family.perform(in: one) { (context) throws in
            for tag in try context.object(with: id).related("tags") { context.delete(tag) }
            context.delete(context.object(with: id))
            try context.save()
        }
        try family.perform(in: other) { (context) throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        for member in [root, one, other, witness] {
            #expect(try value("title", of: id, in: member) == "Mine")
            for name in ["pages", "tags"] {
                #expect(try family.perform(in: member) { try $0.object(with: id).related(name).count } == 0)
            }
        }
        try family.perform(in: root) { try $0.save() }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Page")) } == 0)
    }

    @Test("a removed context and its descendants can't be used")
    func removal() throws {
        let child = try child(of: root)
        let grandchild = try self.child(of: child)
        family.remove(child)
        for member in [child, grandchild] {
            #expect(throws: GraphError.self) { try family.perform(in: member) { _ in } }
        }
        #expect(try family.perform(in: root) { $0.hasChanges } == false)
    }
}

private final class Notices: Sendable {
    private let notices = Mutex<[MergeNotice]>([])
    var all: [MergeNotice] { notices.withLock(\.self) }
    func add(_ notice: MergeNotice) { notices.withLock { $0.append(notice) } }
}
