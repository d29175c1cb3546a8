// SPDX-License-Identifier: Apache-2.0

// Generations of a store that stay readable, and concurrent readers and writers.

import ObjectGraph
import Predicates
import Synchronization

extension ConformanceCase {
    static let generations = [pinnedGenerations, severalGenerations, noTornReads, pinnedWhileWriting, allWritten]

    static let pinnedGenerations = ConformanceCase(
        "A generation keeps showing its state after changes and deletions",
        needs: [.generations]
    ) { world in
        try world.change { context in try Museum.fill(context) }
        let before = try world.everything()
        let room = try world.read { try $0.the("Room", "red").objectID }
        let generation = try world.store.currentGeneration()
        try world.change { context in
            context.delete(try context.the("Statue", "zoo"))
            context.delete(try context.the("Label", "oil"))
            try context.the("Exhibit", "Zebra").setValue("renamed", forKey: "name")
            try context.the("Exhibit", "Ärger").relate("room", context.the("Room", "blue"))
            let room = try context.the("Room", "red")
            try room.setObjects(room.related("exhibits").reversed(), of: room.relationship("exhibits"))
            try context.make("Statue", "new")
        }
        let after = try world.everything()
        try require(after != before, "The changes can't be seen")
        try requireSame("The store at its generation", world.everything(at: generation), as: before)
        let exhibits = try world.entity("Exhibit")
        for (format, expected) in [
            ("name == 'zoo'", 1), ("name == 'renamed'", 0), ("name == 'new'", 0), ("ANY labels.name == 'oil'", 3),
            ("room.name == 'red'", 3), ("room.exhibits.@count == 3", 3),
        ] {
            let request = StoreFetchRequest(entity: exhibits, predicate: try ObjectPredicate(format))
            try require("\(format) at the generation", world.count(request, at: generation), is: expected)
        }
        try require("The version of a row", world.snapshot(room, at: generation)?.version, is: 1)
        try requireSame("The store without a generation", world.everything(), as: after)
    }

    static let severalGenerations = ConformanceCase("Each generation shows its own state", needs: [.generations]) {
        world in
        let id = try world.insert("Statue", "a")[0]
        var held: [(generation: any StoreGeneration, state: [String])] = []
        for round in 0..<5 {
            held.append((try world.store.currentGeneration(), try world.everything()))
            try world.change { context in
                try context.existingObject(with: id).setValue(.integer(Int64(round)), forKey: "worth")
                try context.make("Statue", "new \(round)")
            }
        }
        for (generation, state) in held.reversed() {
            try requireSame("The store at a generation", world.everything(at: generation), as: state)
        }
    }

    static let noTornReads = ConformanceCase("Readers never see part of a concurrent save") { world in
        let ids = try world.insert("Statue", "a", "b")
        try world.change { context in
            for id in ids { try context.existingObject(with: id).setValue(0, forKey: "worth") }
        }
        let slot = try world.slot("Statue", "worth")
        let request = StoreFetchRequest(entity: try world.entity("Statue"))
        let writers = RunningWriters(count: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    defer { writers.end() }
                    try transfer(between: ids, world, rounds: 20)
                }
                group.addTask {
                    // Each reader looks once more after the last save.
                    var isLastLook = false
                    while !isLastLook {
                        isLastLook = writers.haveEnded
                        let rows = try world.store.snapshots(of: ids, at: nil)
                        try requireBalance(rows.map { $0?.row.attributes[slot] })
                        try requireBalance(world.snapshots(request).map { $0.row.attributes[slot] })
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    static let pinnedWhileWriting = ConformanceCase(
        "A generation doesn't change during concurrent writes",
        needs: [.generations]
    ) { world in
        let ids = try world.insert("Statue", "a", "b")
        try world.change { context in
            for id in ids { try context.existingObject(with: id).setValue(0, forKey: "worth") }
        }
        let slot = try world.slot("Statue", "worth")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try transfer(between: ids, world, rounds: 30) }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<15 {
                        let generation = try world.store.currentGeneration()
                        let first = try world.snapshot(ids[0], at: generation)?.row.attributes[slot]
                        try transfer(between: ids, world, rounds: 1)
                        await Task.yield()
                        let second = try world.snapshot(ids[1], at: generation)?.row.attributes[slot]
                        try requireBalance([first, second])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    static let allWritten = ConformanceCase("Concurrent saves are all written") { world in
        let expected = (0..<4).flatMap { writer in (0..<8).map { "\(writer)-\($0)" } }.sorted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<8 {
                        try world.insert("Statue", "\(writer)-\(number)")
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        try require("The names", world.names("Statue"), is: expected)
        try require("The names", world.reopened().names("Statue"), is: expected)
    }

    /// Moves amounts between two rows repeatedly; their sum is always zero.
    private static func transfer(between ids: [ManagedObjectID], _ world: World, rounds: Int) throws {
        for round in 1...rounds {
            var isDone = false
            while !isDone {
                do {
                    try world.change { context in
                        for (id, sign) in zip(ids, [1, -1] as [Int64]) {
                            let object = try context.existingObject(with: id)
                            guard case .integer(let worth) = try object.value(forKey: "worth") else { continue }
                            try object.setValue(.integer(worth + sign * Int64(round)), forKey: "worth")
                        }
                    }
                    isDone = true
                } catch let error as GraphError where error.code == .conflict {
                    continue
                }
            }
        }
    }

    private static func requireBalance(_ worths: [Value?]) throws {
        guard worths.count == 2, case .integer(let one)? = worths[0], case .integer(let other)? = worths[1] else {
            throw ConformanceFailure(message: "A row is gone among \(worths)", place: #fileID)
        }
        try require("What both rows have together", one + other, is: 0)
    }
}

/// Counts the writers of a test that haven't ended.
private final class RunningWriters: Sendable {
    private let count: Mutex<Int>

    init(count: Int) {
        self.count = Mutex(count)
    }

    var haveEnded: Bool { count.withLock { $0 == 0 } }

    func end() {
        count.withLock { $0 -= 1 }
    }
}
