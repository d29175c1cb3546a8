// SPDX-License-Identifier: Apache-2.0

// Derived attributes, which follow the values that they are derived from.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let deriving = [derivedText, derivedCounts, derivedVersions]

    static let derivedText = ConformanceCase("Text derived from a row is stored with its save", needs: [.derivation]) {
        world in
        try world.change { context in
            let statue = try context.make("Statue", "ÄRGER Straße")
            try context.save()
            try require("The plain name at once", statue.value(forKey: "plain"), is: "arger strasse")
        }
        try world.verify { context in
            let request = FetchRequest<ManagedObject>(
                "Exhibit",
                predicate: try ObjectPredicate("plain == 'arger strasse'")
            )
            try require("Those of the plain name", context.count(request), is: 1)
        }
        try world.change { try $0.the("Statue", "ÄRGER Straße").setValue("Ö", forKey: "name") }
        try world.verify { try require("The plain name", $0.the("Statue", "Ö").value(forKey: "plain"), is: "o") }
    }

    static let derivedCounts = ConformanceCase(
        "Derived counts, sums and copies follow insertions, changes, moves and deletions",
        needs: [.derivation]
    ) { world in
        try world.change { context in
            let (north, south) = (try context.make("Wing", "north"), try context.make("Wing", "south"))
            let (red, blue) = (try context.make("Room", "red"), try context.make("Room", "blue"))
            try red.relate("wing", north)
            try blue.relate("wing", south)
            let label = try context.make("Label", "oil")
            for (name, worth) in [("a", 3), ("b", 4), ("c", 5)] as [(String, Value)] {
                let exhibit = try context.make(name == "a" ? "Sketch" : "Statue", name, ["worth": worth])
                try exhibit.relate("room", red)
                try exhibit.relate("labels", label)
            }
        }
        try requireDerived(
            counts: [3, 0],
            worths: [12, 0],
            wings: [3, 0],
            rooms: ["red", "red", "red"],
            uses: 3,
            world
        )
        let again = try world.reopened()
        try again.change { context in
            try context.the("Exhibit", "a").relate("room", context.the("Room", "blue"))
            try context.the("Exhibit", "b").setValue(10, forKey: "worth")
            try context.the("Label", "oil").relate("exhibits", context.the("Exhibit", "c"))
        }
        try requireDerived(
            counts: [2, 1],
            worths: [15, 3],
            wings: [2, 1],
            rooms: ["blue", "red", "red"],
            uses: 1,
            again
        )
        try again.change { context in
            try context.the("Room", "red").setValue("crimson", forKey: "name")
            context.delete(try context.the("Exhibit", "c"))
        }
        try again.change { try $0.the("Room", "crimson").setValue("red", forKey: "name") }
        try requireDerived(counts: [1, 1], worths: [10, 3], wings: [1, 1], rooms: ["blue", "red"], uses: 0, again)
        try again.change { context in context.delete(try context.the("Room", "blue")) }
        try again.verify { context in
            try require("The room's name", context.the("Exhibit", "a").value(forKey: "roomName"), is: .null)
            try require("The count of south", context.the("Wing", "south").value(forKey: "exhibitCount"), is: 0)
        }
    }

    private static func requireDerived(
        counts: [Value],
        worths: [Value],
        wings: [Value],
        rooms: [Value],
        uses: Value,
        _ world: World
    ) throws {
        try world.verify { context in
            let (red, blue) = (try context.the("Room", "red"), try context.the("Room", "blue"))
            let found = try [red, blue].map { try $0.value(forKey: "exhibitCount") }
            try require("The counts of the rooms", found, is: counts)
            try require("The worths", [red, blue].map { try $0.value(forKey: "worth") }, is: worths)
            let inWings = try ["north", "south"].map { try context.the("Wing", $0).value(forKey: "exhibitCount") }
            try require("The counts of the wings", inWings, is: wings)
            var request = FetchRequest<ManagedObject>("Exhibit")
            request.sortDescriptors = [ObjectSortDescriptor("name")]
            try require("The rooms' names", context.fetch(request).map { try $0.value(forKey: "roomName") }, is: rooms)
            try require("The uses of the label", context.the("Label", "oil").value(forKey: "uses"), is: uses)
        }
    }

    static let derivedVersions = ConformanceCase(
        "A row keeps its version when its derived values follow other rows",
        needs: [.derivation]
    ) { world in
        let ids = try world.coordinator.withContext { context in
            let (room, statue) = (try context.make("Room", "red"), try context.make("Statue", "a"))
            try statue.relate("room", room)
            try context.save()
            return (room: room.objectID, statue: statue.objectID)
        }
        try world.change { try $0.existingObject(with: ids.statue).setValue(5, forKey: "worth") }
        try require("The version of the room", world.version(ids.room), is: 1)
        try world.read { context in
            let room = try context.existingObject(with: ids.room)
            try room.setValue(2.0, forKey: "area")
            try world.change { try $0.existingObject(with: ids.statue).setValue(6, forKey: "worth") }
            try context.save()
        }
        try world.verify { context in
            try require("The worth", context.the("Room", "red").value(forKey: "worth"), is: 6)
            try require("The area", context.the("Room", "red").value(forKey: "area"), is: 2.0)
        }
    }
}
