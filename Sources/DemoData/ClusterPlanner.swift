// SPDX-License-Identifier: Apache-2.0

// Plans islands: the number of objects of each entity, their values and their links.

import FoundationEssentials
import ObjectGraph

struct ClusterPlanner {
    private let model: ManagedObjectModel
    private let pairs: [RelationshipPair]
    private let fillers: [ObjectFiller?]
    /// The number of objects in an island by entity.
    private let shares: [Int]
    /// The store by index of the entity, or nil if there are no objects of it.
    private let storeIDs: [UUID?]
    /// The total number of objects of some entities, by index, overriding the shares.
    var counts: [Int: Int] = [:]
    var clusterCount = 1
    /// The number of objects so far in each hierarchy, by the index of its root.
    private var ordinals: [Int]

    init(_ model: ManagedObjectModel, size: Int, storeIDs: [UUID?]) {
        self.model = model
        self.storeIDs = storeIDs
        let constraints = model.entities.map(UniqueProperties.init)
        let fillers = zip(model.entities, constraints).map { entity, carriers in
            storeIDs[entity.index] == nil ? nil : ObjectFiller(entity, carriers)
        }
        self.fillers = fillers
        let exclusive = Set(constraints.flatMap(\.exclusive))
        pairs = RelationshipPair.all(of: model, exclusive: exclusive)
        shares = Self.shares(of: model, pairs, size: size) { fillers[$0] != nil }
        ordinals = Array(repeating: 0, count: model.entities.count)
    }

    mutating func cluster(_ number: Int, _ random: consuming DemoRandom) -> ObjectCluster {
        var random = random
        var subjects: [PlannedObject] = []
        var byEntity: [[Int]] = Array(repeating: [], count: model.entities.count)
        for (entity, filler) in zip(model.entities, fillers) {
            guard let filler else { continue }
            for _ in 0..<share(of: entity, number) where ordinals[entity.rootIndex] < filler.capacity {
                byEntity[entity.index].append(subjects.count)
                subjects.append(PlannedObject(entity: entity, ordinal: ordinals[entity.rootIndex], &random))
                ordinals[entity.rootIndex] += 1
            }
        }
        var graph = LinkGraph(entities: subjects.map(\.entity), storeIDs: subjects.map { storeIDs[$0.entity.index] })
        for pair in pairs { graph.connect(pair, byEntity, &random) }
        let isKept = graph.prune(pairs)
        var cluster = ObjectCluster()
        var places = Array(repeating: 0, count: subjects.count)
        for (index, subject) in subjects.enumerated() where isKept[index] {
            places[index] = cluster.objects.count
            let values = fillers[subject.entity.index]?.values(for: subject, &random) ?? []
            cluster.objects.append(ObjectCluster.Object(entity: subject.entity, values: values))
        }
        cluster.links = graph.links.flatMap { pair, links in
            links.map { pair.link(from: places[$0.one], to: places[$0.other]) }
        }
        return cluster
    }

    private func share(of entity: EntityDescription, _ cluster: Int) -> Int {
        guard let count = counts[entity.index] else { return shares[entity.index] }
        // The remainder is distributed evenly over the islands.
        let (whole, rest) = count.quotientAndRemainder(dividingBy: clusterCount)
        return whole + (rest * (cluster + 1) / clusterCount - rest * cluster / clusterCount)
    }

    /// The number of objects per entity. Owners of many objects are fewer than these.
    private static func shares(
        of model: ManagedObjectModel,
        _ pairs: [RelationshipPair],
        size: Int,
        isFillable: (Int) -> Bool
    ) -> [Int] {
        var weights = model.entities.map { isFillable($0.index) ? 1.0 : 0 }
        for _ in 0..<4 {
            for pair in pairs where !pair.isLoop {
                guard let ratio = pair.ratio else { continue }
                let (few, many) = ratio.isOneFewer ? (pair.one, pair.other) : (pair.other, pair.one)
                let owners = few.entities.reduce(0) { $0 + weights[$1] }
                let members = many.entities.reduce(0) { $0 + weights[$1] }
                guard members > 0, members < owners * ratio.factor else { continue }
                let growth = owners * ratio.factor / members
                for entity in many.entities { weights[entity] = min(64, weights[entity] * growth) }
            }
        }
        let sum = max(1, weights.reduce(0, +))
        return weights.map { $0 == 0 ? 0 : max(1, Int($0 / sum * Double(size))) }
    }
}

/// A planned object, with the seed that makes its values consistent.
struct PlannedObject: Sendable {
    let entity: EntityDescription
    /// The object's number in its hierarchy.
    let ordinal: Int
    /// The seed of the object's words.
    let seed: UInt64
    /// The creation time in seconds since the reference date.
    let moment: Double

    init(entity: EntityDescription, ordinal: Int, _ random: inout DemoRandom) {
        self.entity = entity
        self.ordinal = ordinal
        seed = random.next()
        let age = random.fraction()
        // Recent dates are more frequent.
        moment = DemoCalendar.today - (age * age * 730 * DemoCalendar.day).rounded()
    }
}
