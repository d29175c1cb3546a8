// SPDX-License-Identifier: Apache-2.0

// Deleted objects that are inserted again, and the hooks of their deletions.

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Reinsertion of deleted objects")
struct ReinsertingTests {
    /// An object that counts its deletions, and records its text at those times.
    private final class Note: ManagedObject {
        var preparations: [Value] = []

        override func prepareForDeletion() { preparations.append((try? value(forKey: "text")) ?? .null) }
    }

    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Note") {
                    Attribute("text", .string).optional()
                    Relationship("replies", toMany: "Note", inverse: "parent", deleteRule: .cascade).optional()
                    Relationship("parent", toOne: "Note", inverse: "replies").optional()
                }
            }
        )
        coordinator = PersistentStoreCoordinator(model: model, classes: [Note.self])
        try coordinator.add(TestStore.make(model))
    }

    private func thread(_ context: ManagedObjectContext) throws -> (parent: Note, reply: Note) {
        let (parent, reply) = (try context.insert(Note.self), try context.insert(Note.self))
        try parent.setValue("parent", forKey: "text")
        try reply.setValue("reply", forKey: "text")
        try parent.add(reply, forKey: "replies")
        return (parent, reply)
    }

    private func texts() throws -> [Value] {
        try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Note")).map { try $0.value(forKey: "text") }
        }
    }

    @Test("inserting an object with a pending deletion restores it, before its relationships are unlinked")
    func pending() throws {
        try coordinator.withContext { context in
            let (parent, reply) = try thread(context)
            try context.save()
            context.delete(parent)
            try context.insert(parent)
            #expect(!parent.hasChanges && !context.hasChanges)
            try context.processPendingChanges()
            #expect(!reply.isDeleted)
            #expect(try parent.objects(forKey: "replies") == [reply])
        }
    }

    @Test("effects of delete rules remain, and the reinserted object is saved without those relationships")
    func propagated() throws {
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let (parent, reply) = try thread(context)
            try context.save()
            context.delete(parent)
            try context.processPendingChanges()
            try context.insert(parent)
            #expect(!parent.isDeleted && reply.isDeleted)
            #expect(try parent.objects(forKey: "replies").isEmpty)
            #expect(context.deletedObjects == [reply])
            try context.processPendingChanges()
            try context.undo()
            #expect(parent.isDeleted)
            try context.redo()
            #expect(!parent.isDeleted)
            try context.save()
        }
        #expect(try texts() == ["parent"])
    }

    @Test("an unsaved object is reinserted with the same ID", arguments: [true, false])
    func unsaved(isProcessed: Bool) throws {
        try coordinator.withContext { context in
            let note = try thread(context).parent
            let objectID = note.objectID
            context.delete(note)
            if isProcessed { try context.processPendingChanges() }
            try context.insert(note)
            #expect(note.isInserted && note.objectID == objectID)
            #expect(context.insertedObjects.contains(note))
            try context.save()
        }
        #expect(try texts().contains("parent"))
    }

    @Test(
        "after a saved deletion, an object is reinserted as a new one with the same values",
        arguments: [true, false]
    )
    func saved(isUndoable: Bool) throws {
        try coordinator.withContext { context in
            if isUndoable { context.undoManager = ObjectUndoManager() }
            let note = try thread(context).reply
            try context.save()
            let objectID = note.objectID
            context.delete(note)
            try context.save()
            #expect(note.context == nil)
            try context.insert(note)
            #expect(note.isInserted && note.objectID.isTemporary && note.context === context)
            try context.save()
            #expect(note.objectID != objectID)
            #expect(try context.fetch(FetchRequest<ManagedObject>("Note")).contains(note))
        }
        #expect(try texts().sorted { "\($0)" < "\($1)" } == ["parent", "reply"])
    }

    @Test("reinserting an undeleted object has no effect, and one from before a reset is an error")
    func others() throws {
        try coordinator.withContext { context in
            let note = try thread(context).parent
            try context.insert(note)
            try context.save()
            try context.insert(note)
            #expect(!context.hasChanges)
            context.reset()
            let error = #expect(throws: GraphError.self) { try context.insert(note) }
            #expect(error?.code == .invalidRequest)
            #expect(!context.hasChanges)
        }
    }

    @Test("each deletion calls prepareForDeletion once, also after an undo or a reinsertion")
    func preparations() throws {
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let (parent, reply) = try thread(context)
            try context.save()
            for number in 1...2 {
                context.delete(parent)
                context.delete(parent)
                try context.processPendingChanges()
                context.delete(reply)
                #expect(parent.preparations.count == number)
                #expect(reply.preparations.count == number)
                try context.undo()
            }
            context.delete(parent)
            try context.insert(parent)
            context.delete(parent)
            #expect(parent.preparations.count == 4)
            try context.save()
            #expect(reply.preparations == ["reply", "reply", "reply"])
        }
    }

    @Test("a child's save prepares the parent's objects for deletion, including cascaded ones")
    func child() throws {
        try coordinator.withContext { context in
            let (parent, reply) = try thread(context)
            try context.save()
            let parentID = parent.objectID
            try context.withChild { child in
                child.delete(child.object(with: parentID))
                try child.save()
            }
            #expect(parent.preparations == ["parent"] && reply.preparations == ["reply"])
            try context.save()
            #expect(parent.preparations.count == 1 && reply.preparations.count == 1)
        }
    }
}
