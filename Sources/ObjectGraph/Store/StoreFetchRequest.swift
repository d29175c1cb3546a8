// SPDX-License-Identifier: Apache-2.0

// What a fetch asks of a store, and what the store answers.

public import Predicates

/// A fetch as stores see it: resolved, with nothing of contexts in it.
public struct StoreFetchRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Rows with their values.
        case snapshots
        case objectIDs
        case count
    }

    public var entity: EntityDescription
    public var includesSubentities: Bool
    public var predicate: ObjectPredicate?
    public var sortDescriptors: [ObjectSortDescriptor]
    public var offset: Int
    /// Nil where there is no limit.
    public var limit: Int?
    public var kind: Kind

    public init(
        entity: EntityDescription,
        includesSubentities: Bool = true,
        predicate: ObjectPredicate? = nil,
        sortDescriptors: [ObjectSortDescriptor] = [],
        offset: Int = 0,
        limit: Int? = nil,
        kind: Kind = .snapshots
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.offset = offset
        self.limit = limit
        self.kind = kind
    }
}

public enum StoreFetchResult: Sendable {
    case snapshots([Snapshot])
    case objectIDs([ManagedObjectID])
    case count(Int)

    /// The answers of several stores to one request, one after the other.
    init(joining answers: [StoreFetchResult], of kind: StoreFetchRequest.Kind) {
        var (snapshots, ids, count): ([Snapshot], [ManagedObjectID], Int) = ([], [], 0)
        for answer in answers {
            switch answer {
            case .snapshots(let more): snapshots += more
            case .objectIDs(let more): ids += more
            case .count(let more): count += more
            }
        }
        self =
            switch kind {
            case .objectIDs: .objectIDs(ids)
            case .count: .count(count)
            case .snapshots: .snapshots(snapshots)
            }
    }
}
