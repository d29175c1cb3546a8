// SPDX-License-Identifier: Apache-2.0

// Changes of a list that can be replayed onto the old one.

/// The changes of a controller's results by one event.
///
/// Old places refer to the list before the event, new ones to the list after all changes. To replay them, remove
/// deleted and moved objects from their old places, then remove the deleted sections, insert the new sections at their
/// new places in order, and insert new and moved objects at their new places in order.
public struct FetchedResultsChanges: Hashable, Sendable {
    public struct SectionChange: Hashable, Sendable {
        public let name: String
        public let index: Int
    }

    public enum ObjectChange: Hashable, Sendable {
        case insert(ManagedObjectID, at: FetchedResultsIndexPath)
        case delete(ManagedObjectID, at: FetchedResultsIndexPath)
        /// A move may include changed values; there is no separate update.
        case move(ManagedObjectID, from: FetchedResultsIndexPath, to: FetchedResultsIndexPath)
        /// The object wasn't moved, although other changes may have changed its index.
        case update(ManagedObjectID, from: FetchedResultsIndexPath, to: FetchedResultsIndexPath)
    }

    /// By old index, ascending.
    public private(set) var deletedSections: [SectionChange] = []
    /// By new index, ascending.
    public private(set) var insertedSections: [SectionChange] = []
    /// Deletions by old place, then the others by new place, both ascending.
    public private(set) var objects: [ObjectChange] = []

    public var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty }
}

extension FetchedResultsChanges {
    /// The changes from one list to another, with as few moves as possible.
    init(
        from old: [FetchedResultsEntry],
        _ oldLayout: FetchedResultsLayout,
        to new: [FetchedResultsEntry],
        _ newLayout: FetchedResultsLayout,
        updated: Set<ManagedObject>
    ) {
        for (place, entry) in old.enumerated() {
            entry.formerPlace = place
            entry.isListed = false
            entry.stays = false
        }
        let formerSections = newLayout.formerSections(in: oldLayout)
        // Objects can stay if their sections stay and their order is unchanged.
        var candidates: [FetchedResultsEntry] = []
        for (section, former) in zip(newLayout.sections, formerSections) {
            guard let former = former.map({ oldLayout.sections[$0].range }) else { continue }
            candidates += new[section.range].filter { $0.formerPlace.map(former.contains) ?? false }
        }
        for index in longestIncreasing(candidates.map { $0.formerPlace ?? 0 }) { candidates[index].stays = true }
        var arrivals: [ObjectChange] = []
        for (index, section) in newLayout.sections.enumerated() {
            for (item, entry) in new[section.range].enumerated() {
                entry.isListed = true
                if entry.stays, !updated.contains(entry.object) { continue }
                let place = FetchedResultsIndexPath(section: index, item: item)
                let former = entry.formerPlace.map(oldLayout.indexPath(of:))
                arrivals.append(ObjectChange(entry, from: former, to: place))
            }
        }
        objects =
            old.indices.filter { !old[$0].isListed }
            .map { .delete(old[$0].object.objectID, at: oldLayout.indexPath(of: $0)) } + arrivals
        let lasting = Set(formerSections.compactMap(\.self))
        deletedSections = oldLayout.sections.indices.filter { !lasting.contains($0) }
            .map { SectionChange(name: oldLayout.sections[$0].name, index: $0) }
        insertedSections = newLayout.sections.indices.filter { formerSections[$0] == nil }
            .map { SectionChange(name: newLayout.sections[$0].name, index: $0) }
        for entry in old { entry.formerPlace = nil }
    }
}

extension FetchedResultsChanges.ObjectChange {
    fileprivate init(
        _ entry: FetchedResultsEntry,
        from former: FetchedResultsIndexPath?,
        to place: FetchedResultsIndexPath
    ) {
        let objectID = entry.object.objectID
        guard let former else {
            self = .insert(objectID, at: place)
            return
        }
        self = entry.stays ? .update(objectID, from: former, to: place) : .move(objectID, from: former, to: place)
    }
}

extension FetchedResultsLayout {
    /// For each section the one of the old list that it continues, or nil.
    fileprivate func formerSections(in old: FetchedResultsLayout) -> [Int?] {
        var places: [String: [Int]] = [:]
        for (index, section) in old.sections.enumerated().reversed() { places[section.name, default: []].append(index) }
        let matches = sections.map { places[$0.name]?.popLast() }
        let matched = matches.indices.filter { matches[$0] != nil }
        var former: [Int?] = Array(repeating: nil, count: sections.count)
        for index in longestIncreasing(matched.map { matches[$0] ?? 0 }) {
            former[matched[index]] = matches[matched[index]]
        }
        return former
    }
}
