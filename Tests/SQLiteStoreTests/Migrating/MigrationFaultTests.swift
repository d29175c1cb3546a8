// SPDX-License-Identifier: Apache-2.0

// Each file operation of a migration fails once or permanently.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("A migration on a failing disk")
struct MigrationFaultTests {
    typealias Fault = FaultyFileSystem.Fault

    static let old = Model {
        Entity("Page") {
            Attribute("number", .int16)
            Attribute("text", .string).optional()
            Relationship("next", toOne: "Page", inverse: "previous").optional()
            Relationship("previous", toOne: "Page", inverse: "next").optional()
        }
        Entity("Note") { Attribute("text", .string) }
    }
    /// The rows of one entity are written, those of the other stay.
    static let new = Model {
        Entity("Page") {
            Attribute("number", .string)
            Relationship("next", toOne: "Page", inverse: "previous").optional()
            Relationship("previous", toMany: "Page", inverse: "next").optional()
        }
        Entity("Note") {
            Attribute("text", .string)
            Attribute("color", .string).default("red")
        }
    }

    @Test("the store is as before or migrated, whatever fails", arguments: Fault.all)
    func fault(fault: Fault) throws {
        let (old, new) = (try ManagedObjectModel(Self.old), try ManagedObjectModel(Self.new))
        let migration = try ModelMigration(from: old, to: new)
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            let seed = folder + "/Seed.sqlite"
            try Self.make(seed, old)
            var n = 1
            while true {
                let path = folder + "/Store\(n).sqlite"
                try FileManager.default.copyItem(atPath: seed, toPath: path)
                files.fail(n, fault)
                var isMigrated = true
                do {
                    try SQLiteStore.migrate(path: path, by: migration, options: files.options)
                } catch {
                    StoreError.expect(in: error, at: path, "\(fault), \(n)")
                    isMigrated = false
                }
                let hasFailed = files.mend() > 0
                // A failed sync may follow a commit that reached the disk.
                let fits = try SQLiteStore.mismatch(path: path, model: new) == nil
                if isMigrated { #expect(fits, "\(fault), \(n)") }
                try Self.check(path, fits ? new : old, "\(fault), \(n)")
                guard hasFailed else { break }
                n += n / 3 + 1
            }
        }
    }

    static func make(_ path: String, _ model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(SQLiteStore(path: path, model: model))
        try coordinator.withContext { context in
            var last: ManagedObject?
            for number in 0..<count {
                let page = try context.insert("Page")
                try page.setValue(.integer(Int64(number)), forKey: "number")
                try page.setValue(.string(String(repeating: "text ", count: 40)), forKey: "text")
                try page.setObject(last, forKey: "previous")
                last = page
                let note = try context.insert("Note")
                try note.setValue("note", forKey: "text")
            }
            try context.save()
        }
    }

    private static let count = 200

    /// Expects a sound store with all objects of a version.
    static func check(_ path: String, _ model: ManagedObjectModel, _ comment: Comment) throws {
        let store = try SQLiteStore(path: path, model: model)
        #expect(try store.check() == [], comment)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try coordinator.withContext { context in
            let pages = try context.fetch(FetchRequest<ManagedObject>("Page"))
            #expect(try pages.count { try $0.object(forKey: "next") != nil } == count - 1, comment)
            #expect(pages.count == count, comment)
            #expect(try context.count(FetchRequest<ManagedObject>("Note")) == count, comment)
        }
    }
}
