// SPDX-License-Identifier: Apache-2.0

// Plausible sample data for any model.

import Basics
import FoundationEssentials
package import ObjectGraph

/// Fills stores with objects of all entities for which valid objects exist, deterministically for a seed.
///
///     let counts = try DemoData(model: model, seed: 1, size: 10_000).fill(coordinator)
///     counts["Post"]  // 2871
///
/// 1. Objects are created in islands of about a thousand, with relationships only inside an island. Each island is
///    valid by itself, so memory use doesn't grow with the size.
/// 2. An island is planned as values before any object is created: its objects, their values and their links. Invalid
///    objects are removed from the plan.
/// 3. Unique values are derived from the object's number in its hierarchy, so no values need to be remembered.
package struct DemoData: Sendable {
    private let model: ManagedObjectModel
    private let seed: UInt64
    private let size: Int
    private let counts: [String: Int]

    /// - Parameters:
    ///   - size: The approximate total number of objects. There is at least one of each entity.
    ///   - counts: The number of objects of specific entities, regardless of `size`. It is lower if so many can't be
    ///     valid.
    package init(model: ManagedObjectModel, seed: UInt64, size: Int, counts: [String: Int] = [:]) {
        self.model = model
        self.seed = seed
        self.size = max(0, size)
        self.counts = counts
    }

    /// Creates and saves the objects. The stores should be empty.
    ///
    /// - Returns: The number of objects of each entity, without its subentities.
    @discardableResult
    package func fill(_ coordinator: PersistentStoreCoordinator) throws -> [String: Int] {
        let wanted = max(size, counts.values.reduce(0, +))
        guard wanted > 0 else { return [:] }
        let clusterCount = (wanted + Self.clusterSize - 1) / Self.clusterSize
        var planner = ClusterPlanner(model, size: min(size, Self.clusterSize), storeIDs: try storeIDs(in: coordinator))
        planner.counts = Dictionary(
            keepingFirst: counts.compactMap { name, count in model.entity(named: name).map { ($0.index, count) } }
        )
        planner.clusterCount = clusterCount
        // A store that is written as a whole is saved only a few times.
        let isWhole = coordinator.stores.contains(where: \.keepsRowsInMemory)
        let together = isWhole ? max(1, clusterCount / Self.maximumClustersPerSave) : 1
        var counts: [String: Int] = [:]
        for first in stride(from: 0, to: clusterCount, by: together) {
            let plans = (first..<min(clusterCount, first + together)).map { number in
                planner.cluster(number, DemoRandom(seed: seed, stream: UInt64(number)))
            }
            try coordinator.withContext { context in
                for plan in plans { try plan.insert(into: context) }
                try context.save()
            }
            for object in plans.lazy.flatMap(\.objects) { counts[object.entity.name, default: 0] += 1 }
        }
        return counts
    }

    private static let clusterSize = 1_000
    private static let maximumClustersPerSave = 4

    /// The store for new objects of each entity, or nil if none keeps them. Relationships don't cross stores.
    private func storeIDs(in coordinator: PersistentStoreCoordinator) throws -> [UUID?] {
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
