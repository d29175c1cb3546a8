// SPDX-License-Identifier: Apache-2.0

// What changed in a list, so that it can be replayed exactly onto the old list.

/// What one event changed in the results of a controller.
///
/// Old places refer to the list before the event, new ones to the list after all changes. They are replayed so: first those
/// deleted and those moved are taken out of their old places, then the deleted sections, then the inserted sections come to
/// their new places in order, then those inserted and those moved come to their new places in order.
public struct FetchedResultsChanges: Hashable, Sendable {
    public struct SectionChange: Hashable, Sendable {
        public let name: String
        public let index: Int
    }

    public enum ObjectChange: Hashable, Sendable {
        case insert(ManagedObjectID, at: FetchedResultsIndexPath)
        case delete(ManagedObjectID, at: FetchedResultsIndexPath)
        /// A move may come with other values too; no update is told of for it.
        case move(ManagedObjectID, from: FetchedResultsIndexPath, to: FetchedResultsIndexPath)
        /// The object stays where it is, although others may have given it another index.
        case update(ManagedObjectID, from: FetchedResultsIndexPath, to: FetchedResultsIndexPath)
    }

    /// By their old indexes, ascending.
    public private(set) var deletedSections: [SectionChange] = []
    /// By their new indexes, ascending.
    public private(set) var insertedSections: [SectionChange] = []
    /// Deletions by their old places, then the others by their new ones, both ascending.
    public private(set) var objects: [ObjectChange] = []

    public var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty }
}

extension FetchedResultsChanges {
    /// What leads from one list to another. As few objects are moved as can be.
    init(
        from old: [FetchedResultsEntry],
        _ oldLayout: FetchedResultsLayout,
        to new: [FetchedResultsEntry],
        _ newLayout: FetchedResultsLayout,
        updated: Set<ManagedObject>
    ) {
        for (place, entry) in old.enumerated() {
            (entry.formerPlace, entry.isListed, entry.stays) = (place, false, false)
        }
        let formerSections = newLayout.formerSections(in: oldLayout)
        // Objects can stay in sections that stay, in the order that they had.
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
    /// For each section the one of another list that it continues, if any.
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
