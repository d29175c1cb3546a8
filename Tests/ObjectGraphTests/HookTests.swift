// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Object hooks")
struct HookTests {
    /// An object that records calls of its hooks.
    private final class Note: ManagedObject {
        var calls: [String] = []
        var saving: ((Note) throws -> Void)?
        var validating: ((Note) throws -> Void)?

        private func told(_ call: String) { calls.append(call) }

        var text: String {
            if case .string(let text)? = try? value(forKey: "text") { text } else { "" }
        }

        override func awakeFromInsert() {
            told("insert")
            try? setValue("new", forKey: "text")
        }
        override func awakeFromFetch() {
            told("fetch")
            try? setValue(.integer(Int64(text.count)), forKey: "length")
        }
        override func awake(fromSnapshotEvents events: SnapshotEvents) { told("events \(events.rawValue)") }
        override func prepareForDeletion() { told("prepare") }
        override func willSave() {
            told("will save")
            try? saving?(self)
        }
        override func didSave() { told("did save") }
        override func willTurnIntoFault() { told("will turn") }
        override func didTurnIntoFault() { told("did turn") }
        override func validateForInsert() throws { try validating?(self) }
        override func validateForUpdate() throws { try validating?(self) }
        override func validateForDelete() throws {
            if text == "kept" { throw ValidationFailure("It is to be kept.", property: "text") }
        }
        override func validate(_ value: inout Value, forKey key: String) throws {
            guard key == "text", case .string(let text) = value else { return }
            if text.hasPrefix(" ") { value = .string(String(text.drop { $0 == " " })) }
            if text == "bad" { throw ValidationFailures([ValidationFailure("Bad."), ValidationFailure("Very bad.")]) }
        }
        func takeCalls() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Note") {
                    Attribute("text", .string).optional()
                    Attribute("length", .int64).optional().transient()
                    Attribute("mood", .string).default("calm").transient()
                    Relationship("replies", toMany: "Note", inverse: "parent", deleteRule: .cascade).optional()
                    Relationship("parent", toOne: "Note", inverse: "replies").optional()
                }
            }
        )
        coordinator = PersistentStoreCoordinator(model: model, classes: [Note.self])
        try coordinator.add(TestStore.make(model))
    }

    @Test("the hooks of an object's life cycle are called in order")
    func life() throws {
        let id = try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let note = try context.insert(Note.self)
            #expect(note.takeCalls() == ["insert"])
            try context.save()
            #expect(note.takeCalls() == ["will save", "did save"])
            try note.setValue("two", forKey: "text")
            try context.undo()
            #expect(note.takeCalls() == ["events 8"])
            #expect(note.text == "new")
            try context.redo()
            context.rollback()
            #expect(note.takeCalls() == ["events 8", "events 16"])
            try context.refresh(note, mergingChanges: false)
            #expect(note.takeCalls() == ["will turn", "did turn"])
            return note.objectID
        }
        try coordinator.withContext { context in
            let note = try #require(context.object(with: id) as? Note)
            #expect(note.calls.isEmpty)
            #expect(note.text == "new")
            #expect(note.takeCalls() == ["fetch"])
            context.delete(note)
            context.delete(note)
            #expect(note.takeCalls() == ["prepare"])
            try context.save()
            #expect(note.takeCalls() == ["will save", "did save"])
        }
    }

    @Test("a change while awakening from a fetch is not a pending change")
    func awakening() throws {
        let id = try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            try context.save()
            return note.objectID
        }
        try coordinator.withContext { (context) throws in
            context.undoManager = ObjectUndoManager()
            let note = context.object(with: id)
            #expect(try note.value(forKey: "length") == 3)
            #expect(!note.hasChanges && !context.hasChanges)
            #expect(note.changedValues.isEmpty)
            // A transient attribute has its default value after each fetch.
            #expect(try note.value(forKey: "mood") == "calm")
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test("undo and redo of an insertion don't call awakeFromInsert again")
    func redoneInsertion() throws {
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let note = try context.insert(Note.self)
            try context.undo()
            try context.redo()
            #expect(note.takeCalls() == ["insert", "events 2", "events 4"])
        }
    }

    @Test("changes in willSave are saved, and willSave is called again for them")
    func willSave() throws {
        try coordinator.withContext { context in
            let (note, other) = (try context.insert(Note.self), try context.insert(Note.self))
            note.saving = { note in
                if note.text != "saved" { try note.setValue("saved", forKey: "text") }
                if other.text != "touched" { try other.setValue("touched", forKey: "text") }
            }
            (note.calls, other.calls) = ([], [])
            try context.save()
            #expect(note.takeCalls() == ["will save", "will save", "did save"])
            #expect(other.takeCalls().filter { $0 == "will save" }.count >= 1)
            let ids = [note.objectID, other.objectID]
            let texts = try coordinator.withContext { fresh in
                try ids.map { try fresh.object(with: $0).value(forKey: "text") }
            }
            #expect(texts == ["saved", "touched"])
        }
    }

    @Test("endless changes in willSave are an error, and nothing is saved")
    func endless() throws {
        try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            note.saving = { try $0.setValue(.string($0.text + "x"), forKey: "text") }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .endlessChanges)
            #expect(note.isInserted)
            note.saving = nil
            try context.save()
        }
    }

    @Test("invalid changes in willSave are found by validation")
    func invalidatedBySaving() throws {
        try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            note.saving = { note in if note.text != "bad" { try note.setValue("bad", forKey: "text") } }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.message) == ["Bad.", "Very bad."])
            #expect(error?.failures.allSatisfy { $0.objectID == note.objectID && $0.entityName == "Note" } == true)
        }
    }

    @Test("a validator's value is saved, and objects that validators change are validated too")
    func validators() throws {
        try coordinator.withContext { context in
            let (note, other) = (try context.insert(Note.self), try context.insert(Note.self))
            try note.setValue("  padded", forKey: "text")
            other.validating = { _ in
                if note.text == "padded" { try note.setValue(" again", forKey: "text") }
            }
            try context.save()
            #expect(note.text == "again")
            let id = note.objectID
            let text = try coordinator.withContext { try $0.object(with: id).value(forKey: "text") }
            #expect(text == "again")
        }
    }

    @Test("validateForDelete can prevent a save, and the object stays deleted until a rollback")
    func validateForDelete() throws {
        try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            try note.setValue("kept", forKey: "text")
            try context.save()
            context.delete(note)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.message) == ["It is to be kept."])
            #expect(error?.property == "text")
            #expect(context.deletedObjects == [note])
            context.rollback()
            #expect(!note.isDeleted)
            #expect(try context.count(FetchRequest<ManagedObject>("Note")) == 1)
        }
    }

    @Test("a cascade calls prepareForDeletion once for each object")
    func cascade() throws {
        try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            let replies = try (0..<3).map { _ in try context.insert(Note.self) }
            for reply in replies { try reply.relate("parent", note) }
            try replies[0].relate("replies", note)
            try context.save()
            for reply in replies { reply.calls = [] }
            context.delete(note)
            try context.processPendingChanges()
            #expect(replies.map(\.calls) == [["prepare"], ["prepare"], ["prepare"]])
        }
    }

    @Test("a change in didSave is a new pending change")
    func didSave() throws {
        try coordinator.withContext { context in
            let note = try context.insert(Note.self)
            _ = context.observe { if case .didSave = $0 { try? note.setValue("after", forKey: "text") } }
            try context.save()
            #expect(context.updatedObjects == [note])
            #expect(note.hasPersistentChangedValues)
        }
    }

    @Test("unreferenced objects are released, unless the context retains them", arguments: [true, false])
    func retaining(retains: Bool) throws {
        try coordinator.withContext { context in
            for _ in 0..<3000 { _ = try context.insert(Note.self) }
            try context.save()
        }
        try coordinator.withContext { context in
            context.retainsRegisteredObjects = retains
            for id in try context.objectIDs(FetchRequest<ManagedObject>("Note")) { _ = context.object(with: id) }
            #expect(retains ? context.registeredObjects.count == 3000 : context.registeredObjects.count < 2000)
        }
    }
}
