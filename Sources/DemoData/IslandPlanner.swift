// SPDX-License-Identifier: Apache-2.0

// Plans islands: how many objects of each entity, what they hold, and who leads to whom.

import FoundationEssentials
import ObjectGraph

struct IslandPlanner {
    private let model: ManagedObjectModel
    private let pairs: [RelationshipPair]
    private let fillers: [ObjectFiller?]
    /// How many objects an island has of each entity.
    private let shares: [Int]
    /// By the index of an entity; nil for those that there are no objects of.
    private let homes: [UUID?]
    /// How many objects all islands together have of some entities, by index, whatever the shares are.
    var counts: [Int: Int] = [:]
    var islands = 1
    /// How many objects each hierarchy has so far, by the index of its root.
    private var ordinals: [Int]

    init(_ model: ManagedObjectModel, size: Int, homes: [UUID?]) {
        (self.model, self.homes) = (model, homes)
        let constraints = model.entities.map(UniqueCarriers.init)
        let fillers = zip(model.entities, constraints).map { entity, carriers in
            homes[entity.index] == nil ? nil : ObjectFiller(entity, carriers)
        }
        self.fillers = fillers
        let exclusive = Set(constraints.flatMap(\.exclusive))
        pairs = RelationshipPair.all(of: model, exclusive: exclusive)
        shares = Self.shares(of: model, pairs, size: size) { fillers[$0] != nil }
        ordinals = Array(repeating: 0, count: model.entities.count)
    }

    mutating func island(_ number: Int, _ random: consuming DemoRandom) -> Island {
        var random = random
        var subjects: [Subject] = []
        var byEntity: [[Int]] = Array(repeating: [], count: model.entities.count)
        for (entity, filler) in zip(model.entities, fillers) {
            guard let filler else { continue }
            for _ in 0..<share(of: entity, number) where ordinals[entity.rootIndex] < filler.capacity {
                byEntity[entity.index].append(subjects.count)
                subjects.append(Subject(entity: entity, ordinal: ordinals[entity.rootIndex], &random))
                ordinals[entity.rootIndex] += 1
            }
        }
        var graph = LinkGraph(entities: subjects.map(\.entity), homes: subjects.map { homes[$0.entity.index] })
        for pair in pairs { graph.connect(pair, byEntity, &random) }
        let isKept = graph.prune(pairs)
        var island = Island()
        var places = Array(repeating: 0, count: subjects.count)
        for (index, subject) in subjects.enumerated() where isKept[index] {
            places[index] = island.objects.count
            let values = fillers[subject.entity.index]?.values(for: subject, &random) ?? []
            island.objects.append(Island.Object(entity: subject.entity, values: values))
        }
        island.links = graph.links.flatMap { pair, links in
            links.map { pair.link(from: places[$0.one], to: places[$0.other]) }
        }
        return island
    }

    private func share(of entity: EntityDescription, _ island: Int) -> Int {
        guard let count = counts[entity.index] else { return shares[entity.index] }
        // What is left by dividing is spread evenly.
        let (whole, rest) = count.quotientAndRemainder(dividingBy: islands)
        return whole + (rest * (island + 1) / islands - rest * island / islands)
    }

    /// Objects that many others belong to are fewer than these.
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

/// An object that is planned: what its values go out from, so that they agree with each other.
struct Subject: Sendable {
    let entity: EntityDescription
    /// Its number in its hierarchy.
    let ordinal: Int
    /// What its words are made of.
    let seed: UInt64
    /// When it came to be, in seconds since the reference date.
    let moment: Double

    init(entity: EntityDescription, ordinal: Int, _ random: inout DemoRandom) {
        (self.entity, self.ordinal) = (entity, ordinal)
        seed = random.next()
        let age = random.fraction()
        // More is of late than of long ago.
        moment = DemoCalendar.today - (age * age * 730 * DemoCalendar.day).rounded()
    }
}
