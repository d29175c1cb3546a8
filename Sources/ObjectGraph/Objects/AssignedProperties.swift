// SPDX-License-Identifier: Apache-2.0

// The properties that were set of an object which no store has yet, whatever to: they count where it becomes a change of one that is
// stored.

/// A set of an entity's attributes and relationships, which is one word for entities of up to 64.
struct AssignedProperties: Equatable {
    private var first: UInt64 = 0
    private var others: [UInt64] = []

    /// Whether the property at a place of the entity is one of them, attributes first, then to-one relationships, then the others.
    func contains(_ place: Int) -> Bool { self[word: place / 64] & (1 << UInt64(place % 64)) != 0 }

    /// Adds a property, or removes it; whether that changed anything.
    mutating func set(_ place: Int, _ isAssigned: Bool) -> Bool {
        guard contains(place) != isAssigned else { return false }
        self[word: place / 64] ^= 1 << UInt64(place % 64)
        return true
    }

    /// All properties of an entity.
    static func all(of entity: EntityDescription) -> AssignedProperties {
        var all = AssignedProperties()
        let count = entity.attributes.count + entity.toOnes.count + entity.toManys.count
        for place in 0..<count { _ = all.set(place, true) }
        return all
    }

    /// The places in their order.
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
    /// Where `AssignedProperties` has a relationship.
    func place(of relationship: RelationshipDescription) -> Int {
        relationship.isToMany
            ? attributes.count + toOnes.count + relationship.slot : attributes.count + relationship.slot
    }
}
