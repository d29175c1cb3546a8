// SPDX-License-Identifier: Apache-2.0

// Notes that are stored with saves and batches: both are stored, or neither.

import FoundationEssentials
import ObjectGraph
import Predicates

extension ConformanceCase {
    static let notes = [notedSaves, notesOfNothing, notedBatches, takenKeys, expiredKeys, lastingNotes, unmadeNotes]

    static let notedSaves = ConformanceCase("A note made from a save's rows is stored with the save", needs: [.notes]) {
        world in
        let made = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
        try world.read { context in
            let statue = try context.make("Statue", "new")
            let id = statue.objectID
            try context.save { PendingNote(key: "a", made: made) { Array("\($0[id]?.version ?? 0)".utf8) } }
            try require(!statue.objectID.isTemporary, "A saved object has a temporary ID")
        }
        for world in [world, try world.reopened()] {
            let note = try require(try world.store.note("a"), "There is no note")
            try require("The note", note, is: StoreNote(key: "a", content: Array("1".utf8), made: made))
            try require(try world.store.note("b") == nil, "There is a note of another key")
        }
        // Later saves don't change the note.
        try world.insert("Statue", "other")
        try require("The note", try world.reopened().store.note("a")?.content, is: Array("1".utf8))
    }

    static let notesOfNothing = ConformanceCase("A note is stored even with an empty save", needs: [.notes]) { world in
        try world.read { context in try context.save { PendingNote(key: "a") { _ in [7, 0, 255] } } }
        try require("The note", try world.reopened().store.note("a")?.content, is: [7, 0, 255])
    }

    static let notedBatches = ConformanceCase(
        "A note is stored with a batch, and not with a failed one",
        needs: [.notes]
    ) { world in
        let note = { (key: String) in PendingNote<BatchResult>(key: key) { Array("\($0.count)".utf8) } }
        let rows: [[String: Value]] = [["name": "a"], ["name": "b"]]
        try world.coordinator.execute(BatchInsertRequest("Statue", rows: rows), noting: note("insert"))
        try world.coordinator.execute(BatchInsertRequest("Statue", rows: []), noting: note("none"))
        var update = BatchUpdateRequest("Statue")
        update.propertiesToUpdate = ["worth": .constant(7)]
        try world.coordinator.execute(update, noting: note("update"))
        let fetch = FetchRequest<ManagedObject>("Statue", predicate: try ObjectPredicate("name == 'a'"))
        try world.coordinator.execute(BatchDeleteRequest(fetch), noting: note("delete"))
        try requireError(.noteTaken, "A batch with a key that is taken") {
            try world.coordinator.execute(BatchInsertRequest("Statue", rows: rows), noting: note("insert"))
        }
        let world = try world.reopened()
        for (key, count) in ["insert": "2", "none": "0", "update": "2", "delete": "1"] {
            try require("The note of \(key)", try world.store.note(key)?.content, is: Array(count.utf8))
        }
        try require("The names", world.names("Statue"), is: ["b"])
    }

    static let takenKeys = ConformanceCase("A save with a used note key changes nothing", needs: [.notes]) {
        world in
        try world.read { context in try context.save { PendingNote(key: "a") { _ in [1] } } }
        try world.insert("Statue", "old")
        let before = try world.everything()
        try requireError(.noteTaken, "A save with a key that is taken") {
            try world.read { context in
                try context.make("Statue", "new")
                try context.the("Statue", "old").setValue(5, forKey: "worth")
                try context.save { PendingNote(key: "a") { _ in [2] } }
            }
        }
        let again = try world.reopened()
        try requireSame("The store", again.everything(), as: before)
        try require("The note", try again.store.note("a")?.content, is: [1])
    }

    static let expiredKeys = ConformanceCase("A key can be used again after its note has expired", needs: [.notes]) {
        world in
        func save(_ content: UInt8, _ made: Double, keptSince: Double) throws {
            try world.read { context in
                let (made, kept) = (
                    Date(timeIntervalSinceReferenceDate: made), Date(timeIntervalSinceReferenceDate: keptSince)
                )
                try context.save { PendingNote(key: "a", made: made, keptSince: kept) { _ in [content] } }
            }
        }
        try save(1, 1_000, keptSince: 0)
        try requireError(.noteTaken, "A key that is taken") { try save(2, 2_000, keptSince: 1_000) }
        try save(3, 3_000, keptSince: 2_000)
        try require("The note", try world.reopened().store.note("a")?.content, is: [3])
    }

    static let lastingNotes = ConformanceCase(
        "A note without an expiry is kept when expired notes are removed",
        needs: [.notes]
    ) { world in
        func save(_ key: String, _ made: Double, keptSince: Date, in world: World) throws {
            let made = Date(timeIntervalSinceReferenceDate: made)
            try world.read { context in
                try context.save { PendingNote(key: key, made: made, keptSince: keptSince) { _ in [1] } }
            }
        }
        try save("lasting", 1_000, keptSince: .distantPast, in: world)
        try save("expiring", 1_001, keptSince: Date(timeIntervalSinceReferenceDate: 0), in: world)
        try save("also lasting", 1_002, keptSince: .distantPast, in: world)
        let world = try world.reopened()
        for made in [5_000.0, 6_000] {
            try save("\(made)", made, keptSince: Date(timeIntervalSinceReferenceDate: 4_000), in: world)
        }
        for world in [world, try world.reopened()] {
            try require(try world.store.note("expiring") == nil, "An expired note isn't removed")
            for key in ["lasting", "also lasting", "5000.0", "6000.0"] {
                try require("The note of \(key)", try world.store.note(key)?.content, is: [1])
            }
        }
    }

    static let unmadeNotes = ConformanceCase("A save changes nothing if its note can't be made", needs: [.notes]) {
        world in
        struct Failure: Error {}
        try world.insert("Statue", "old")
        let before = try world.everything()
        let error = try requireError(.store, "A save whose note can't be made") {
            try world.read { context in
                try context.make("Statue", "new")
                try context.the("Statue", "old").setValue(5, forKey: "worth")
                try context.save { PendingNote(key: "a") { _ in throw Failure() } }
            }
        }
        try require(error.underlying is Failure, "The error isn't the one that was thrown: \(error)")
        for world in [world, try world.reopened()] {
            try requireSame("The store", world.everything(), as: before)
            try require(try world.store.note("a") == nil, "There is a note")
        }
    }
}
