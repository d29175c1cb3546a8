// SPDX-License-Identifier: Apache-2.0

// Compact representation of consecutively numbered IDs.

public import FoundationEssentials

/// The IDs of objects of one entity whose references are consecutive numbers.
public struct ObjectIDRange: Sendable {
    public let entity: EntityDescription
    public let store: UUID
    public let references: ClosedRange<Int64>

    public init(entity: EntityDescription, store: UUID, references: ClosedRange<Int64>) {
        self.entity = entity
        self.store = store
        self.references = references
    }
}

extension ObjectIDRange: Sequence {
    public func makeIterator() -> some IteratorProtocol<ManagedObjectID> {
        references.lazy.map { ManagedObjectID(entity: entity, store: store, reference: .integer($0)) }.makeIterator()
    }
}

/// Looks up IDs in many disjoint ranges. An ID may name a superentity of the objects' own.
public struct ObjectIDRangeIndex {
    private struct Hierarchy: Hashable {
        let store: UUID
        let root: Int
    }

    /// The ranges of each hierarchy in a store, ascending.
    private var ranges: [Hierarchy: [ObjectIDRange]] = [:]

    public init(_ all: [ObjectIDRange]) {
        for range in all {
            ranges[Hierarchy(store: range.store, root: range.entity.rootIndex), default: []].append(range)
        }
        for hierarchy in ranges.keys {
            ranges[hierarchy]?.sort { $0.references.lowerBound < $1.references.lowerBound }
        }
    }

    public func contains(_ objectID: ManagedObjectID) -> Bool {
        guard case .integer(let number)? = objectID.reference, let store = objectID.storeIdentifier,
            let ranges = ranges[Hierarchy(store: store, root: objectID.entity.rootIndex)]
        else { return false }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].references.upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].references.contains(number)
            && ranges[low].entity.isKind(of: objectID.entity)
    }
}
