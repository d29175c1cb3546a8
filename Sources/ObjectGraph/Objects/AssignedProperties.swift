// SPDX-License-Identifier: Apache-2.0

// Tracks the properties set of an object that no store has yet: they are applied if the object is merged into a stored
// one.

/// A set of an entity's attributes and relationships; a single word for entities of up to 64.
struct AssignedProperties: Equatable {
    private var first: UInt64 = 0
    private var others: [UInt64] = []

    /// Whether it contains the property at a place of the entity: attributes first, then to-one, then to-many
    /// relationships.
    func contains(_ place: Int) -> Bool { self[word: place / 64] & (1 << UInt64(place % 64)) != 0 }

    /// Adds or removes a property; returns whether that changed the set.
    mutating func set(_ place: Int, to isAssigned: Bool) -> Bool {
        guard contains(place) != isAssigned else { return false }
        self[word: place / 64] ^= 1 << UInt64(place % 64)
        return true
    }

    static func all(of entity: EntityDescription) -> AssignedProperties {
        var all = AssignedProperties()
        let count = entity.attributes.count + entity.toOnes.count + entity.toManys.count
        for place in 0..<count { _ = all.set(place, to: true) }
        return all
    }

    /// The places in order.
    var places: [Int] { (0..<64 * (1 + others.count)).filter(contains) }

    private subscript(word index: Int) -> UInt64 {
        get {
            if index == 0 { return first }
            return index <= others.count ? others[index - 1] : 0
        }
        set {
            if index == 0 {
                first = newValue
            } else {
                if others.count < index { others += Array(repeating: 0, count: index - others.count) }
                others[index - 1] = newValue
            }
        }
    }
}

extension EntityDescription {
    /// The place of a relationship in `AssignedProperties`.
    func place(of relationship: RelationshipDescription) -> Int {
        relationship.isToMany
            ? attributes.count + toOnes.count + relationship.slot : attributes.count + relationship.slot
    }
}
