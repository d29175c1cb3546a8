// SPDX-License-Identifier: Apache-2.0

// Versions, version conflicts, and the atomicity of saves.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let saving = [
        versions, updateConflicts, deletionConflicts, conflictsWithDeleted, locks, resolvedConflicts,
        danglingReferences,
        newReferrers, deniedReferrers, tooMany, tooFew, enough, allOrNothing, emptySave, savedRows,
    ]

    static let versions = ConformanceCase("A row's version counts the saves that changed the row, and no others") {
        world in
        let ids = try world.insert("Statue", "a", "b")
        try require("The versions of new rows", ids.map { try world.version($0) }, is: [1, 1])
        for round in 2...4 {
            try world.change { context in
                let objects = try ids.map { try context.existingObject(with: $0) }
                try objects[0].setValue(.integer(Int64(round)), forKey: "worth")
                // Setting a value to itself is not a change.
                try objects[1].setValue("b", forKey: "name")
                try context.make("Statue", "\(round)")
            }
            try require("The version of what was changed", world.version(ids[0]), is: Int64(round))
            try require("The version of what wasn't", world.version(ids[1]), is: 1)
        }
        let again = try world.reopened()
        try require("The versions later", ids.map { try again.version($0) }, is: [4, 1])
        // A row's own references are part of it, and its membership in another object's list is not.
        try again.change { context in
            let room = try context.make("Room", "red")
            try room.relate("exhibits", context.existingObject(with: ids[1]))
        }
        try require("The version of what was moved", again.version(ids[1]), is: 2)
    }

    static let updateConflicts = ConformanceCase(
        "Updating a row that another context has changed is a conflict with the current row"
    ) { world in
        let id = try world.insert("Statue", "old")[0]
        try world.read { context in
            let mine = try context.existingObject(with: id)
            try mine.setValue("mine", forKey: "name")
            let new = try context.make("Statue", "new")
            try world.change { try $0.existingObject(with: id).setValue(5, forKey: "worth") }
            let error = try requireError(.conflict, "Saving over what others saved") { try context.save() }
            let conflict = try require(error.conflicts.first, "The error tells no conflict")
            try require("The object of the conflict", conflict.objectID, is: id)
            try require("The version that it goes out from", conflict.base.version, is: 1)
            try require("The version that is there", conflict.stored?.version, is: 2)
            let slot = try world.slot("Statue", "worth")
            try require("The value that is there", conflict.stored?.row.attributes[slot], is: 5)
            try require(new.objectID.isTemporary, "An object has a permanent ID without having been saved")
        }
        try require("The names", world.names("Statue"), is: ["old"])
        try require("The names", world.reopened().names("Statue"), is: ["old"])
    }

    static let deletionConflicts = ConformanceCase("Deleting a row that another context has changed is a conflict") {
        world in
        let id = try world.insert("Statue", "old")[0]
        try world.read { context in
            context.delete(try context.existingObject(with: id))
            try world.change { try $0.existingObject(with: id).setValue("theirs", forKey: "name") }
            let error = try requireError(.conflict, "Deleting what others saved") { try context.save() }
            try require("The version that is there", error.conflicts.first?.stored?.version, is: 2)
        }
        try require("The names", world.reopened().names("Statue"), is: ["theirs"])
    }

    static let conflictsWithDeleted = ConformanceCase(
        "Updating a row that another context has deleted is a conflict without a stored row"
    ) { world in
        let ids = try world.insert("Statue", "a", "b")
        try world.read { context in
            try context.existingObject(with: ids[0]).setValue("mine", forKey: "name")
            context.delete(try context.existingObject(with: ids[1]))
            try world.change { other in
                for id in ids { other.delete(try other.existingObject(with: id)) }
            }
            let error = try requireError(.conflict, "Saving what others deleted") { try context.save() }
            // Both contexts delete the second object, which is not a conflict.
            try require("The conflicts", error.conflicts.map(\.objectID), is: [ids[0]])
            try require(error.conflicts.allSatisfy { $0.stored == nil }, "A deleted row is told of as if it were there")
            context.delete(try context.existingObject(with: ids[0]))
            try context.save()
            try require(!context.hasChanges, "Deletions that all agree on are pending still")
        }
        try require("The names", world.names("Statue"), is: [])
        var request = StoreSaveRequest()
        request.deletions = ids.map { .init(objectID: $0, version: 1) }
        guard case .conflicts(let conflicts) = try world.store.save(request, commit: Commit()) else {
            throw ConformanceFailure(message: "Deletions of rows that are gone are taken", place: #fileID)
        }
        try require("The rows", Set(conflicts.rows.keys), is: Set(ids))
    }

    static let locks = ConformanceCase("A lock requires a version and changes nothing") { world in
        let ids = try world.insert("Statue", "a", "b", "c")
        try world.change { try $0.existingObject(with: ids[1]).setValue(1, forKey: "worth") }
        try world.change { context in context.delete(try context.existingObject(with: ids[2])) }
        let before = try world.everything()
        var request = StoreSaveRequest()
        request.locks = [.init(objectID: ids[0], version: 1), .init(objectID: ids[1], version: 2)]
        guard case .saved = try world.store.save(request, commit: Commit()) else {
            throw ConformanceFailure(message: "Locks of the right versions are refused", place: #fileID)
        }
        try requireSame("The store", world.everything(), as: before)
        request.locks = ids.map { .init(objectID: $0, version: 1) }
        let row = try require(world.snapshot(ids[0]), "The row is gone").row
        request.updates = [.init(objectID: ids[0], version: 1, row: row, attributes: [0], toOnes: [])]
        guard case .conflicts(let conflicts) = try world.store.save(request, commit: Commit()) else {
            throw ConformanceFailure(message: "Locks of versions that are gone are taken", place: #fileID)
        }
        try require("The conflicts", Set(conflicts.rows.keys), is: [ids[1], ids[2]])
        try require("The row of the one", conflicts.rows[ids[1]]??.version, is: 2)
        try require(conflicts.rows[ids[2]].map { $0 == nil } == true, "A deleted row is told of as if it were there")
        try requireSame("The store", world.everything(), as: before)
    }

    static let resolvedConflicts = ConformanceCase("A save succeeds once its conflicts are resolved") { world in
        let ids = try world.insert("Statue", "a", "b")
        try world.read { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.existingObject(with: ids[0]).setValue("mine", forKey: "name")
            context.delete(try context.existingObject(with: ids[1]))
            try world.change { other in
                for id in ids {
                    try other.existingObject(with: id).setValue("theirs", forKey: "name")
                    try other.existingObject(with: id).setValue(5, forKey: "worth")
                }
            }
            try context.save()
        }
        try world.verify { context in
            try require("The names", context.all("Statue").map { try $0.name }, is: ["mine"])
            try require("The worth", context.the("Statue", "mine").value(forKey: "worth"), is: 5)
        }
        try require("The version", world.version(ids[0]), is: 3)
    }

    static let danglingReferences = ConformanceCase(
        "A save that refers to a row that another context has deleted is refused"
    ) {
        world in
        try world.change { context in
            try context.make("Room", "red").relate("wing", context.make("Wing", "north"))
            try context.make("Room", "blue").relate("wing", context.make("Wing", "south"))
        }
        try world.read { context in
            let wing = try context.the("Wing", "south")
            let moved = try context.the("Room", "red")
            try moved.relate("wing", wing)
            let new = try context.make("Room", "new")
            try new.relate("wing", wing)
            try world.change { other in other.delete(try other.the("Wing", "south")) }
            let error = try requireError(.conflict, "Leading to what others deleted") { try context.save() }
            let isOfReferences = error.failures.allSatisfy { $0.code == .referentialIntegrity && $0.property == "wing" }
            try require(isOfReferences, "The error has other failures: \(error.failures)")
            try require("Those concerned", Set(error.failures.map(\.objectID)), is: [moved.objectID, new.objectID])
            // A reference to another row is accepted.
            for room in [moved, new] { try room.relate("wing", context.the("Wing", "north")) }
            try context.save()
        }
        try world.verify { context in
            try require("The rooms", context.all("Room").map { try $0.name }.sorted(), is: ["new", "red"])
            try require("The rooms of north", context.the("Wing", "north").names("rooms"), is: ["new", "red"])
        }
    }

    static let newReferrers = ConformanceCase(
        "Delete rules apply to members that another context has added to the deleted object"
    ) {
        world in
        try world.change { context in
            try context.make("Room", "red").relate("wing", context.make("Wing", "north"))
            try context.make("Statue", "a").relate("room", context.make("Room", "blue"))
            try context.make("Statue", "b")
            try context.make("Room", "green")
        }
        try world.read { context in
            let (wing, room) = (try context.the("Wing", "north"), try context.the("Room", "blue"))
            try require("The rooms", wing.names("rooms"), is: ["red"])
            context.delete(wing)
            context.delete(room)
            try context.processPendingChanges()
            try world.change { other in
                try other.make("Room", "new").relate("wing", other.the("Wing", "north"))
                try other.the("Room", "green").relate("wing", other.the("Wing", "north"))
                try other.the("Statue", "b").relate("room", other.the("Room", "blue"))
            }
            try context.save()
        }
        try world.verify { context in
            try require("The wings", context.all("Wing").count, is: 0)
            try require("The rooms", context.all("Room").count, is: 0)
            try require("The statues", context.all("Statue").map { try $0.name }.sorted(), is: ["a", "b"])
            try require("The room of b", context.the("Statue", "b").names("room"), is: [])
        }
    }

    static let tooMany = ConformanceCase("The maximum count includes members that another context has added") { world in
        try world.change { context in
            for (key, names) in [("players", ["a", "b", "c", "d"]), ("singers", ["e", "f", "g", "h"])] {
                let band = try context.make("Band", key)
                for name in names { try context.make("Player", name) }
                for name in names.prefix(2) { try band.join(key, context.the("Player", name)) }
            }
            try context.the("Band", "players").join("singers", context.make("Player", "i"))
            try context.the("Band", "singers").join("players", context.make("Player", "j"))
        }
        for (key, own, others, all) in [
            ("players", "c", "d", ["a", "b", "d"]), ("singers", "g", "h", ["e", "f", "h"]),
        ] {
            try world.read { context in
                let band = try context.the("Band", key)
                try require("The \(key) before", band.names(key).count, is: 2)
                try band.join(key, context.the("Player", own))
                try world.change { other in try other.the("Band", key).join(key, other.the("Player", others)) }
                let error = try requireError(.validation, "Saving four of three") { try context.save() }
                try require("The failure", error.failures.map(\.code), is: [.relationshipExceedsMaximumCount])
            }
            try world.verify { context in try require(key, context.the("Band", key).names(key), is: all) }
        }
    }

    static let tooFew = ConformanceCase("The minimum count excludes members that another context has removed") {
        world in
        try world.change { context in
            let band = try context.make("Band", "Trio")
            for name in ["a", "b"] { try band.join("players", context.make("Player", name)) }
            for name in ["c", "d"] { try band.join("singers", context.make("Player", name)) }
        }
        for (key, own, others) in [("players", "a", "b"), ("singers", "c", "d")] {
            try world.read { context in
                let band = try context.the("Band", "Trio")
                try require("The \(key) before", band.names(key), is: [own, others])
                try band.leave(key, context.the("Player", own))
                try world.change { other in try other.the("Band", "Trio").leave(key, other.the("Player", others)) }
                let error = try requireError(.validation, "Saving none of one") { try context.save() }
                try require("The property", error.failures.map(\.property), is: [key])
            }
            try world.verify { context in try require(key, context.the("Band", "Trio").names(key), is: [own]) }
        }
    }

    static let enough = ConformanceCase(
        "Members added and removed by another context are no conflict within the count limits"
    ) {
        world in
        try world.change { context in
            let band = try context.make("Band", "Trio")
            for name in ["a", "b"] { try band.join("players", context.make("Player", name)) }
            for name in ["c", "d"] { try context.make("Player", name) }
            try band.relate("singers", context.the("Player", "a"))
        }
        try world.read { context in
            let band = try context.the("Band", "Trio")
            try require("The players before", band.names("players"), is: ["a", "b"])
            try band.join("players", context.the("Player", "c"))
            try world.change { other in
                let band = try other.the("Band", "Trio")
                try band.join("players", other.the("Player", "d"))
                try band.leave("players", other.the("Player", "a"))
            }
            try context.save()
            try require("The players", context.the("Band", "Trio").names("players"), is: ["b", "c", "d"])
            try require("The bands of d", context.the("Player", "d").names("bands"), is: ["Trio"])
        }
        try world.verify { context in
            try require("The players", context.the("Band", "Trio").names("players"), is: ["b", "c", "d"])
        }
    }

    static let deniedReferrers = ConformanceCase("A member that another context has added can deny a deletion") {
        world in
        try world.change { context in
            try context.make("Room", "red")
            try context.make("Guard", "Ann")
        }
        try world.read { context in
            let room = try context.the("Room", "red")
            try require("The guards", room.names("guards"), is: [])
            context.delete(room)
            try context.processPendingChanges()
            try world.change { other in try other.the("Guard", "Ann").relate("post", other.the("Room", "red")) }
            let error = try requireError(.validation, "Deleting what is denied by now") { try context.save() }
            try require("The failure", error.failures.first?.code, is: .relationshipDeniedDelete)
        }
        try world.verify { context in
            try require("The post of Ann", context.the("Guard", "Ann").names("post"), is: ["red"])
        }
    }

    static let allOrNothing = ConformanceCase("A refused save leaves the store unchanged") { world in
        try world.change { context in try Museum.fill(context) }
        let before = try world.everything()
        let stale = try world.read { context in
            let room = try context.the("Room", "empty")
            return try require(world.snapshot(room.objectID), "The row is gone")
        }
        let error = try requireError(.conflict, "A save with one row of an old version") {
            try world.read { context in
                try change(context)
                let room = try context.existingObject(with: stale.objectID)
                try room.setValue(99.0, forKey: "area")
                try world.change { try $0.existingObject(with: stale.objectID).setValue(1.0, forKey: "area") }
                try context.save()
            }
        }
        try require("The conflicts", error.conflicts.count, is: 1)
        try world.change { try $0.existingObject(with: stale.objectID).setValue(0.0, forKey: "area") }
        func withoutRoom(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("\(stale.objectID) ") } }
        try requireSame("The store", withoutRoom(world.everything()), as: withoutRoom(before))
        try requireSame("The store", withoutRoom(world.reopened().everything()), as: withoutRoom(before))
        guard world.kind.capabilities.contains(.uniqueness) else { return }
        let now = try world.everything()
        try requireError(.constraint, "A save with one value that is taken") {
            try world.change { context in
                try change(context)
                try context.make("Room", "blue")
            }
        }
        try requireSame("The store", world.everything(), as: now)
        try requireSame("The store", world.reopened().everything(), as: now)
    }

    /// Changes of every kind: inserted, updated and deleted rows, and changed lists and pairs.
    private static func change(_ context: ManagedObjectContext) throws {
        try context.make("Label", "new").relate("exhibits", context.the("Exhibit", "ärger"))
        try context.the("Label", "oil").relate("related")
        try context.the("Statue", "Zebra").setValue(99, forKey: "worth")
        let tour = try context.the("Tour", "short")
        try tour.setObjects(tour.related("exhibits").reversed(), of: tour.relationship("exhibits"))
        context.delete(try context.the("Statue", "zoo"))
        context.delete(try context.the("Guard", "Ann"))
    }

    static let emptySave = ConformanceCase("An empty save changes nothing") { world in
        try world.change { context in try Museum.fill(context) }
        let before = try world.everything()
        guard case .saved(let rows) = try world.store.save(StoreSaveRequest(), commit: Commit()) else {
            throw ConformanceFailure(message: "A save of nothing is in conflict", place: #fileID)
        }
        try require("The rows saved", rows.count, is: 0)
        try requireSame("The store", world.everything(), as: before)
    }

    static let savedRows = ConformanceCase("A save returns the inserted and updated rows as they are then") {
        world in
        let id = try world.insert("Statue", "old")[0]
        let base = try require(world.snapshot(id), "The row is gone")
        let new = try world.newIDs("Statue")[0]
        let slot = try world.slot("Statue", "name")
        var row = base.row
        row.attributes[slot] = "changed"
        var request = StoreSaveRequest()
        request.updates = [.init(objectID: id, version: 1, row: row, attributes: [slot], toOnes: [])]
        row.attributes[slot] = "NEW"
        request.insertions = [.init(objectID: new, row: row)]
        guard case .saved(let rows) = try world.store.save(request, commit: Commit()) else {
            throw ConformanceFailure(message: "The save is in conflict", place: #fileID)
        }
        try require("The rows answered", Set(rows.map(\.objectID)), is: [id, new])
        for row in rows {
            let stored = try require(world.snapshot(row.objectID), "A saved row is gone")
            try require("The version of \(row.objectID)", row.version, is: stored.version)
            try require("The row of \(row.objectID)", row.row, is: stored.row)
        }
    }
}
