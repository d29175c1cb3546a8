// SPDX-License-Identifier: Apache-2.0

// The entries of a fetched results controller with their sort keys, and its sections.

import Predicates

/// The sort key of an object, and its section's name.
struct FetchedResultsKey: Equatable {
    var values: [Value]
    var section: String
}

/// An object of the list.
final class FetchedResultsEntry {
    var object: ManagedObject
    var key: FetchedResultsKey
    /// Orders objects that are equal by all descriptors.
    var serial: Int
    /// While two lists are compared: the place in the old list, or nil.
    var formerPlace: Int?
    /// While two lists are compared: whether it is in the new list.
    var isListed = false
    /// While two lists are compared: whether it isn't moved.
    var stays = false

    init(_ object: ManagedObject, _ key: FetchedResultsKey, serial: Int) {
        self.object = object
        self.key = key
        self.serial = serial
    }
}

/// The sections of a list.
struct FetchedResultsLayout {
    struct Section {
        let name: String
        var range: Range<Int>
    }

    private(set) var sections: [Section] = []

    init() {}

    init(_ order: [FetchedResultsEntry], hasSections: Bool) {
        guard hasSections else {
            sections = [Section(name: "", range: 0..<order.count)]
            return
        }
        for (place, entry) in order.enumerated() {
            if let last = sections.last, last.name == entry.key.section {
                sections[sections.count - 1].range = last.range.lowerBound..<place + 1
            } else {
                sections.append(Section(name: entry.key.section, range: place..<place + 1))
            }
        }
    }

    /// Whether objects of one section aren't adjacent.
    var isScattered: Bool { Set(sections.map(\.name)).count < sections.count }

    func indexPath(of place: Int) -> FetchedResultsIndexPath {
        var low = 0
        var high = sections.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if sections[middle].range.lowerBound <= place { low = middle } else { high = middle }
        }
        return FetchedResultsIndexPath(section: low, item: place - sections[low].range.lowerBound)
    }
}

/// The indices of a longest increasing subsequence.
package func longestIncreasing(_ numbers: [Int]) -> [Int] {
    /// For each length, the place of the smallest number that ends a sequence of this length.
    var ends: [Int] = []
    var before: [Int?] = []
    for (place, number) in numbers.enumerated() {
        var low = 0
        var high = ends.count
        if let last = ends.last, numbers[last] < number { low = high }
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        before.append(low > 0 ? ends[low - 1] : nil)
        if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var members: [Int] = []
    var place = ends.last
    while let member = place {
        members.append(member)
        place = before[member]
    }
    return members.reversed()
}
