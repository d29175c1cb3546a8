// SPDX-License-Identifier: Apache-2.0

// The content of the fixture world, for cases that only read it.

import FoundationEssentials
import ObjectGraph
import Predicates

extension Museum {
    private struct Piece {
        var entity: String
        var name: String?
        var section: String?
        var number: Int64?
        var worth: Int64?
        var price: String?
        var made: Double?
        var room: String?
        var labels: [String] = []
    }

    private static let pieces = [
        Piece(
            entity: "Painting",
            name: "Ärger",
            section: "A",
            number: 1,
            worth: 100,
            price: "19.90",
            made: 0,
            room: "red",
            labels: ["oil", "old"]
        ),
        Piece(
            entity: "Painting",
            name: "ärger",
            section: "A",
            number: 2,
            worth: -5,
            price: "19.9",
            made: 1000,
            room: "red",
            labels: ["oil"]
        ),
        Piece(entity: "Sketch", name: "Straße", section: "A", number: 3, worth: 0, room: "red"),
        Piece(
            entity: "Sketch",
            name: "STRASSE",
            section: "B",
            number: 1,
            worth: 7,
            price: "0.1",
            made: 1e9,
            room: "blue",
            labels: ["loan"]
        ),
        Piece(
            entity: "Statue",
            name: "zoo",
            section: "B",
            number: 2,
            worth: 7,
            price: "12345678901234567890.5",
            made: -1e9,
            room: "blue",
            labels: ["old", "loan"]
        ),
        Piece(entity: "Statue", name: "Zebra", number: 4, price: "-3", made: 0.5, room: "green"),
        Piece(entity: "Statue", name: "", worth: 3, price: "0"),
        Piece(entity: "Painting", section: "C", worth: 9_007_199_254_740_993, labels: ["oil"]),
        Piece(entity: "Painting", name: "a%b_c*d?e\\f", worth: 9_007_199_254_740_992, price: "12345678901234567890.4"),
        Piece(entity: "Painting", name: "日本 𝄞", section: "Z", number: 9, worth: 9, made: -100_000_000_000),
        Piece(entity: "Statue", name: "Café", section: "Z", number: 10, worth: 2, room: "green"),
        Piece(entity: "Statue", name: "Cafe\u{301}", worth: 4),
        Piece(entity: "Statue", name: "line\r\nbreak", worth: 5, price: "5"),
        Piece(entity: "Statue", name: "nul\u{0}byte", worth: .min, made: 1e12),
    ]

    /// Inserts the whole exhibition.
    static func fill(_ context: ManagedObjectContext) throws {
        let (north, south) = (try context.make("Wing", "north"), try context.make("Wing", "south"))
        let rooms = [
            "red": try context.make("Room", "red", ["area": 20.5]),
            "blue": try context.make("Room", "blue", ["area": 30]),
            "green": try context.make("Room", "green"), "empty": try context.make("Room", "empty", ["area": 0]),
        ]
        try north.relate("rooms", require(rooms["red"], "no room"), require(rooms["blue"], "no room"))
        try rooms["green"]?.relate("wing", south)
        var labels: [String: ManagedObject] = [:]
        for name in ["oil", "old", "loan", "unused"] { labels[name] = try context.make("Label", name) }
        try labels["oil"]?.relate("related", require(labels["old"], "no label"))
        for piece in pieces {
            let exhibit = try context.insert(piece.entity)
            try exhibit.setValue(piece.name.value, forKey: "name")
            try exhibit.setValue(piece.section.value, forKey: "section")
            try exhibit.setValue(piece.number.value, forKey: "number")
            try exhibit.setValue(piece.worth.value, forKey: "worth")
            try exhibit.setValue(piece.price.flatMap { Decimal(string: $0) }.value, forKey: "price")
            let made = piece.made.map { Date(timeIntervalSinceReferenceDate: $0) }
            try exhibit.setValue(made.value, forKey: "made")
            if let room = piece.room { try exhibit.relate("room", require(rooms[room], "no room")) }
            for label in piece.labels {
                try exhibit.add(require(labels[label], "no label"), to: exhibit.relationship("labels"))
            }
        }
        try context.make("Frame", "gilt").relate("painting", context.the("Painting", "Ärger"))
        try context.make("Tour", "short").relate(
            "exhibits",
            context.the("Exhibit", "zoo"),
            context.the("Exhibit", "Ärger"),
            context.the("Exhibit", "Café")
        )
        try hire(rooms, context)
    }

    private static func hire(_ rooms: [String: ManagedObject], _ context: ManagedObjectContext) throws {
        let (ann, bob) = (try context.make("Guard", "Ann"), try context.make("Guard", "Bob"))
        let (cid, dee) = (try context.make("Guard", "Cid"), try context.make("Guard", "Dee"))
        try ann.relate("team", bob, cid)
        try dee.relate("boss", bob)
        try ann.relate("friends", bob, cid)
        try bob.relate("partner", cid)
        try bob.relate("post", require(rooms["red"], "no room"))
        try cid.relate("post", require(rooms["blue"], "no room"))
        let visitor = try context.make("Visitor", "Eve")
        try visitor.relate("favourite", context.the("Exhibit", "Ärger"))
        try visitor.relate("wishes", context.the("Exhibit", "zoo"), context.the("Exhibit", "Zebra"))
        try visitor.relate("path", require(rooms["red"], "no room"), require(rooms["blue"], "no room"))
        try visitor.relate("ticket", context.make("Ticket", "T1"))
        try context.make("Visitor", "Fay")
    }
}
