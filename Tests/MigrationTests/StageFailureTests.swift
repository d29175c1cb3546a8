// SPDX-License-Identifier: Apache-2.0

// What ends a migration in stages, and where one begins.

import AtomicStores
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Migrations in stages that fail, or have begun before")
struct StageFailureTests {
    private struct Refused: Error, Equatable {}

    @Test(
        "what a closure throws ends the migration, and every store is as before",
        arguments: [false, true],
        [false, true]
    )
    func thrown(isOpen: Bool, isBefore: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let before = try stores.content(versions[0])
        let files = try stores.files()
        let failing: MigrationStage.Closure = { context in
            try context.insert("Team").setValue("red", forKey: "title")
            try context.save()
            throw Refused()
        }
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: StagedPeople.changePhotos,
                didMigrate: StagedPeople.split
            ),
            .custom(
                from: versions[1],
                to: versions[2],
                willMigrate: isBefore ? failing : nil,
                didMigrate: isBefore ? nil : failing
            ),
        ])
        for migrate in stores.migrations(by: migration, isOpen: isOpen) {
            #expect(throws: Refused()) { try migrate() }
        }
        try stores.expectSame(versions[0])
        #expect(try stores.content(versions[0]) == before)
        #expect(try stores.files() == files)
        // Nothing is left that would stand in the way.
        let complete = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: StagedPeople.changePhotos,
                didMigrate: StagedPeople.split
            )
        ])
        try stores.migrate(by: complete, isOpen: isOpen)
        try stores.expectSame(versions[1])
    }

    @Test("values that the model forbids fail when the closure's changes are saved", arguments: [false, true])
    func invalid(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                didMigrate: { context in
                    let person = try context.fetch(FetchRequest<ManagedObject>("Person"))[0]
                    try person.setValue(.string(String(repeating: "x", count: 21)), forKey: "last")
                }
            )
        ])
        for migrate in stores.migrations(by: migration, isOpen: isOpen) {
            let error = #expect(throws: GraphError.self) { try migrate() }
            #expect(error?.code == .validation)
        }
        try stores.expectSame(versions[0])
    }

    @Test("a save that fails within a closure writes nothing, and the closure can go on", arguments: [false, true])
    func failedSave(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                didMigrate: { context in
                    for title in ["red", "red", "blue"] {
                        try context.insert("Team").setValue(.string(title), forKey: "title")
                        let person = try context.fetch(FetchRequest<ManagedObject>("Person"))[0]
                        try person.setValue(StagedPeople.photo(title == "blue" ? 110_000 : 120_000), forKey: "photo")
                        do throws(GraphError) {
                            try context.save()
                        } catch {
                            #expect(error.code == .constraint)
                            context.rollback()
                        }
                    }
                }
            )
        ])
        let report = try stores.migrate(by: migration, isOpen: isOpen)
        #expect(report.stages[0].edits == .init(inserted: 2, updated: 1))
        for store in try stores.open(versions[1]) {
            let objects = try Content(store, versions[1]).objects
            #expect(Set(objects.values.compactMap { $0.values["title"] }) == ["red", "blue"])
            #expect(objects["Person/1"]?.values["photo"] == StagedPeople.photo(110_000))
        }
        #expect(try stores.files().keys.count { $0.contains("_EXTERNAL_DATA") } == 1)
    }

    @Test("what a closure repairs isn't reported, and it isn't called where objects violate a constraint")
    func rules() throws {
        var third = StagedPeople.models[2]
        third.entities[0].attributes[0] = Attribute("first", .string).default("").length(3...3)
        third.entities[0].uniquenessConstraints = [["last"]]
        let versions = try StagedPeople.versions() + [ManagedObjectModel(third)]
        let stores = try StagedPeople.stores(versions[0])
        try stores.migrate(by: ModelMigration(through: Array(versions[0...2])))
        let calls = Mutex(0)
        let repair: MigrationStage.Closure = { context in
            calls.withLock { $0 += 1 }
            for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
                try person.setValue("Abc", forKey: "first")
            }
        }
        let blocked = try ModelMigration(stages: [.custom(from: versions[2], to: versions[3], didMigrate: repair)])
        let found = try stores.migrate(by: blocked, as: .rehearsal).stages[0].violations
        #expect(found.map(\.properties) == [["first"], ["last"]] && calls.withLock(\.self) == 0)
        for migrate in stores.migrations(by: blocked) { #expect(throws: (any Error).self) { try migrate() } }
        try stores.expectSame(versions[2])
        let prepared = try ModelMigration(stages: [
            .custom(
                from: versions[2],
                to: versions[3],
                willMigrate: { context in
                    for (place, person) in try context.fetch(FetchRequest<ManagedObject>("Person")).enumerated() {
                        try person.setValue(.string("\(place)"), forKey: "last")
                    }
                },
                didMigrate: repair
            )
        ])
        #expect(try stores.migrate(by: prepared).stages[0].violations.isEmpty)
        #expect(calls.withLock(\.self) == 3)
        try stores.expectSame(versions[3])
    }

    @Test("a store begins with the stage of its version", arguments: [false, true])
    func beginning(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let called = Mutex<[Int]>([])
        func stages(_ models: [ManagedObjectModel]) throws -> ModelMigration {
            try ModelMigration(
                stages: (0..<2).map { place in
                    .custom(
                        from: models[place],
                        to: models[place + 1],
                        willMigrate: { _ in called.withLock { $0.append(place) } }
                    )
                }
            )
        }
        try stores.migrate(
            by: ModelMigration(stages: [.custom(from: versions[0], to: versions[1], didMigrate: StagedPeople.split)])
        )
        // The same versions, resolved anew.
        let migration = try stages(StagedPeople.versions())
        if isOpen {
            for store in try stores.open(versions[1]) {
                #expect(try store.migrated(by: migration, as: .lossless).report.stages.count == 1)
            }
        } else {
            #expect(try stores.migrate(by: migration, as: .lossless).stages.count == 1)
        }
        #expect(called.withLock(\.self) == [1, 1, 1])
        try stores.expectSame(versions[2])
        let files = try stores.files()
        let before = try stores.content(versions[2])
        #expect(before.objects["Person/1"]?.values["first"] == "Ann")
        #expect(try stores.migrate(by: migration).stages.isEmpty)
        for store in try stores.open(versions[2]) where isOpen {
            let (next, report) = try store.migrated(by: migration, as: .lossless)
            #expect(next != nil && report.stages.isEmpty)
        }
        #expect(called.withLock(\.self).count == 3)
        #expect(try stores.files() == files)
        try stores.expectSame(versions[2])
    }

    @Test("a store that has the last version is left alone, also if that was the first one before")
    func firstAndLast() throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let before = try stores.content(versions[0])
        let migration = try ModelMigration(through: [versions[0], versions[1], versions[0]])
        #expect(try stores.migrate(by: migration).stages.isEmpty)
        #expect(try stores.content(versions[0]).objects == before.objects)
    }

    @Test("stages that don't follow from each other are refused with the difference")
    func order() throws {
        let versions = try StagedPeople.versions()
        let error = #expect(throws: MigrationOrderError.self) {
            try ModelMigration(stages: [
                .lightweight(from: versions[0], to: versions[1]),
                .lightweight(from: versions[0], to: versions[2]),
            ])
        }
        let message = "Stage 2 begins with another version than stage 1 ends with; they differ in Person, Team."
        #expect(error?.message == message)
        let empty = #expect(throws: MigrationOrderError.self) { try ModelMigration(stages: []) }
        #expect(empty?.message == "A migration needs at least one stage.")
    }

    @Test("a stage that can't be inferred is named with the property and what is missing")
    func obstacles() throws {
        var last = StagedPeople.models[2]
        last.entities[0].attributes[0] = Attribute("first", .int16)
        let versions = try StagedPeople.versions() + [ManagedObjectModel(last)]
        let error = #expect(throws: MigrationObstacles.self) {
            try ModelMigration(stages: [
                .lightweight(from: versions[1], to: versions[2]),
                .custom(from: versions[2], to: versions[3], willMigrate: { _ in }),
            ])
        }
        #expect(error?.stage == 2)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("Stage 2 of the migration can't be inferred. Person.first: The type changes"), "\(text)")
        #expect(text.hasSuffix("add a version between, with the old property and the new one."), "\(text)")
    }

    @Test("within a closure, other coordinators can read the store but not save into it")
    func otherCoordinators() throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        for store in try stores.open(versions[0]) {
            let coordinator = PersistentStoreCoordinator(model: versions[0])
            try coordinator.add(store)
            let migration = try ModelMigration(stages: [
                .custom(
                    from: versions[0],
                    to: versions[1],
                    willMigrate: { inner in
                        for person in try inner.fetch(FetchRequest<ManagedObject>("Person")) { inner.delete(person) }
                        try inner.save()
                        let error = #expect(throws: GraphError.self) {
                            try coordinator.withContext { context in
                                #expect(try context.count(FetchRequest<ManagedObject>("Person")) == 3)
                                _ = try context.insert("Person")
                                try context.save()
                            }
                        }
                        #expect(error?.code == .reentrant)
                        let pinned = #expect(throws: GraphError.self) { try coordinator.currentQueryGeneration() }
                        #expect(pinned?.code == .reentrant)
                    }
                )
            ])
            #expect(try store.migrated(by: migration, as: .complete).store != nil)
        }
        try stores.expectSame(versions[1])
        #expect(try stores.content(versions[1]).objects.isEmpty)
    }
}
