// SPDX-License-Identifier: Apache-2.0

// Plausible data for any model, to try a server or a program with.

import FoundationEssentials
public import ObjectGraph

/// Fills stores with objects of each entity of a model that can be had, the same for the same seed.
///
///     let counts = try DemoData(model: model, seed: 1, size: 10_000).fill(coordinator)
///     counts["Post"]  // 2871
///
/// 1. The objects come in islands of about a thousand, whose relationships lead to each other. Each island is valid by itself, so
///    that memory doesn't grow with the size.
/// 2. Islands are planned as values before any object is made: which objects there are, their values, and who leads to whom. What
///    can't be valid is left out of the plan.
/// 3. Values that must be unique are made of the object's number in its hierarchy, so that nothing is kept to compare them with.
public struct DemoData: Sendable {
    private let model: ManagedObjectModel
    private let seed: UInt64
    private let size: Int
    private let counts: [String: Int]

    /// - Parameters:
    ///   - size: About how many objects there shall be in all. There is one of each entity at least.
    ///   - counts: How many objects there shall be of some entities, whatever the size. There are fewer where so many can't be valid.
    public init(model: ManagedObjectModel, seed: UInt64, size: Int, counts: [String: Int] = [:]) {
        (self.model, self.seed, self.size) = (model, seed, max(0, size))
        self.counts = counts
    }

    /// Makes the objects and saves them. The stores should have none before.
    ///
    /// - Returns: How many there are of each entity, those of the entities below it not counted among them.
    @discardableResult
    public func fill(_ coordinator: PersistentStoreCoordinator) throws -> [String: Int] {
        let wanted = max(size, counts.values.reduce(0, +))
        guard wanted > 0 else { return [:] }
        let islands = (wanted + Self.islandSize - 1) / Self.islandSize
        var planner = IslandPlanner(model, size: min(size, Self.islandSize), homes: try homes(in: coordinator))
        planner.counts = Dictionary(
            counts.compactMap { name, count in model.entity(named: name).map { ($0.index, count) } }
        ) { first, _ in first }
        planner.islands = islands
        // A store that is written as a whole is not written anew for each island.
        let isWhole = coordinator.stores.contains(where: \.keepsRowsInMemory)
        let together = isWhole ? max(1, islands / Self.wholeSaves) : 1
        var counts: [String: Int] = [:]
        for first in stride(from: 0, to: islands, by: together) {
            let plans = (first..<min(islands, first + together)).map { number in
                planner.island(number, DemoRandom(seed: seed, stream: UInt64(number)))
            }
            try coordinator.withContext { context in
                for plan in plans { try plan.insert(into: context) }
                try context.save()
            }
            for object in plans.lazy.flatMap(\.objects) { counts[object.entity.name, default: 0] += 1 }
        }
        return counts
    }

    private static let islandSize = 1_000
    private static let wholeSaves = 4

    /// Which store new objects of each entity go to; nil where none keeps them. Relationships don't lead from one store to another.
    private func homes(in coordinator: PersistentStoreCoordinator) throws -> [UUID?] {
        let isKept = model.entities.map { !$0.isAbstract && coordinator.keeps($0) }
        if coordinator.stores.count == 1 { return isKept.map { $0 ? coordinator.stores[0].identifier : nil } }
        return try coordinator.withContext { context in
            try model.entities.map { entity in
                guard isKept[entity.index] else { return nil }
                let object = try context.insert(entity)
                try context.obtainPermanentIDs(for: [object])
                return object.objectID.storeIdentifier
            }
        }
    }
}
