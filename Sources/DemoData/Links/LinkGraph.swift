// SPDX-License-Identifier: Apache-2.0

// Random links between objects, by index, within the constraints of the relationships.

import FoundationEssentials
import ObjectGraph

struct LinkGraph {
    struct Link: Hashable {
        let one: Int
        let other: Int
    }

    private let entities: [EntityDescription]
    private let storeIDs: [UUID?]
    private(set) var links: [(pair: RelationshipPair, links: [Link])] = []

    init(entities: [EntityDescription], storeIDs: [UUID?]) {
        self.entities = entities
        self.storeIDs = storeIDs
    }

    /// Links the objects of each store by a pair of relationships.
    mutating func connect(_ pair: RelationshipPair, _ byEntity: [[Int]], _ random: inout DemoRandom) {
        let ones = Dictionary(grouping: pair.one.entities.flatMap { byEntity[$0] }) { storeIDs[$0] }
        let others = Dictionary(grouping: pair.other.entities.flatMap { byEntity[$0] }) { storeIDs[$0] }
        var made: [Link] = []
        for storeID in ones.keys.sorted(by: { $0?.uuidString ?? "" < $1?.uuidString ?? "" }) {
            guard let ones = ones[storeID], let others = others[storeID] else { continue }
            var linking = LinkGenerator(pair, ones: ones, others: others)
            linking.run(&random)
            made += linking.links
        }
        links.append((pair, made))
    }

    /// Removes invalid objects and links until the rest is valid.
    ///
    /// - Returns: Whether each object is kept.
    mutating func prune(_ pairs: [RelationshipPair]) -> [Bool] {
        var isKept = Array(repeating: true, count: entities.count)
        var places: [[Int]] = Array(repeating: [], count: (entities.map(\.index).max() ?? -1) + 1)
        for (index, entity) in entities.enumerated() { places[entity.index].append(index) }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for number in links.indices {
                let pair = links[number].pair
                var degrees = (one: [Int: Int](), other: [Int: Int]())
                for link in links[number].links {
                    degrees.one[link.one, default: 0] += 1
                    degrees.other[link.other, default: 0] += 1
                    if pair.isSymmetric { degrees.one[link.other, default: 0] += 1 }
                }
                var isBare: Set<Int> = []
                func check(_ end: RelationshipPair.End, _ degrees: [Int: Int]) {
                    for object in end.entities.lazy.filter({ $0 < places.count }).flatMap({ places[$0] })
                    where isKept[object] {
                        let degree = degrees[object] ?? 0
                        if degree < end.required {
                            isKept[object] = false
                            hasChanged = true
                        } else if degree > 0, degree < end.least {
                            isBare.insert(object)
                        }
                    }
                }
                check(pair.one, degrees.one)
                if !pair.isSymmetric {
                    let bareOnes = isBare
                    isBare = []
                    check(pair.other, degrees.other)
                    if !bareOnes.isEmpty { links[number].links.removeAll { bareOnes.contains($0.one) } }
                    if !isBare.isEmpty { links[number].links.removeAll { isBare.contains($0.other) } }
                    hasChanged = hasChanged || !bareOnes.isEmpty || !isBare.isEmpty
                } else if !isBare.isEmpty {
                    links[number].links.removeAll { isBare.contains($0.one) || isBare.contains($0.other) }
                    hasChanged = true
                }
            }
            guard hasChanged else { break }
            for number in links.indices {
                links[number].links.removeAll { !isKept[$0.one] || !isKept[$0.other] }
            }
        }
        return isKept
    }
}
