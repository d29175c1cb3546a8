// SPDX-License-Identifier: Apache-2.0

// Matches the entities or properties of two versions. A renaming identifier is a canonical name: the original name, or
// the name in the previous version.

import Basics

/// The name and the canonical name, which is the same unless there is a renaming identifier.
struct VersionedName: Hashable {
    var name: String
    var canonical: String

    init(_ name: String, identifier: String?) {
        self.name = name
        canonical = identifier.flatMap { $0.isEmpty ? nil : $0 } ?? name
    }

    /// Whether `new` is a later version of this.
    func isOrigin(of new: VersionedName) -> Bool {
        canonical == new.canonical || name == new.canonical || name == new.name
    }
}

/// The matches between two lists, by position.
struct Pairing {
    /// The position of each new member's old one.
    private(set) var origins: [Int?]
    /// The positions of removed members.
    private(set) var removed: [Int]

    /// Matches exact names and identifiers first, then equal canonical names, then new canonical names with old names,
    /// then equal names, so that a member with an unmatched identifier isn't considered new.
    init(old: [VersionedName], new: [VersionedName]) {
        origins = Array(repeating: nil, count: new.count)
        var taken: Set<Int> = []
        func match<ID: Hashable>(
            _ oldID: (VersionedName) -> ID,
            _ newID: (VersionedName) -> ID,
            in origins: inout [Int?]
        ) {
            let free = old.indices.filter { !taken.contains($0) }
            let index = Dictionary(keepingFirst: free.map { (oldID(old[$0]), $0) })
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

    /// The properties that the entity itself declares, of all kinds, in order.
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

    /// The kind of the property, for messages.
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
