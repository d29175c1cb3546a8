// SPDX-License-Identifier: Apache-2.0

// Calls from hooks, observers and closures back into the engine.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Reentrance")
struct ReentranceTests {
    /// A point at which application code is called.
    enum Place: String, CaseIterable, Sendable {
        case willSave, validateForInsert, validateForUpdate, validateForDelete, validateValue, prepareForDeletion
        case preparingByCascade, didSave, willSaveObserver, didSaveObserver, makingANote, awakeFromFetch
    }

    /// An object with hooks that run a closure.
    private final class Step: ManagedObject {
        var hook: ((Place) throws -> Void)?

        private func call(_ place: Place) { try? hook?(place) }

        override func willSave() { call(.willSave) }
        override func didSave() { call(.didSave) }
        override func prepareForDeletion() { call(.prepareForDeletion) }
        override func awakeFromFetch() { call(.awakeFromFetch) }
        override func validateForInsert() throws {
            try hook?(.validateForInsert)
            try super.validateForInsert()
        }
        override func validateForUpdate() throws {
            try hook?(.validateForUpdate)
            try super.validateForUpdate()
        }
        override func validateForDelete() throws {
            try hook?(.validateForDelete)
            try super.validateForDelete()
        }
        override func validate(_ value: inout Value, forKey key: String) throws {
            try super.validate(&value, forKey: key)
            if key == "name" { try hook?(.validateValue) }
        }
    }

    private static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Step") {
                    Attribute("name", .string).optional()
                    Relationship("next", toMany: "Step", inverse: "previous", deleteRule: .cascade).optional()
                    Relationship("previous", toOne: "Step", inverse: "next").optional()
                }
            }
        )
    }

    private static func coordinator(_ kind: String?) throws -> PersistentStoreCoordinator {
        let model = try model.get()
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Step.self])
        try coordinator.add(TestStore.make(model, kind: kind))
        return coordinator
    }

    @Test(
        "a save within a save, a deletion or a fault is an error, on all stores",
        arguments: TestStore.kinds,
        Place.allCases
    )
    func saving(kind: String?, place: Place) throws {
        try Self.coordinator(kind).withContext { context in
            var errors: [GraphError] = []
            func save() throws {
                do throws(GraphError) {
                    try context.save()
                } catch {
                    errors.append(error)
                    throw error
                }
            }
            let (step, follower) = (try context.insert(Step.self), try context.insert(Step.self))
            try step.add(follower, forKey: "next")
            if place != .validateForInsert { try context.save() }
            let target = place == .preparingByCascade ? follower : step
            target.hook = { if $0 == place || $0 == .prepareForDeletion && place == .preparingByCascade { try save() } }
            _ = context.observe { notification in
                switch (notification, place) {
                case (.willSave, .willSaveObserver), (.didSave, .didSaveObserver): try? save()
                default: break
                }
            }
            switch place {
            case .prepareForDeletion, .preparingByCascade, .validateForDelete: context.delete(step)
            case .awakeFromFetch: try context.refresh(step, mergingChanges: false)
            default: try step.setValue("a", forKey: "name")
            }
            if place == .awakeFromFetch { _ = try step.value(forKey: "name") }
            do {
                try context.save {
                    if place == .makingANote { try? save() }
                    return PendingNote(key: "a") { _ in [] }
                }
            } catch let error as GraphError {
                // An error that a validator throws ends the save.
                #expect(error.code == .reentrant)
                #expect(error.message == errors.first?.message)
            }
            #expect(errors.count == 1)
            #expect(errors.allSatisfy { $0.code == .reentrant && $0.message.hasPrefix("save() was called within ") })
            target.hook = nil
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(
        "a rollback or a reset within a hook has no effect, and the current operation throws",
        arguments: [
            Place.willSave, .validateForUpdate, .validateValue, .didSave, .prepareForDeletion, .awakeFromFetch,
        ],
        ["rollback()", "reset()"]
    )
    func abandoning(place: Place, call: String) throws {
        let coordinator = try Self.coordinator(nil)
        let error = try failure {
            try coordinator.withContext { context in
                let step = try context.insert(Step.self)
                try context.save()
                step.hook = { if $0 == place { call == "reset()" ? context.reset() : context.rollback() } }
                switch place {
                case .prepareForDeletion: context.delete(step)
                case .awakeFromFetch:
                    try context.refresh(step, mergingChanges: false)
                    _ = try step.value(forKey: "name")
                default: try step.setValue("a", forKey: "name")
                }
                try context.save()
            }
        }
        #expect(error.code == .reentrant)
        #expect(error.message.hasPrefix("\(call) was called within "))
        let saved = try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Step")).map { try $0.value(forKey: "name") }
        }
        #expect(saved == [place == .didSave ? .string("a") : .null])
    }

    @Test("validate, undo, redo and rehearseSave throw within a save's hooks")
    func others() throws {
        try Self.coordinator(nil).withContext { context in
            context.undoManager = ObjectUndoManager()
            let step = try context.insert(Step.self)
            var errors: [String] = []
            func attempt(_ name: String, _ body: () throws -> Void) {
                do { try body() } catch {
                    errors.append("\(name): \((error as? GraphError)?.code.rawValue ?? "\(error)")")
                }
            }
            step.hook = { place in
                guard place == .validateForInsert else { return }
                attempt("validate", context.validate)
                attempt("undo", context.undo)
                attempt("redo", context.redo)
                attempt("rehearseSave") { _ = try context.rehearseSave() }
            }
            try context.save()
            #expect(errors == ["validate", "undo", "redo", "rehearseSave"].map { $0 + ": reentrant" })
            #expect(!step.hasChanges)
        }
    }

    @Test(
        "prepareForDeletion that endlessly inserts and deletes objects is an error",
        arguments: [true, false]
    )
    func endlessDeletion(byCascade: Bool) throws {
        let error = try failure {
            try Self.coordinator(nil).withContext { context in
                func grow(_ step: Step) {
                    step.hook = { place in
                        guard place == .prepareForDeletion else { return }
                        let next = try context.insert(Step.self)
                        grow(next)
                        if byCascade { try step.add(next, forKey: "next") } else { context.delete(next) }
                    }
                }
                let step = try context.insert(Step.self)
                grow(step)
                context.delete(step)
                try context.save()
            }
        }
        #expect(error.code == .endlessChanges)
        #expect(error.message == "prepareForDeletion() of Step endlessly inserts objects that are deleted in turn.")
    }

    @Test("objects that delete one another and themselves are each deleted once")
    func mutualDeletion() throws {
        try Self.coordinator(nil).withContext { context in
            let steps = try (0..<5_000).map { _ in try context.insert(Step.self) }
            try context.save()
            var prepared = 0
            for (place, step) in steps.enumerated() {
                step.hook = { hook in
                    guard hook == .prepareForDeletion else { return }
                    prepared += 1
                    for offset in -1...1 { context.delete(steps[(place + offset + steps.count) % steps.count]) }
                }
            }
            context.delete(steps[0])
            #expect(steps.allSatisfy { $0.isDeleted })
            #expect(prepared == steps.count)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Step")) == 0)
        }
    }

    @Test("a fetch in a hook during a cascade doesn't end the undo step")
    func fetchingInCascade() throws {
        try Self.coordinator(nil).withContext { context in
            context.undoManager = ObjectUndoManager()
            let steps = try (0..<3).map { _ in try context.insert(Step.self) }
            for step in steps[1...] { try steps[0].add(step, forKey: "next") }
            try context.save()
            for step in steps[1...] {
                step.hook = { _ in _ = try context.fetch(FetchRequest<ManagedObject>("Step")) }
            }
            context.delete(steps[0])
            try context.processPendingChanges()
            #expect(steps.allSatisfy { $0.isDeleted })
            try context.undo()
            #expect(steps.allSatisfy { !$0.isDeleted })
            #expect(try steps[0].objects(forKey: "next").count == 2)
        }
    }

    /// An object that inserts another one when it is inserted.
    private final class Spawn: ManagedObject {
        override func awakeFromInsert() { _ = try? context?.insert(Spawn.self) }
    }

    @Test("awakeFromInsert that inserts endlessly is an error")
    func endlessInsertion() throws {
        let model = try ManagedObjectModel(Model { Entity("Spawn") { Attribute("name", .string).optional() } })
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Spawn.self])
        try coordinator.add(TestStore.make(model))
        let error = try failure {
            try coordinator.withContext { context in
                try context.insert(Spawn.self)
                try context.save()
            }
        }
        #expect(error.code == .endlessChanges)
        #expect(error.message == "awakeFromInsert() of Spawn endlessly inserts objects that insert others in turn.")
    }

    /// An access to a coordinator from a closure during a write.
    enum Access: String, CaseIterable, Sendable {
        case save, batchInsert, batchUpdate, batchDelete, permanentIDs, rehearsal
        case fetch, read, note, generation

        var isWrite: Bool {
            switch self {
            case .save, .batchInsert, .batchUpdate, .batchDelete, .permanentIDs, .rehearsal: true
            case .fetch, .read, .note, .generation: false
            }
        }

        func run(_ coordinator: PersistentStoreCoordinator) throws {
            switch self {
            case .save:
                try coordinator.withContext { context in
                    try context.insert("Step")
                    try context.save()
                }
            case .batchInsert: try coordinator.execute(BatchInsertRequest("Step", rows: [[:]]))
            case .batchUpdate:
                var update = BatchUpdateRequest("Step")
                update.propertiesToUpdate = ["name": .constant("b")]
                try coordinator.execute(update)
            case .batchDelete: try coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Step")))
            case .permanentIDs:
                try coordinator.withContext { context in
                    try context.obtainPermanentIDs(for: [try context.insert("Step")])
                }
            case .rehearsal:
                try coordinator.withContext { context in
                    try context.insert("Step")
                    _ = try context.rehearseSave()
                }
            case .fetch: _ = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Step")) }
            case .read: _ = try coordinator.read { try $0.count(FetchRequest("Step")) }
            case .note: _ = try coordinator.note("a")
            case .generation: _ = try coordinator.currentQueryGeneration()
            }
        }
    }

    @Test(
        "a batch's closure may read but not write, except through another coordinator",
        arguments: TestStore.kinds,
        Access.allCases
    )
    func batchClosure(kind: String?, access: Access) throws {
        let (coordinator, other) = (try Self.coordinator(kind), try Self.coordinator(kind))
        var isGiven = false
        let request = BatchInsertRequest("Step") {
            try access.run(other)
            try access.run(coordinator)
            defer { isGiven = true }
            return isGiven ? nil : ["name": "a"]
        }
        if access.isWrite {
            let error = try failure { try coordinator.execute(request) }
            #expect(error.code == .reentrant)
            #expect(error.message == "A write was called within the closure of a batch.")
        } else {
            try coordinator.execute(request)
        }
        let count = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Step")) }
        #expect(count == (access.isWrite ? 0 : 1))
    }

    @Test(
        "a note's closure may neither read nor write, on all stores",
        arguments: TestStore.kinds,
        Access.allCases
    )
    func noteClosure(kind: String?, access: Access) throws {
        let coordinator = try Self.coordinator(kind)
        let error = try failure {
            try coordinator.withContext { context in
                try context.insert("Step")
                try context.save {
                    PendingNote(key: "b") { _ in
                        try access.run(coordinator)
                        return []
                    }
                }
            }
        }
        #expect(error.code == .reentrant)
        #expect(error.message == "A \(access.isWrite ? "write" : "read") was called within the closure of a note.")
        let count = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Step")) }
        #expect(count == 0)
        let batch = try failure {
            try coordinator.execute(
                BatchInsertRequest("Step", rows: [[:]]),
                noting: PendingNote(key: "c") { _ in
                    try access.run(coordinator)
                    return []
                }
            )
        }
        #expect(batch.code == .reentrant)
    }
}
