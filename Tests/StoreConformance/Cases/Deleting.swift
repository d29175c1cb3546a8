// SPDX-License-Identifier: Apache-2.0

// The effects of deletions on a store.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let deleting = [
        deletedRows, nullifying, cascading, denying, noAction, deletedMembers, deletedWithoutInverse, pairsWithDeleted,
        deletedOverAgain,
    ]

    static let deletedRows = ConformanceCase("Deleted rows are not found by any request") { world in
        let ids = try world.insert("Sketch", "a", "b")
        try world.change { context in context.delete(try context.existingObject(with: ids[0])) }
        for world in [world, try world.reopened()] {
            try require("The rows", world.store.snapshots(of: ids, at: nil).map { $0 == nil }, is: [true, false])
            for entity in ["Sketch", "Painting", "Exhibit"] {
                let request = StoreFetchRequest(entity: try world.entity(entity))
                try require("The IDs of \(entity)", world.objectIDs(request), is: [ids[1]])
                try require("The count of \(entity)", world.count(request), is: 1)
            }
            try world.read { context in
                try requireError(.objectMissing, "Reading a deleted row") {
                    _ = try context.existingObject(with: ids[0])
                }
                let fault = context.object(with: ids[0])
                context.shouldDeleteInaccessibleFaults = false
                try requireError(.objectMissing, "Firing the fault of a deleted row") {
                    _ = try fault.value(forKey: "name")
                }
            }
        }
    }

    static let nullifying = ConformanceCase("Nullifying removes the deleted object from its relationships") { world in
        try world.change { context in try Museum.fill(context) }
        try world.change { context in
            context.delete(try context.the("Guard", "Ann"))
            context.delete(try context.the("Label", "oil"))
            context.delete(try context.the("Room", "green"))
            context.delete(try context.the("Frame", "gilt"))
        }
        try world.verify { context in
            try require("The boss of Bob", context.the("Guard", "Bob").names("boss"), is: [])
            try require("The friends of Cid", context.the("Guard", "Cid").names("friends"), is: [])
            try require("The labels", context.the("Exhibit", "Ärger").names("labels"), is: ["old"])
            try require("The related labels", context.the("Label", "old").names("related"), is: [])
            try require("The room", context.the("Exhibit", "Zebra").names("room"), is: [])
            try require("The rooms of south", context.the("Wing", "south").names("rooms"), is: [])
            try require("The frame", context.the("Painting", "Ärger").names("frame"), is: [])
        }
    }

    static let cascading = ConformanceCase("Cascading deletes the objects that belong to the deleted object") { world in
        try world.change { context in try Museum.fill(context) }
        try world.change { context in
            for guardian in try context.all("Guard") { try guardian.relate("post") }
            context.delete(try context.the("Wing", "north"))
            context.delete(try context.the("Painting", "Ärger"))
        }
        try require("The wings", world.reopened().names("Wing"), is: ["south"])
        try require("The rooms", world.reopened().names("Room"), is: ["empty", "green"])
        try require("The frames", world.reopened().names("Frame"), is: [])
        try world.verify { context in
            try require("The room", context.the("Exhibit", "zoo").names("room"), is: [])
            try require("The tour", context.the("Tour", "short").names("exhibits"), is: ["zoo", "Café"])
        }
    }

    static let denying = ConformanceCase("A denied deletion leaves the store unchanged") { world in
        try world.change { context in try Museum.fill(context) }
        let before = try world.everything()
        try requireError(.validation, "Deleting a room that has guards") {
            try world.change { context in
                try context.make("Label", "new")
                context.delete(try context.the("Room", "red"))
            }
        }
        try requireSame("The store", world.everything(), as: before)
        try requireSame("The store", world.reopened().everything(), as: before)
    }

    static let noAction = ConformanceCase("The no-action rule leaves a dangling reference to the deleted object") {
        world in
        let id = try world.coordinator.withContext { context in
            let ticket = try context.make("Ticket", "T")
            try context.make("Visitor", "Eve").relate("ticket", ticket)
            try context.save()
            context.delete(try context.the("Visitor", "Eve"))
            try context.save()
            return ticket.objectID
        }
        try world.verify { context in
            let visitor = try context.existingObject(with: id).related("visitor")
            try require("The number of visitors", visitor.count, is: 1)
            try requireError(.objectMissing, "Reading a row that is gone") {
                _ = try context.existingObject(with: visitor[0].objectID)
            }
        }
    }

    static let deletedMembers = ConformanceCase("A deleted object is not a member of any relationship") { world in
        try world.change { context in try Museum.fill(context) }
        try world.change { context in
            for name in ["zoo", "Straße"] { context.delete(try context.the("Exhibit", name)) }
        }
        try world.verify { context in
            for (entity, name, relationship, expected) in [
                ("Tour", "short", "exhibits", ["Ärger", "Café"]), ("Room", "red", "exhibits", ["Ärger", "ärger"]),
                ("Room", "blue", "exhibits", ["STRASSE"]), ("Label", "loan", "exhibits", ["STRASSE"]),
                ("Label", "old", "exhibits", ["Ärger"]),
            ] {
                let names = try context.the(entity, name).names(relationship)
                try require("“\(relationship)” of “\(name)”", names, is: expected)
                let predicate = try ObjectPredicate(
                    "name == %@ AND %K.@count == %d",
                    name,
                    relationship,
                    expected.count
                )
                let count = try context.count(FetchRequest<ManagedObject>(entity, predicate: predicate))
                try require("Those that have as many members", count, is: 1)
            }
        }
    }

    static let deletedWithoutInverse = ConformanceCase(
        "A deleted object is not a member of relationships without an inverse"
    ) {
        world in
        try world.change { context in try Museum.fill(context) }
        try world.change { context in
            context.delete(try context.the("Statue", "zoo"))
            for guardian in try context.all("Guard") { try guardian.relate("post") }
            context.delete(try context.the("Room", "red"))
        }
        try world.verify { context in
            let eve = try context.the("Visitor", "Eve")
            try require("The wishes", eve.names("wishes"), is: ["Zebra"])
            try require("The path", eve.names("path"), is: ["blue"])
            let predicate = try ObjectPredicate("wishes.@count == 1 AND path.@count == 1")
            try require("Visitors", context.count(FetchRequest<ManagedObject>("Visitor", predicate: predicate)), is: 1)
        }
    }

    static let pairsWithDeleted = ConformanceCase(
        "A save can't relate an object to one that another context has deleted"
    ) { world in
        try world.change { context in try Museum.fill(context) }
        let ids = try world.read { context in
            (
                zebra: try context.the("Statue", "Zebra").objectID, cafe: try context.the("Statue", "Café").objectID,
                unused: try context.the("Label", "unused").objectID, oil: try context.the("Label", "oil").objectID,
                tour: try context.the("Tour", "short").objectID
            )
        }
        try world.read { context in
            let (zebra, tour) = (
                try context.existingObject(with: ids.zebra), try context.existingObject(with: ids.tour)
            )
            try zebra.relate("labels", context.existingObject(with: ids.oil), context.existingObject(with: ids.unused))
            try context.existingObject(with: ids.unused).add(
                context.existingObject(with: ids.cafe),
                to: world.relationship("Label", "exhibits")
            )
            try tour.add(zebra, to: tour.relationship("exhibits"), at: 0)
            try world.change { other in
                other.delete(try other.existingObject(with: ids.unused))
                other.delete(try other.existingObject(with: ids.cafe))
                other.delete(try other.existingObject(with: ids.tour))
            }
            try context.save()
        }
        let again = try world.reopened()
        try requireSame("The store opened again", again.everything(), as: world.everything())
        for world in [world, again] {
            for relationship in ["labels", "tours"] {
                let members = try world.store.members(
                    of: world.relationship("Exhibit", relationship),
                    owners: [ids.zebra, ids.cafe],
                    at: nil
                )
                try require("“\(relationship)”", members, is: relationship == "labels" ? [[ids.oil], []] : [[], []])
            }
            for relationship in [
                try world.relationship("Label", "exhibits"), try world.relationship("Tour", "exhibits"),
            ] {
                let members = try world.store.members(of: relationship, owners: [ids.unused, ids.tour], at: nil)
                try require("The members of those that are gone", members, is: [[], []])
            }
        }
    }

    static let deletedOverAgain = ConformanceCase(
        "A deleted object can be inserted again as a new object with a new ID"
    ) { world in
        let first = try world.insert("Room", "red")[0]
        let second = try world.coordinator.withContext { context in
            context.delete(try context.existingObject(with: first))
            let room = try context.make("Room", "red")
            try context.save()
            return room.objectID
        }
        try require(first != second, "An ID was given twice")
        try require("The old row", world.reopened().version(first), is: nil)
        try require("The version of the new row", world.reopened().version(second), is: 1)
    }
}
