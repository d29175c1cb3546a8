// SPDX-License-Identifier: Apache-2.0

// A set that keeps the insertion order.

/// An ordered set. Look-up, appending and removing take constant time, removing amortized. An insertion in the middle
/// moves the following members, and slows down looking up places until the index is rebuilt.
package struct OrderedMembers<Member: Hashable> {
    /// The members in order. Removed ones leave holes until there are too many.
    private var places: [Member?] = []
    /// The place of each member, or up to `slack` places before it. Small sets have no index.
    private var index: [Member: Int]?
    /// The number of insertions in the middle since the index was exact.
    private var slack = 0
    package private(set) var count = 0

    private static var smallCount: Int { 8 }

    package init() {}

    package init(_ members: some Sequence<Member>) {
        for member in members { append(member) }
    }

    package var isEmpty: Bool { count == 0 }

    /// The members in order.
    package var members: [Member] { places.compactMap { $0 } }

    /// The member at an index, in constant time unless some were removed.
    package subscript(index: Int) -> Member {
        if places.count == count, let member = places[index] { member } else { members[index] }
    }

    package func contains(_ member: Member) -> Bool {
        if let index { index[member] != nil } else { place(of: member) != nil }
    }

    @discardableResult
    package mutating func append(_ member: Member) -> Bool {
        if index == nil {
            guard place(of: member) == nil else { return false }
        } else if let known = index?.updateValue(places.count, forKey: member) {
            index?[member] = known
            return false
        }
        places.append(member)
        count += 1
        if index == nil, places.count > Self.smallCount { rebuild() }
        return true
    }

    /// Inserts a new member before the one at an index.
    @discardableResult
    package mutating func insert(_ member: Member, at index: Int) -> Bool {
        guard !contains(member) else { return false }
        guard index < count else { return append(member) }
        if places.count != count { rebuild() }
        places.insert(member, at: index)
        count += 1
        self.index?[member] = index
        slack += 1
        if self.index == nil ? count > Self.smallCount : slack * slack > count { rebuild() }
        return true
    }

    @discardableResult
    package mutating func remove(_ member: Member) -> Bool {
        guard let place = place(of: member) else { return false }
        places[place] = nil
        index?[member] = nil
        count -= 1
        if places.count > Self.smallCount, places.count > 2 * count { rebuild() }
        return true
    }

    package mutating func replace(_ member: Member, by other: Member) {
        guard let place = place(of: member), member != other, !contains(other) else { return }
        places[place] = other
        index?[member] = nil
        index?[other] = place
    }

    package func firstIndex(of member: Member) -> Int? {
        guard let place = place(of: member) else { return nil }
        return places.count == count ? place : places[..<place].count { $0 != nil }
    }

    private func place(of member: Member) -> Int? {
        guard let index else { return places.firstIndex { $0 == member } }
        guard let known = index[member] else { return nil }
        return slack == 0 ? known : places[known...].prefix(slack + 1).firstIndex { $0 == member }
    }

    private mutating func rebuild() {
        let members = members
        places = members
        slack = 0
        guard members.count > Self.smallCount else { return index = nil }
        index = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
    }
}

extension OrderedMembers: Sequence {
    package func makeIterator() -> some IteratorProtocol<Member> { places.lazy.compactMap { $0 }.makeIterator() }
}

extension OrderedMembers: Sendable where Member: Sendable {}

extension OrderedMembers: Equatable {
    package static func == (one: Self, other: Self) -> Bool { one.count == other.count && one.elementsEqual(other) }
}
