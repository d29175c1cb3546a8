// SPDX-License-Identifier: Apache-2.0

// A simple graph to compare the engine with: objects are numbers, and a relationship is a set of pairs that both its
// sides are read from.

/// The plain graph of the fixture world.
struct PlainGraph: Equatable {
    /// A relationship and its inverse.
    struct Link: Hashable {
        let from: String
        let name: String
        let to: String
        let inverse: String
        let isToMany: Bool
        let isInverseToMany: Bool
        var cascades = false

        var isSymmetric: Bool { from == to && name == inverse }
    }

    struct Pair: Hashable {
        let one: Int
        let other: Int
    }

    static let links = [
        Link(
            from: "User",
            name: "posts",
            to: "Post",
            inverse: "author",
            isToMany: true,
            isInverseToMany: false,
            cascades: true
        ),
        Link(
            from: "User",
            name: "profile",
            to: "Profile",
            inverse: "user",
            isToMany: false,
            isInverseToMany: false,
            cascades: true
        ),
        Link(from: "User", name: "friends", to: "User", inverse: "friends", isToMany: true, isInverseToMany: true),
        Link(from: "User", name: "mentor", to: "User", inverse: "students", isToMany: false, isInverseToMany: true),
        Link(from: "Post", name: "tags", to: "Tag", inverse: "posts", isToMany: true, isInverseToMany: true),
        Link(
            from: "Post",
            name: "pages",
            to: "Page",
            inverse: "post",
            isToMany: true,
            isInverseToMany: false,
            cascades: true
        ),
    ]

    var entities: [Int: String] = [:]
    var views: [Int: Int64] = [:]
    var pairs: [Link: Set<Pair>] = [:]

    func related(_ object: Int, _ name: String) -> Set<Int> {
        var related: Set<Int> = []
        for (link, pairs) in pairs {
            if link.name == name, link.from == entities[object] {
                related.formUnion(pairs.filter { $0.one == object }.map(\.other))
            } else if link.inverse == name, link.to == entities[object] {
                related.formUnion(pairs.filter { $0.other == object }.map(\.one))
            }
        }
        return related
    }

    mutating func relate(_ one: Int, _ other: Int, by link: Link) {
        if !link.isToMany { pairs[link]?.filter { $0.one == one }.forEach { remove($0, link) } }
        if !link.isInverseToMany { pairs[link]?.filter { $0.other == other }.forEach { remove($0, link) } }
        pairs[link, default: []].insert(Pair(one: one, other: other))
        if link.isSymmetric { pairs[link, default: []].insert(Pair(one: other, other: one)) }
    }

    mutating func unrelate(_ one: Int, _ other: Int, by link: Link) {
        remove(Pair(one: one, other: other), link)
    }

    private mutating func remove(_ pair: Pair, _ link: Link) {
        pairs[link]?.remove(pair)
        if link.isSymmetric { pairs[link]?.remove(Pair(one: pair.other, other: pair.one)) }
    }

    /// Deletes objects and the objects that delete rules require.
    mutating func delete(_ objects: Set<Int>) {
        var doomed = objects
        var pending = Array(objects)
        while let object = pending.popLast() {
            for link in Self.links where link.cascades && link.from == entities[object] {
                for pair in pairs[link] ?? [] where pair.one == object && doomed.insert(pair.other).inserted {
                    pending.append(pair.other)
                }
            }
        }
        for object in doomed {
            entities[object] = nil
            views[object] = nil
        }
        for link in Self.links {
            pairs[link] = pairs[link]?.filter { !doomed.contains($0.one) && !doomed.contains($0.other) }
        }
    }

    static func == (one: PlainGraph, other: PlainGraph) -> Bool {
        one.entities == other.entities && one.views == other.views
            && links.allSatisfy { one.pairs[$0] ?? [] == other.pairs[$0] ?? [] }
    }
}
