// SPDX-License-Identifier: Apache-2.0

// What closures of stages do to the objects of every store.

import AtomicStores
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Migrations in stages with closures")
struct CustomStageTests {
    @Test("values that a closure moves into new attributes aren't lost", arguments: [false, true])
    func split(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(from: versions[0], to: versions[1], didMigrate: StagedPeople.split),
            .lightweight(from: versions[1], to: versions[2]),
        ])
        let report = try stores.migrate(by: migration, as: .lossless, isOpen: isOpen)
        #expect(report.stages.map(\.edits) == [.init(updated: 3), .init()])
        try stores.expectSame(versions[2])
        let people = try stores.content(versions[2]).objects
        #expect(people["Person/1"]?.values["last"] == "Ash" && people["Person/3"]?.values["first"] == "Cid")
        #expect(people["Person/1"]?.values["photo"] == StagedPeople.photo(200_000))
        #expect(people.values.map(\.version) == [2, 2, 2])
        #expect(try stores.files().keys.count { $0.contains("_EXTERNAL_DATA") } == 1)
    }

    @Test("a closure that copies values without removing them loses them", arguments: [false, true])
    func copied(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let before = try stores.content(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                didMigrate: { context in
                    for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
                        try person.setValue(person.value(forKey: "name"), forKey: "last")
                    }
                }
            ),
            .lightweight(from: versions[1], to: versions[2]),
        ])
        for migrate in stores.migrations(by: migration, as: .lossless, isOpen: isOpen) {
            let error = #expect(throws: (any Error).self) { try migrate() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("Person.name of 3 objects"))
        }
        try stores.expectSame(versions[0])
        #expect(try stores.content(versions[0]) == before)
    }

    @Test("a closure creates objects and relationships, and deletes objects", arguments: [false, true])
    func created(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: { context in
                    let request = FetchRequest<ManagedObject>(
                        "Person",
                        predicate: try ObjectPredicate("name == 'Cid Cox'")
                    )
                    for person in try context.fetch(request) { context.delete(person) }
                },
                didMigrate: { context in
                    for title in ["red", "blue"] {
                        let team = try context.insert("Team")
                        try team.setValue(.string(title), forKey: "title")
                        try context.save()
                        for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
                            try person.setObject(team, forKey: "team")
                        }
                        try context.insert("Person").setObject(team, forKey: "team")
                    }
                }
            )
        ])
        let report = try stores.migrate(by: migration, isOpen: isOpen)
        #expect(report.stages.map(\.edits) == [.init(inserted: 4, updated: 2, deleted: 1)])
        // New objects have other numbers in each kind of store.
        for store in try stores.open(versions[1]) {
            let objects = try Content(store, versions[1]).objects
            let people = objects.filter { $0.key.hasPrefix("Person/") }
            #expect(
                people["Person/1"]?.values["name"] == "Ann Ash" && people["Person/2"]?.values["name"] == "Ben Birch"
            )
            #expect(people.count == 4 && people["Person/3"] == nil)
            let teams = objects.values.filter { $0.values["title"] != nil }
            let sizes = Dictionary(
                uniqueKeysWithValues: teams.map { ($0.values["title"], $0.related["members"]?.count) }
            )
            #expect(sizes == ["red": 0, "blue": 4])
            if let store = store as? SQLiteStore { #expect(try store.check() == []) }
        }
    }

    @Test("large values that closures write and release are files as after other saves", arguments: [false, true])
    func photos(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: StagedPeople.changePhotos,
                didMigrate: { context in
                    for person in try context.fetch(FetchRequest<ManagedObject>("Person")).dropFirst(2) {
                        try person.setValue(.null, forKey: "photo")
                    }
                }
            )
        ])
        try stores.migrate(by: migration, isOpen: isOpen)
        try stores.expectSame(versions[1])
        let photos = try stores.content(versions[1]).objects.values.compactMap { $0.values["photo"] }
        #expect(Set(photos) == [StagedPeople.photo(150_000, 2), StagedPeople.photo(150_001, 2), .null])
        #expect(
            try stores.files().filter { $0.key.contains("_EXTERNAL_DATA") }.map(\.value.count).sorted() == [
                150_000, 150_001,
            ]
        )
    }

    @Test("a rehearsal calls the closures, and changes nothing", arguments: [false, true])
    func rehearsal(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let before = try stores.content(versions[0])
        let files = try stores.files()
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: StagedPeople.changePhotos,
                didMigrate: StagedPeople.split
            ),
            .lightweight(from: versions[1], to: versions[2]),
        ])
        let report = try stores.migrate(by: migration, as: .rehearsal, isOpen: isOpen)
        #expect(report.stages.map(\.edits) == [.init(updated: 6), .init()] && report.isLossless)
        try stores.expectSame(versions[0])
        #expect(try stores.content(versions[0]) == before)
        #expect(try stores.files() == files)
    }

    @Test("batches within a closure are part of the migration", arguments: [false, true])
    func batches(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: { context in
                    var update = BatchUpdateRequest("Person", predicate: try ObjectPredicate("name BEGINSWITH 'A'"))
                    update.propertiesToUpdate = ["name": .constant("Ada Ash"), "photo": .constant(.null)]
                    update.isRehearsal = true
                    try context.execute(update)
                    let changed = try ObjectPredicate("name == 'Ada Ash'")
                    #expect(try context.count(FetchRequest<ManagedObject>("Person", predicate: changed)) == 0)
                    update.propertiesToUpdate["photo"] = nil
                    update.isRehearsal = false
                    try context.execute(update)
                    let last = FetchRequest<ManagedObject>(
                        "Person",
                        predicate: try ObjectPredicate("name BEGINSWITH 'C'")
                    )
                    try context.execute(BatchDeleteRequest(last))
                },
                didMigrate: { context in
                    let rows = ["red", "blue"].map { title in ["title": Value.string(title)] }
                    try context.execute(BatchInsertRequest("Team", rows: rows))
                    try StagedPeople.split(context)
                }
            )
        ])
        let report = try stores.migrate(by: migration, isOpen: isOpen)
        #expect(report.stages[0].edits == .init(inserted: 2, updated: 3, deleted: 1))
        for store in try stores.open(versions[1]) {
            let objects = try Content(store, versions[1]).objects
            #expect(objects.count == 4 && objects["Person/1"]?.values["first"] == "Ada")
            #expect(objects["Person/1"]?.values["photo"] == StagedPeople.photo(200_000))
            if let store = store as? SQLiteStore { #expect(try store.check() == []) }
        }
    }

    @Test("searches find what closures have written, within them and afterwards", arguments: [false, true])
    func searches(isOpen: Bool) throws {
        func model(_ extra: [Attribute]) throws -> ManagedObjectModel {
            var model = Model { Entity("Note") { Attribute("text", .string).searchIndexed() } }
            model.entities[0].attributes += extra
            return try ManagedObjectModel(model)
        }
        let mood = Attribute("mood", .string).optional()
        let old = try model([mood])
        // Rows stay as they are in the first version, and are written for the second.
        for new in [try model([mood, Attribute("size", .int16).optional()]), try model([])] {
            let stores = try MigratedStores(old) { coordinator in
                try coordinator.withContext { context in
                    for text in ["red apple", "green apple", "blue plum"] {
                        try context.insert("Note").setValue(.string(text), forKey: "text")
                    }
                    try context.save()
                }
            }
            let migration = try ModelMigration(stages: [
                .custom(
                    from: old,
                    to: new,
                    willMigrate: { context in
                        for note in try Self.found("apple", context) { try note.setValue("red pear", forKey: "text") }
                        try context.save()
                        #expect(try Self.found("apple", context).isEmpty)
                    },
                    didMigrate: { context in
                        for note in try Self.found("pear", context).dropFirst() {
                            try note.setValue("black cherry", forKey: "text")
                        }
                    }
                )
            ])
            try stores.migrate(by: migration, isOpen: isOpen)
            try stores.expectSame(new)
            for store in try stores.open(new) {
                let coordinator = PersistentStoreCoordinator(model: new)
                try coordinator.add(store)
                try coordinator.withContext { context in
                    let counts = try ["apple", "pear", "cherry", "plum"].map { try Self.found($0, context).count }
                    #expect(counts == [0, 1, 1, 1])
                }
                if let store = store as? SQLiteStore { #expect(try store.check() == []) }
            }
        }
    }

    private static func found(_ text: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>("Note")
        request.search = try Search(text)
        return try context.fetch(request)
    }

    @Test("the ID of an object in one closure names the same object in the next", arguments: [false, true])
    func identity(isOpen: Bool) throws {
        let versions = try StagedPeople.versions()
        let stores = try StagedPeople.stores(versions[0])
        let names = Mutex<[String: String]>([:])
        let migration = try ModelMigration(stages: [
            .custom(
                from: versions[0],
                to: versions[1],
                willMigrate: { context in
                    for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
                        let name = try person.text("name")
                        names.withLock { $0[person.objectID.uri] = name }
                        try person.setValue(.null, forKey: "name")
                    }
                },
                didMigrate: { context in
                    for (uri, name) in names.withLock(\.self) {
                        let objectID = try #require(context.objectID(forURI: uri))
                        try context.existingObject(with: objectID).setValue(.string(name), forKey: "last")
                    }
                    names.withLock { $0 = [:] }
                }
            )
        ])
        try stores.migrate(by: migration, as: .lossless, isOpen: isOpen)
        try stores.expectSame(versions[1])
        #expect(try stores.content(versions[1]).objects["Person/2"]?.values["last"] == "Ben Birch")
    }

    @Test("a store in memory is migrated with closures")
    func inMemory() throws {
        let versions = try StagedPeople.versions()
        let store = InMemoryStore(model: versions[0])
        let coordinator = PersistentStoreCoordinator(model: versions[0])
        try coordinator.add(store)
        try coordinator.withContext { context in
            try context.insert("Person").setValue("Ann Ash", forKey: "name")
            try context.save()
        }
        let migration = try ModelMigration(stages: [
            .custom(from: versions[0], to: versions[1], didMigrate: StagedPeople.split),
            .lightweight(from: versions[1], to: versions[2]),
        ])
        #expect(try store.migrated(by: migration, as: .rehearsal).store == nil)
        let migrated = try store.migrated(by: migration, as: .lossless)
        let content = try Content(#require(migrated.store as? InMemoryStore), versions[2])
        #expect(content.objects.values.map { $0.values["last"] } == ["Ash"])
    }
}
