// SPDX-License-Identifier: Apache-2.0

// Which entity or property of an old version is which of the new one. A renaming identifier is a canonical name: it is
// what something was called at first, or what it is called in the version before.

/// What versions are matched by: a name, and the canonical name, which is the same unless an identifier says otherwise.
struct VersionedName: Hashable {
    var name: String
    var canonical: String

    init(_ name: String, identifier: String?) {
        self.name = name
        canonical = identifier.flatMap { $0.isEmpty ? nil : $0 } ?? name
    }

    /// Whether this is what `new` was before.
    func isOrigin(of new: VersionedName) -> Bool {
        canonical == new.canonical || name == new.canonical || name == new.name
    }
}

/// The matches between the members of two lists, by position.
struct Pairing {
    /// For each new member the old one's position.
    private(set) var origins: [Int?]
    /// The positions of the old members that are no more.
    private(set) var removed: [Int]

    /// Exact matches come first, then equal canonical names, then a new canonical name that is an old name, then equal
    /// names, so that a member whose identifier leads nowhere is not taken for a new one.
    init(old: [VersionedName], new: [VersionedName]) {
        origins = Array(repeating: nil, count: new.count)
        var taken: Set<Int> = []
        func match<ID: Hashable>(
            _ oldID: (VersionedName) -> ID,
            _ newID: (VersionedName) -> ID,
            in origins: inout [Int?]
        ) {
            let free = old.indices.filter { !taken.contains($0) }
            let index = Dictionary(free.map { (oldID(old[$0]), $0) }) { first, _ in first }
            for position in new.indices where origins[position] == nil {
                guard let origin = index[newID(new[position])], taken.insert(origin).inserted else { continue }
                origins[position] = origin
            }
        }
        match({ $0 }, { $0 }, in: &origins)
        match(\.canonical, \.canonical, in: &origins)
        match(\.name, \.canonical, in: &origins)
        match(\.name, \.name, in: &origins)
        removed = old.indices.filter { !taken.contains($0) }
    }
}

extension Entity {
    var versionedName: VersionedName { VersionedName(name, identifier: renamingIdentifier) }

    /// The properties it declares itself, of all kinds, in order.
    var properties: [Property] {
        attributes.map(Property.attribute) + relationships.map(Property.relationship)
            + fetchedProperties.map(Property.fetched)
    }
}

extension Property {
    var versionedName: VersionedName {
        switch self {
        case .attribute(let attribute): VersionedName(name, identifier: attribute.renamingIdentifier)
        case .relationship(let relationship): VersionedName(name, identifier: relationship.renamingIdentifier)
        case .fetched: VersionedName(name, identifier: nil)
        }
    }

    /// What it is, for people.
    var kindName: String {
        switch self {
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetched: "fetched property"
        }
    }

    var isFetched: Bool {
        if case .fetched = self { true } else { false }
    }
}
