// SPDX-License-Identifier: Apache-2.0

// A list for display, to which changes are applied.

/// The objects of a controller by ID, in sections.
public struct FetchedResultsList: Hashable, Sendable {
    public struct Section: Hashable, Sendable {
        public let name: String
        public var objectIDs: [ManagedObjectID]

        public init(name: String, objectIDs: [ManagedObjectID] = []) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    public var sections: [Section]

    public init(sections: [Section] = []) {
        self.sections = sections
    }

    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}

extension FetchedResultsChanges {
    /// The list after the changes, given the list before them.
    public func applying(to list: FetchedResultsList) -> FetchedResultsList {
        var sections = list.sections
        var leaving: [Int: Set<Int>] = [:]
        var coming: [Int: [(item: Int, objectID: ManagedObjectID)]] = [:]
        for change in objects {
            switch change {
            case .insert(let objectID, let place): coming[place.section, default: []].append((place.item, objectID))
            case .delete(_, let place): leaving[place.section, default: []].insert(place.item)
            case .move(let objectID, let old, let new):
                leaving[old.section, default: []].insert(old.item)
                coming[new.section, default: []].append((new.item, objectID))
            // A save may have given a new object its permanent ID.
            case .update(let objectID, let old, _): sections[old.section].objectIDs[old.item] = objectID
            }
        }
        for (section, items) in leaving {
            let objectIDs = sections[section].objectIDs
            sections[section].objectIDs = objectIDs.indices.filter { !items.contains($0) }.map { objectIDs[$0] }
        }
        for section in deletedSections.reversed() { sections.remove(at: section.index) }
        for section in insertedSections {
            sections.insert(FetchedResultsList.Section(name: section.name), at: section.index)
        }
        for (section, arrivals) in coming {
            sections[section].objectIDs = merged(arrivals, into: sections[section].objectIDs)
        }
        return FetchedResultsList(sections: sections)
    }

    /// The same changes for a list without sections, without updates; nil if there are several sections.
    public var difference: CollectionDifference<ManagedObjectID>? {
        guard deletedSections.isEmpty, insertedSections.isEmpty else { return nil }
        var changes: [CollectionDifference<ManagedObjectID>.Change] = []
        for change in objects {
            switch change {
            case .insert(let objectID, let new) where new.section == 0:
                changes.append(.insert(offset: new.item, element: objectID, associatedWith: nil))
            case .delete(let objectID, let old) where old.section == 0:
                changes.append(.remove(offset: old.item, element: objectID, associatedWith: nil))
            case .move(let objectID, let old, let new) where old.section == 0 && new.section == 0:
                changes.append(.remove(offset: old.item, element: objectID, associatedWith: new.item))
                changes.append(.insert(offset: new.item, element: objectID, associatedWith: old.item))
            case .update(_, let old, _) where old.section == 0: break
            default: return nil
            }
        }
        return CollectionDifference(changes)
    }

    /// Inserts objects at their final places, which ascend.
    private func merged(
        _ arrivals: [(item: Int, objectID: ManagedObjectID)],
        into staying: [ManagedObjectID]
    ) -> [ManagedObjectID] {
        var merged: [ManagedObjectID] = []
        var rest = staying[...]
        for (item, objectID) in arrivals {
            let between = rest.prefix(item - merged.count)
            merged += between
            rest = rest.dropFirst(between.count)
            merged.append(objectID)
        }
        return merged + rest
    }
}
