// SPDX-License-Identifier: Apache-2.0

// Relationships of every kind, after saving and reopening.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let relationships = [
        oneToOne, oneToMany, manyToMany, orderedMembers, appendedMembers, addedAgain, orderedOnBothSides,
        selfRelations, withoutInverse, emptiedRelationships, membersOfSeveral,
    ]

    static let oneToOne = ConformanceCase("Both sides of a one-to-one relationship are stored and change together") {
        world in
        try world.change { context in
            for name in ["a", "b"] {
                try context.make("Frame", name).relate("painting", context.make("Painting", name))
            }
        }
        try world.verify { context in
            try require("The frame of a", context.the("Painting", "a").names("frame"), is: ["a"])
            try require("The painting of b", context.the("Frame", "b").names("painting"), is: ["b"])
        }
        try world.change { context in try context.the("Painting", "a").relate("frame", context.the("Frame", "b")) }
        try world.verify { context in
            try require("The painting of a", context.the("Frame", "a").names("painting"), is: [])
            try require("The painting of b", context.the("Frame", "b").names("painting"), is: ["a"])
            try require("The frame of a", context.the("Painting", "a").names("frame"), is: ["b"])
            try require("The frame of b", context.the("Painting", "b").names("frame"), is: [])
        }
    }

    static let oneToMany = ConformanceCase("Members of a one-to-many relationship are stored and can be moved") {
        world in
        try world.change { context in
            let (red, blue) = (try context.make("Room", "red"), try context.make("Room", "blue"))
            for name in ["a", "b"] { try context.make("Guard", name).relate("post", red) }
            try blue.relate("guards", context.make("Guard", "c"), context.make("Guard", "d"))
        }
        try world.verify { context in
            try require("The guards of red", context.the("Room", "red").names("guards"), is: ["a", "b"])
            try require("The post of d", context.the("Guard", "d").names("post"), is: ["blue"])
        }
        try world.change { context in
            try context.the("Guard", "c").relate("post", context.the("Room", "red"))
            try context.the("Guard", "a").relate("post")
        }
        try world.verify { context in
            try require("The guards of red", context.the("Room", "red").names("guards"), is: ["b", "c"])
            try require("The guards of blue", context.the("Room", "blue").names("guards"), is: ["d"])
            try require("The post of a", context.the("Guard", "a").names("post"), is: [])
        }
    }

    static let manyToMany = ConformanceCase("Pairs of a many-to-many relationship are stored from either side") {
        world in
        try world.change { context in
            let labels = try ["x", "y"].map { try context.make("Label", $0) }
            try labels[0].relate("exhibits", context.make("Statue", "a"), context.make("Painting", "b"))
            try context.the("Statue", "a").relate("labels", labels[1], labels[0])
        }
        try world.verify { context in
            try require("The exhibits of x", context.the("Label", "x").names("exhibits"), is: ["a", "b"])
            try require("The exhibits of y", context.the("Label", "y").names("exhibits"), is: ["a"])
            try require("The labels of a", context.the("Statue", "a").names("labels"), is: ["x", "y"])
        }
        try world.change { context in
            try context.the("Statue", "a").relate("labels", context.the("Label", "y"))
            try context.the("Label", "y").relate("exhibits", context.the("Exhibit", "a"), context.the("Exhibit", "b"))
        }
        try world.verify { context in
            try require("The exhibits of x", context.the("Label", "x").names("exhibits"), is: ["b"])
            try require("The exhibits of y", context.the("Label", "y").names("exhibits"), is: ["a", "b"])
            try require("The labels of b", context.the("Painting", "b").names("labels"), is: ["x", "y"])
        }
    }

    static let orderedMembers = ConformanceCase("The order of members is stored, and so is each change of it") {
        world in
        try world.change { context in
            let names = ["d", "a", "c", "b"]
            let members = try names.map { try context.make("Statue", $0) }
            let room = try context.make("Room", "red")
            try room.setObjects(members, of: room.relationship("exhibits"))
        }
        try requireOrder(["d", "a", "c", "b"], world)
        try world.change { context in
            let room = try context.the("Room", "red")
            let exhibits = try room.relationship("exhibits")
            try room.add(context.make("Painting", "new"), to: exhibits, at: 1)
            try room.add(context.make("Painting", "last"), to: exhibits)
        }
        try requireOrder(["d", "new", "a", "c", "b", "last"], world)
        try world.change { context in
            let room = try context.the("Room", "red")
            try room.setObjects(room.related("exhibits").reversed(), of: room.relationship("exhibits"))
        }
        try requireOrder(["last", "b", "c", "a", "new", "d"], world)
        try world.change { context in
            context.delete(try context.the("Exhibit", "c"))
            try context.the("Exhibit", "b").relate("room")
        }
        try requireOrder(["last", "a", "new", "d"], world)
        // A member added through the inverse is the last.
        try world.change { context in
            try context.the("Exhibit", "b").relate("room", context.the("Room", "red"))
        }
        try requireOrder(["last", "a", "new", "d", "b"], world)
    }

    static let appendedMembers = ConformanceCase("New and existing members are in the order in which they were added") {
        world in
        try world.insert("Statue", "old")
        try world.change { context in
            let (room, tour) = (try context.make("Room", "red"), try context.make("Tour", "long"))
            for name in ["new", "old", "newer"] {
                let statue = try name == "old" ? context.the("Statue", name) : context.make("Statue", name)
                try statue.relate("room", room)
                try statue.relate("tours", tour)
            }
            // A first member that leaves and returns becomes the last.
            let oldest = try context.make("Sketch", "again")
            try room.setObjects([oldest] + room.related("exhibits"), of: room.relationship("exhibits"))
            try oldest.relate("room")
            try oldest.relate("room", room)
        }
        try world.verify { context in
            let expected = ["new", "old", "newer"]
            try require("The tour", context.the("Tour", "long").names("exhibits"), is: expected)
            try require("The room", context.the("Room", "red").names("exhibits"), is: expected + ["again"])
        }
        try world.insert("Statue", "a", "b")
        try world.change { context in
            for name in ["b", "c", "a"] {
                let statue = try name == "c" ? context.make("Statue", name) : context.the("Statue", name)
                try statue.relate("room", context.the("Room", "red"))
            }
        }
        try requireOrder(["new", "old", "newer", "again", "b", "c", "a"], world)
    }

    static let addedAgain = ConformanceCase("Adding a member again, without reading the members, leaves its place") {
        world in
        try world.change { context in
            let long = try context.make("Tour", "long")
            let short = try context.make("Tour", "short")
            for name in ["a", "b", "c"] {
                let statue = try context.make("Statue", name)
                try statue.relate("tours", long, short)
            }
            try context.make("Statue", "d").relate("tours", short)
        }
        try world.change { context in
            let tour = try context.the("Tour", "long")
            let exhibits = try tour.relationship("exhibits")
            for name in ["a", "d", "b"] { try tour.add(context.the("Exhibit", name), to: exhibits) }
            let statue = try context.the("Exhibit", "c")
            try statue.add(context.the("Tour", "long"), to: statue.relationship("tours"))
        }
        try world.verify { context in
            try require("The tour", context.the("Tour", "long").names("exhibits"), is: ["a", "b", "c", "d"])
            try require("The tours of c", context.the("Statue", "c").names("tours"), is: ["long", "short"])
            try require("The tours of d", context.the("Statue", "d").names("tours"), is: ["short", "long"])
        }
    }

    private static func requireOrder(_ expected: [String], _ world: World) throws {
        try world.verify { context in
            try require("The order", context.the("Room", "red").names("exhibits"), is: expected)
        }
    }

    static let orderedOnBothSides = ConformanceCase("Each side of a many-to-many relationship has its own order") {
        world in
        try world.change { context in
            let (a, b, c) = (
                try context.make("Statue", "a"), try context.make("Statue", "b"), try context.make("Statue", "c")
            )
            let (long, short) = (try context.make("Tour", "long"), try context.make("Tour", "short"))
            try long.relate("exhibits", c, a, b)
            try short.relate("exhibits", b, a)
            try a.relate("tours", short, long)
            try b.relate("tours", long, short)
        }
        try world.verify { context in
            try require("The exhibits of long", context.the("Tour", "long").names("exhibits"), is: ["c", "a", "b"])
            try require("The exhibits of short", context.the("Tour", "short").names("exhibits"), is: ["b", "a"])
            try require("The tours of a", context.the("Statue", "a").names("tours"), is: ["short", "long"])
            try require("The tours of b", context.the("Statue", "b").names("tours"), is: ["long", "short"])
        }
        try world.change { context in
            let tour = try context.the("Tour", "long")
            try tour.relate(
                "exhibits",
                context.the("Exhibit", "b"),
                context.the("Exhibit", "c"),
                context.the("Exhibit", "a")
            )
        }
        try world.verify { context in
            try require("The exhibits of long", context.the("Tour", "long").names("exhibits"), is: ["b", "c", "a"])
            try require("The tours of a", context.the("Statue", "a").names("tours"), is: ["short", "long"])
            try require("The tours of b", context.the("Statue", "b").names("tours"), is: ["long", "short"])
        }
    }

    static let selfRelations = ConformanceCase(
        "Objects can be related to objects of their own entity, and to themselves"
    ) {
        world in
        try world.change { context in
            let (a, b, c) = (
                try context.make("Guard", "a"), try context.make("Guard", "b"), try context.make("Guard", "c")
            )
            try a.relate("team", a, b)
            try c.relate("boss", b)
            try a.relate("friends", a, b)
            try c.relate("friends", b)
            try a.relate("partner", b)
            try c.relate("partner", c)
        }
        try world.verify { context in
            let guards = try ["a", "b", "c"].map { try context.the("Guard", $0) }
            for (name, expected) in [
                ("team", [["a", "b"], ["c"], []]), ("boss", [["a"], ["a"], ["b"]]),
                ("friends", [["a", "b"], ["a", "c"], ["b"]]), ("partner", [["b"], ["a"], ["c"]]),
            ] {
                try require("“\(name)”", guards.map { try $0.names(name) }, is: expected)
            }
        }
    }

    static let withoutInverse = ConformanceCase(
        "Relationships without an inverse are stored, ordered ones in their order"
    ) {
        world in
        try world.change { context in
            let rooms = try ["x", "y", "z"].map { try context.make("Room", $0) }
            let (a, b) = (try context.make("Statue", "a"), try context.make("Sketch", "b"))
            for name in ["Eve", "Fay"] {
                let visitor = try context.make("Visitor", name)
                try visitor.relate("favourite", a)
                try visitor.relate("wishes", b, a)
                try visitor.relate("path", rooms[2], rooms[0], rooms[1])
            }
        }
        try world.change { context in
            let eve = try context.the("Visitor", "Eve")
            try eve.relate("favourite", context.the("Sketch", "b"))
            try eve.relate("wishes", context.the("Statue", "a"))
            try eve.relate("path", context.the("Room", "y"), context.the("Room", "z"))
        }
        try world.verify { context in
            let visitors = try ["Eve", "Fay"].map { try context.the("Visitor", $0) }
            try require("The favourites", visitors.map { try $0.names("favourite") }, is: [["b"], ["a"]])
            try require("The wishes", visitors.map { try $0.names("wishes") }, is: [["a"], ["a", "b"]])
            try require("The paths", visitors.map { try $0.names("path") }, is: [["y", "z"], ["z", "x", "y"]])
        }
    }

    static let emptiedRelationships = ConformanceCase("An emptied relationship is empty after saving") { world in
        try world.change { context in try Museum.fill(context) }
        try world.change { context in
            for entity in ["Exhibit", "Room", "Guard", "Label", "Visitor", "Tour"] {
                for object in try context.all(entity) {
                    for relationship in object.entity.relationships {
                        if relationship.isToMany {
                            try object.setObjects([], of: relationship)
                        } else {
                            try object.setObject(nil, of: relationship)
                        }
                    }
                }
            }
        }
        try world.verify { context in
            for entity in ["Exhibit", "Room", "Guard", "Label", "Visitor", "Tour", "Frame", "Ticket"] {
                for object in try context.all(entity) {
                    for relationship in object.entity.relationships {
                        let count = try object.objectIDs(of: relationship).count
                        try require("The members of \(object.entity).\(relationship.name)", count, is: 0)
                    }
                }
            }
        }
    }

    static let membersOfSeveral = ConformanceCase("Members are returned by owner, with none for a missing owner") {
        world in
        let ids = try world.coordinator.withContext { context in
            let rooms = try ["a", "b", "c"].map { try context.make("Room", $0) }
            let exhibits = try ["1", "2", "3"].map { try context.make("Statue", $0) }
            try rooms[0].relate("exhibits", exhibits[2], exhibits[0])
            try rooms[2].relate("exhibits", exhibits[1])
            try context.save()
            return (rooms: rooms.map(\.objectID), exhibits: exhibits.map(\.objectID))
        }
        let gone = try world.newIDs("Room")
        let again = try world.reopened()
        for world in [world, again] {
            let members = try world.store.members(
                of: world.relationship("Room", "exhibits"),
                owners: [ids.rooms[2], gone[0], ids.rooms[1], ids.rooms[0], ids.rooms[2]],
                at: nil
            )
            let (one, two, three) = (ids.exhibits[0], ids.exhibits[1], ids.exhibits[2])
            try require("The members", members, is: [[two], [], [], [three, one], [two]])
        }
    }
}
