// SPDX-License-Identifier: Apache-2.0

// A museum in plain collections, to compare stores with.

import ObjectGraph
import Predicates

/// The exhibits, rooms, labels and tours of a museum by number.
struct PlainMuseum: Sendable {
    struct Piece: Sendable {
        let entity: String
        var worth: Int64?
        var room: Int?
        var labels: Set<Int> = []
    }

    var last = 0
    var pieces: [Int: Piece] = [:]
    /// The exhibits of each room, in their order.
    var rooms: [Int: [Int]] = [:]
    var labels: Set<Int> = []
    /// The exhibits of each tour, in their order.
    var tours: [Int: [Int]] = [:]

    /// Removes exhibits from their rooms and appends them to another.
    mutating func move(_ moved: [Int], to room: Int?) {
        for piece in moved {
            if let old = pieces[piece]?.room { rooms[old]?.removeAll { $0 == piece } }
            pieces[piece]?.room = room
            if let room { rooms[room]?.append(piece) }
        }
    }

    mutating func delete(_ number: Int) {
        if pieces[number] != nil {
            move([number], to: nil)
            for tour in tours.keys { tours[tour]?.removeAll { $0 == number } }
            pieces[number] = nil
        }
        if let members = rooms[number] { move(members, to: nil) }
        rooms[number] = nil
        tours[number] = nil
        labels.remove(number)
        for piece in pieces.keys { pieces[piece]?.labels.remove(number) }
    }

    /// The museum's content as lines.
    var lines: [String] {
        func names(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "n\($0)" } }
        var lines: [String] = []
        for (number, piece) in pieces {
            let visits = names(tours.filter { $0.value.contains(number) }.keys).sorted()
            let (room, labels) = (names(piece.room.map { [$0] } ?? []), names(piece.labels).sorted())
            lines.append("\(piece.entity) n\(number) \(piece.worth.value) \(room) \(labels) \(visits)")
        }
        for (number, members) in rooms { lines.append("Room n\(number) \(names(members))") }
        for (number, members) in tours { lines.append("Tour n\(number) \(names(members))") }
        for label in labels {
            lines.append("Label n\(label) \(names(pieces.filter { $0.value.labels.contains(label) }.keys).sorted())")
        }
        return lines.sorted()
    }

    /// The content of a store's museum as lines.
    static func lines(of context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for piece in try context.all("Exhibit") {
            let (room, labels) = (try piece.names("room"), try piece.names("labels"))
            let (worth, visits) = (try piece.value(forKey: "worth"), try piece.names("tours").sorted())
            lines.append("\(piece.entity) \(try piece.name) \(worth) \(room) \(labels) \(visits)")
        }
        for entity in ["Room", "Tour", "Label"] {
            for object in try context.all(entity) {
                lines.append("\(entity) \(try object.name) \(try object.names("exhibits"))")
            }
        }
        return lines.sorted()
    }
}
