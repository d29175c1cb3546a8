// SPDX-License-Identifier: Apache-2.0

/// Creates the links of a pair of relationships: the required ones first, ends that need several objects before those
/// that need one, then a plausible number of optional ones.
struct LinkGenerator {
    private let pair: RelationshipPair
    private let ones: [Int]
    private let others: [Int]
    private var sides: (one: Side, other: Side)
    private var made: Set<LinkGraph.Link> = []
    private(set) var links: [LinkGraph.Link] = []

    /// The objects at one end, with their number of links.
    private struct Side {
        let end: RelationshipPair.End
        var degrees: [Int: Int] = [:]
        /// The objects that can have more links, unordered, with their positions.
        var open: [Int]
        private var places: [Int: Int]

        init(_ end: RelationshipPair.End, _ objects: [Int]) {
            self.end = end
            open = objects
            places = Dictionary(uniqueKeysWithValues: objects.enumerated().map { ($1, $0) })
        }

        func degree(_ object: Int) -> Int { degrees[object] ?? 0 }

        mutating func count(_ object: Int) {
            degrees[object, default: 0] += 1
            guard degree(object) >= end.most, let place = places.removeValue(forKey: object) else { return }
            let last = open.removeLast()
            guard last != object else { return }
            open[place] = last
            places[last] = place
        }
    }

    init(_ pair: RelationshipPair, ones: [Int], others: [Int]) {
        self.pair = pair
        self.ones = ones
        self.others = others
        sides = (Side(pair.one, ones), Side(pair.other, others))
    }

    mutating func run(_ random: inout DemoRandom) {
        if pair.one.most >= pair.other.most {
            fillOnes(&random)
            fillOthers(&random)
        } else {
            fillOthers(&random)
            fillOnes(&random)
        }
        addMore(&random)
    }

    private mutating func fillOnes(_ random: inout DemoRandom) {
        let wanted = max(pair.one.required, pair.one.least)
        guard wanted > 0 else { return }
        for object in ones {
            while sides.one.degree(object) < wanted, let partner = partner(ofOne: object, &random) {
                link(object, partner)
            }
        }
    }

    private mutating func fillOthers(_ random: inout DemoRandom) {
        let wanted = max(pair.other.required, pair.other.least)
        guard wanted > 0, !pair.isSymmetric else { return }
        for object in others {
            while sides.other.degree(object) < wanted, let partner = partner(ofOther: object, &random) {
                link(partner, object)
            }
        }
    }

    private mutating func addMore(_ random: inout DemoRandom) {
        let isOneToMany = pair.one.most > 1 && pair.other.most == 1
        if isOneToMany {
            for object in others where sides.other.degree(object) < 1 && random.chance(80) {
                if let partner = partner(ofOther: object, &random) { link(partner, object) }
            }
            return
        }
        for object in ones {
            let more = pair.one.most == 1 ? (random.chance(80) ? 1 : 0) : random.below(5)
            let wanted = min(more, pair.one.most)
            while sides.one.degree(object) < wanted, let partner = partner(ofOne: object, &random) {
                link(object, partner)
            }
        }
    }

    private mutating func link(_ one: Int, _ other: Int) {
        let link = LinkGraph.Link(one: one, other: other)
        made.insert(link)
        if pair.isSymmetric { made.insert(LinkGraph.Link(one: other, other: one)) }
        links.append(link)
        sides.one.count(one)
        if pair.isSymmetric { sides.one.count(other) } else { sides.other.count(other) }
    }

    private func partner(ofOne object: Int, _ random: inout DemoRandom) -> Int? {
        let candidates = pair.isSymmetric ? sides.one.open : sides.other.open
        guard !pair.isSymmetric || sides.one.degree(object) < pair.one.most else { return nil }
        return choose(candidates, for: object, isSought: pair.one.required > sides.one.degree(object), &random) {
            made.contains(LinkGraph.Link(one: object, other: $0))
        }
    }

    private func partner(ofOther object: Int, _ random: inout DemoRandom) -> Int? {
        choose(sides.one.open, for: object, isSought: pair.other.required > sides.other.degree(object), &random) {
            made.contains(LinkGraph.Link(one: $0, other: object))
        }
    }

    /// A random candidate. Within one kind, earlier objects are preferred so that trees result; an object is linked to
    /// itself only if it needs a partner and there is no other.
    private func choose(
        _ candidates: [Int],
        for object: Int,
        isSought: Bool,
        _ random: inout DemoRandom,
        isTaken: (Int) -> Bool
    ) -> Int? {
        guard !candidates.isEmpty else { return nil }
        let wantsEarlier = pair.isLoop && !pair.isSymmetric
        for _ in 0..<8 {
            let candidate = candidates[random.below(candidates.count)]
            if wantsEarlier ? candidate < object && !isTaken(candidate) : candidate != object && !isTaken(candidate) {
                return candidate
            }
        }
        guard isSought || !wantsEarlier else { return nil }
        let start = random.below(candidates.count)
        for offset in candidates.indices {
            let candidate = candidates[(start + offset) % candidates.count]
            if candidate != object, !isTaken(candidate) { return candidate }
        }
        return isSought && !pair.isSymmetric && candidates.contains(object) && !isTaken(object) ? object : nil
    }
}
