// SPDX-License-Identifier: Apache-2.0

// The objects of a controller and their places.

extension FetchedResultsController {
    /// The objects of all sections, in order.
    public var fetchedObjects: [Object] {
        checkConfinement()
        return order.compactMap { $0.object as? Object }
    }

    public var sections: [FetchedResultsSection] {
        checkConfinement()
        return layout.sections.map { FetchedResultsSection(name: $0.name, range: $0.range) }
    }

    /// The object at a place, which must exist.
    public func object(at indexPath: FetchedResultsIndexPath) -> Object {
        checkConfinement()
        let section = layout.sections[indexPath.section]
        precondition(section.range.count > indexPath.item, "There is no object at \(indexPath).")
        guard let object = order[section.range.lowerBound + indexPath.item].object as? Object else {
            preconditionFailure("The object at \(indexPath) isn't a \(Object.self).")
        }
        return object
    }

    /// The place of an object, or nil if it wasn't fetched.
    public func indexPath(of object: Object) -> FetchedResultsIndexPath? {
        checkConfinement()
        guard let entry = entries[object],
            let place = evaluator.place(of: entry, in: order) ?? order.firstIndex(where: { $0 === entry })
        else { return nil }
        return layout.indexPath(of: place)
    }

    /// The objects by ID, as a list that changes can be applied to.
    public var list: FetchedResultsList {
        checkConfinement()
        return FetchedResultsList(
            sections: layout.sections.map { section in
                FetchedResultsList.Section(name: section.name, objectIDs: order[section.range].map(\.object.objectID))
            }
        )
    }
}

/// Objects with the same value of the section name key path.
public struct FetchedResultsSection: Hashable, Sendable {
    public let name: String
    /// The range of its objects among all fetched objects.
    public let range: Range<Int>

    public var count: Int { range.count }
}

/// The place of an object in a list with sections.
public struct FetchedResultsIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let section: Int
    public let item: Int

    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    public var description: String { "[\(section), \(item)]" }

    public static func < (one: Self, other: Self) -> Bool {
        (one.section, one.item) < (other.section, other.item)
    }
}
