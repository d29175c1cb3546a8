// SPDX-License-Identifier: Apache-2.0

// The model of the fixture world: a museum with every kind of attribute, relationship and constraint.

import ObjectGraph
import ObjectModel

enum Museum {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Composite("Point") {
                    Attribute("x", .double).optional()
                    Attribute("y", .double).optional()
                }
                Composite("Place") {
                    Attribute("label", .string).optional().searchIndexed()
                    Attribute("floor", .int32).optional().default(3)
                    Attribute("point", .composite("Point")).optional()
                }
                specimen
                exhibits
                rooms
                people
                bands
                Entity("Label") {
                    Attribute("name", .string).optional()
                    Attribute("uses", .int64).optional().derived("exhibits.@count")
                    Relationship("exhibits", toMany: "Exhibit", inverse: "labels")
                    Relationship("related", toMany: "Label", inverse: "related")
                }
                Entity("Tour") {
                    Attribute("name", .string).optional()
                    Relationship("exhibits", toMany: "Exhibit", inverse: "tours").ordered()
                }
            }
        )
    }

    /// An attribute of every type.
    private static let specimen = Entity("Specimen") {
        Attribute("name", .string).optional()
        Attribute("small", .int16).optional()
        Attribute("middle", .int32).optional()
        Attribute("large", .int64).optional()
        Attribute("price", .decimal).optional()
        Attribute("ratio", .double).optional()
        Attribute("share", .float).optional()
        Attribute("flag", .bool).optional()
        Attribute("made", .date).optional()
        Attribute("bytes", .binary).optional()
        Attribute("picture", .binary).optional().externalStorage()
        Attribute("tag", .uuid).optional()
        Attribute("link", .uri).optional()
        Attribute("tree", .transformable(transformer: nil)).optional()
        Attribute("place", .composite("Place")).optional()
        Attribute("title", .string).optional().default("Untitled")
        Attribute("rank", .int64).optional().default(7)
        Attribute("isNew", .bool).default(true)
        Attribute("draft", .string).optional().transient()
    }

    /// An abstract entity with two levels below it.
    private static let exhibits = [
        Entity("Exhibit", isAbstract: true) {
            Attribute("name", .string).optional().searchIndexed()
            Attribute("code", .string).optional()
            Attribute("section", .string).optional()
            Attribute("number", .int64).optional()
            Attribute("worth", .int64).optional()
            Attribute("price", .decimal).optional()
            Attribute("made", .date).optional()
            Attribute("plain", .string).optional().derived("canonical:(name)")
            Attribute("roomName", .string).optional().derived("room.name")
            Relationship("room", toOne: "Room", inverse: "exhibits").optional()
            Relationship("labels", toMany: "Label", inverse: "exhibits")
            Relationship("tours", toMany: "Tour", inverse: "exhibits").ordered()
            UniquenessConstraint("code")
            UniquenessConstraint("section", "number")
        },
        Entity("Painting", parent: "Exhibit") {
            Attribute("width", .double).optional()
            Attribute("signature", .string).optional()
            Relationship("frame", toOne: "Frame", inverse: "painting", deleteRule: .cascade).optional()
            UniquenessConstraint("signature")
        },
        Entity("Sketch", parent: "Painting") {
            Attribute("study", .bool).optional()
        },
        Entity("Statue", parent: "Exhibit") {
            Attribute("material", .string).optional().searchIndexed()
        },
        Entity("Frame") {
            Attribute("name", .string).optional()
            Relationship("painting", toOne: "Painting", inverse: "frame").optional()
        },
    ]

    private static let rooms = [
        Entity("Room") {
            Attribute("name", .string).optional()
            Attribute("area", .double).optional()
            Attribute("exhibitCount", .int64).optional().derived("exhibits.@count")
            Attribute("worth", .int64).optional().derived("exhibits.worth.@sum")
            Relationship("wing", toOne: "Wing", inverse: "rooms").optional()
            Relationship("exhibits", toMany: "Exhibit", inverse: "room").ordered()
            Relationship("guards", toMany: "Guard", inverse: "post", deleteRule: .deny)
            UniquenessConstraint("name")
        },
        Entity("Wing") {
            Attribute("name", .string).optional()
            Attribute("exhibitCount", .int64).optional().derived("rooms.exhibitCount.@sum")
            Relationship("rooms", toMany: "Room", inverse: "wing", deleteRule: .cascade)
        },
    ]

    /// Relationships with minimum and maximum counts.
    private static let bands = [
        Entity("Band") {
            Attribute("name", .string).optional()
            Relationship("players", toMany: "Player", inverse: "bands").count(1...3)
            Relationship("singers", toMany: "Player", inverse: "sings").count(1...3)
        },
        Entity("Player") {
            Attribute("name", .string).optional()
            Relationship("bands", toMany: "Band", inverse: "players")
            Relationship("sings", toOne: "Band", inverse: "singers").optional()
        },
    ]

    /// Relationships of entities to themselves, without an inverse, and without a delete rule.
    private static let people = [
        Entity("Guard") {
            Attribute("name", .string).optional()
            Relationship("post", toOne: "Room", inverse: "guards").optional()
            Relationship("boss", toOne: "Guard", inverse: "team").optional()
            Relationship("team", toMany: "Guard", inverse: "boss")
            Relationship("friends", toMany: "Guard", inverse: "friends")
            Relationship("partner", toOne: "Guard", inverse: "partner").optional()
        },
        Entity("Visitor") {
            Attribute("name", .string).optional()
            Relationship("favourite", toOne: "Exhibit").optional()
            Relationship("wishes", toMany: "Exhibit")
            Relationship("path", toMany: "Room").ordered()
            Relationship("ticket", toOne: "Ticket", inverse: "visitor", deleteRule: .noAction).optional()
        },
        Entity("Ticket") {
            Attribute("name", .string).optional()
            Relationship("visitor", toOne: "Visitor", inverse: "ticket").optional()
        },
    ]
}
