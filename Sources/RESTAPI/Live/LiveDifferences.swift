// SPDX-License-Identifier: Apache-2.0

// The differences between two lists.

import ObjectGraph

/// The changes from one list to another, with as few moves as possible.
struct LiveDifferences {
    /// A change at a place of the new list.
    enum Arrival {
        case insert(Int)
        case move(from: Int, to: Int, isChanged: Bool)
        case update(Int)

        var place: Int {
            switch self {
            case .insert(let place), .move(_, let place, _), .update(let place): place
            }
        }

        /// Whether the object is new or has changed.
        var isChanged: Bool {
            if case .move(_, _, let isChanged) = self { isChanged } else { true }
        }
    }

    /// The places of deleted objects in the old list, ascending.
    private(set) var deletions: [Int] = []
    /// By place in the new list.
    private(set) var arrivals: [Arrival] = []

    var isEmpty: Bool { deletions.isEmpty && arrivals.isEmpty }

    init(from old: [LiveItem], to new: [LiveItem]) {
        // Most changes concern few objects of a list, so what surrounds them is skipped.
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] === new[start] { start += 1 }
        var end = 0
        while end < shorter - start, old[old.count - 1 - end] === new[new.count - 1 - end] { end += 1 }
        let former = start..<old.count - end
        let present = start..<new.count - end
        var formerPlaces: [ManagedObjectID: Int] = [:]
        for place in former { formerPlaces[old[place].objectID] = place }
        let origins = present.map { formerPlaces.removeValue(forKey: new[$0].objectID) }
        deletions = formerPlaces.values.sorted()
        let isChanged = zip(present, origins).map { place, origin in
            origin.map { old[$0].json != new[place].json } ?? true
        }
        // Unchanged objects move only if they must; changed ones stay if they are in order with these.
        let unchanged = zip(origins, isChanged).compactMap { $1 ? nil : $0 }
        var staying = longestIncreasing(unchanged).map { unchanged[$0] }[...]
        var last = -1
        for (index, place) in present.enumerated() {
            guard let origin = origins[index] else {
                arrivals.append(.insert(place))
                continue
            }
            if staying.first == origin {
                staying.removeFirst()
                last = origin
            } else if isChanged[index], origin > last, origin < staying.first ?? .max {
                arrivals.append(.update(place))
                last = origin
            } else {
                arrivals.append(.move(from: origin, to: place, isChanged: isChanged[index]))
            }
        }
    }
}
