// SPDX-License-Identifier: Apache-2.0

// Random saves into a store and into a plain museum, which must be the same after each of them.

import ObjectGraph
import Predicates
import SeededRandom

extension ConformanceCase {
    static let randomSaves = randomSaves(seed: .random(in: .min ... .max))

    /// A case with the same saves for the same seed, which is part of the name.
    public static func randomSaves(seed: UInt64) -> ConformanceCase {
        ConformanceCase("Random saves leave the same content as in a plain museum (seed \(seed))") { world in
            var (world, plain, random) = (world, PlainMuseum(), SeededGenerator(seed: seed))
            for number in 0..<40 {
                let (before, generator, current) = (plain, random, world)
                (plain, random) = try current.coordinator.withContext { context in
                    var run = RandomSaveRun(context: context, plain: before, random: generator)
                    try run.begin()
                    for _ in 0..<run.some(8) { try run.step() }
                    if try run.spoil(current.kind) {
                        let error = (try? context.save()) == nil
                        try require(error, "A name that is taken was saved")
                        return (before, run.random)
                    }
                    try context.save()
                    return (run.plain, run.random)
                }
                if number % 5 == 4 {
                    let again = try world.reopened()
                    let what = "Reopened after save \(number) of seed \(seed)"
                    try requireSame(what, again.everything(), as: world.everything())
                    world = again
                }
                let expected = plain.lines
                try world.read { context in
                    try requireSame(
                        "After save \(number) of seed \(seed)",
                        PlainMuseum.lines(of: context),
                        as: expected
                    )
                }
            }
        }
    }
}

/// A context and a plain museum that are changed alike. Objects are named by numbers.
private struct RandomSaveRun {
    let context: ManagedObjectContext
    var plain: PlainMuseum
    var random: SeededGenerator
    /// Whether the context has loaded the members of rooms. Only then does a member that leaves and returns change its
    /// place.
    private var isLoaded = false

    init(context: ManagedObjectContext, plain: PlainMuseum, random: SeededGenerator) {
        (self.context, self.plain, self.random) = (context, plain, random)
    }

    mutating func begin() throws {
        isLoaded = random.chance(50)
        if isLoaded { for room in plain.rooms.keys { _ = try object(room).related("exhibits") } }
    }

    mutating func some(_ most: Int) -> Int { Int.random(in: 1...most, using: &random) }

    mutating func step() throws {
        switch some(10) {
        case 1, 2, 3: try insert()
        case 4: try setWorth()
        case 5: try move()
        case 6: try arrangeRoom()
        case 7: try label()
        case 8: try arrangeTour()
        default: try delete()
        }
        try context.processPendingChanges()
    }

    /// Occasionally gives a new room the name of another, so that the save must fail.
    mutating func spoil(_ kind: StoreKind) throws -> Bool {
        guard kind.capabilities.contains(.uniqueness), random.chance(15),
            let room = pick(plain.rooms.keys)
        else { return false }
        try context.make("Room", "n\(room)")
        return true
    }

    private mutating func insert() throws {
        let number = plain.last + 1
        plain.last = number
        let entity = ["Statue", "Sketch", "Painting", "Room", "Label", "Tour"].randomElement(using: &random) ?? "Room"
        try context.make(entity, "n\(number)")
        switch entity {
        case "Room": plain.rooms[number] = []
        case "Label": plain.labels.insert(number)
        case "Tour": plain.tours[number] = []
        default: plain.pieces[number] = PlainMuseum.Piece(entity: entity)
        }
    }

    private mutating func setWorth() throws {
        guard let piece = pick(plain.pieces.keys) else { return }
        let worth: Int64? = random.chance(20) ? nil : .random(in: .min ... .max, using: &random)
        plain.pieces[piece]?.worth = worth
        try object(piece).setValue(worth.value, forKey: "worth")
    }

    private mutating func move() throws {
        guard let piece = pick(plain.pieces.keys) else { return }
        let room = random.chance(30) ? nil : pick(plain.rooms.keys)
        guard plain.pieces[piece]?.room != room, isLoaded || plain.pieces[piece]?.room == nil else { return }
        let exhibit = try object(piece)
        try exhibit.setObject(room.map { try object($0) }, of: exhibit.relationship("room"))
        plain.move([piece], to: room)
    }

    private mutating func arrangeRoom() throws {
        guard isLoaded, let number = pick(plain.rooms.keys) else { return }
        let pieces = selection(plain.pieces.keys)
        let room = try object(number)
        try room.setObjects(pieces.map { try object($0) }, of: room.relationship("exhibits"))
        plain.move(plain.rooms[number] ?? [], to: nil)
        plain.move(pieces, to: number)
    }

    private mutating func label() throws {
        guard let number = pick(plain.pieces.keys) else { return }
        let labels = selection(plain.labels)
        let piece = try object(number)
        try piece.setObjects(labels.map { try object($0) }, of: piece.relationship("labels"))
        plain.pieces[number]?.labels = Set(labels)
    }

    private mutating func arrangeTour() throws {
        guard let number = pick(plain.tours.keys) else { return }
        let pieces = selection(plain.pieces.keys)
        let tour = try object(number)
        try tour.setObjects(pieces.map { try object($0) }, of: tour.relationship("exhibits"))
        plain.tours[number] = pieces
    }

    private mutating func delete() throws {
        let all = Array(plain.pieces.keys) + plain.rooms.keys + plain.tours.keys + plain.labels
        guard let number = pick(all) else { return }
        context.delete(try object(number))
        plain.delete(number)
    }

    private mutating func pick(_ numbers: some Sequence<Int>) -> Int? {
        numbers.sorted().randomElement(using: &random)
    }

    /// Some of the numbers, in random order.
    private mutating func selection(_ numbers: some Sequence<Int>) -> [Int] {
        let shuffled = numbers.sorted().shuffled(using: &random)
        return Array(shuffled.prefix(Int.random(in: 0...6, using: &random)))
    }

    private func object(_ number: Int) throws -> ManagedObject {
        let entity =
            plain.rooms[number] != nil
            ? "Room" : plain.tours[number] != nil ? "Tour" : plain.labels.contains(number) ? "Label" : "Exhibit"
        return try context.the(entity, "n\(number)")
    }
}
