// SPDX-License-Identifier: Apache-2.0

// What a fetch asks of a store, and what the store answers.

public import FoundationEssentials
public import Predicates

/// A fetch as stores see it: resolved, with nothing of contexts in it.
public struct StoreFetchRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Rows with their values.
        case snapshots
        case objectIDs
        case count
        /// Rows of values under names: of objects, or of groups of them.
        case table(TableRequest)
    }

    public var entity: EntityDescription
    public var includesSubentities: Bool
    public var predicate: ObjectPredicate?
    /// What objects must have in their texts. Where no order is asked for and there are statistics, the best match comes first, and of
    /// equal ones the object with the lesser ID.
    public var search: Search?
    public var sortDescriptors: [ObjectSortDescriptor]
    public var offset: Int
    /// Nil where there is no limit.
    public var limit: Int?
    public var kind: Kind
    /// The stores that are asked; nil for all. A store that gets the request need not look at it.
    public var affectedStores: Set<UUID>?

    public init(
        entity: EntityDescription,
        includesSubentities: Bool = true,
        predicate: ObjectPredicate? = nil,
        sortDescriptors: [ObjectSortDescriptor] = [],
        offset: Int = 0,
        limit: Int? = nil,
        kind: Kind = .snapshots,
        affectedStores: Set<UUID>? = nil,
        search: Search? = nil
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.offset = offset
        self.limit = limit
        self.kind = kind
        self.affectedStores = affectedStores
        self.search = search
    }
}

public enum StoreFetchResult: Sendable {
    case snapshots([Snapshot])
    case objectIDs([ManagedObjectID])
    case count(Int)
    case table(FetchTable)

    /// The answers of several stores to one request, one after the other. Tables aren't joined so, since groups may have objects
    /// in several stores: there is one of nothing only.
    init(joining answers: [StoreFetchResult], of kind: StoreFetchRequest.Kind) {
        var (snapshots, ids, count): ([Snapshot], [ManagedObjectID], Int) = ([], [], 0)
        for answer in answers {
            switch answer {
            case .snapshots(let more): snapshots += more
            case .objectIDs(let more): ids += more
            case .count(let more): count += more
            case .table: break
            }
        }
        self =
            switch kind {
            case .objectIDs: .objectIDs(ids)
            case .count: .count(count)
            case .snapshots: .snapshots(snapshots)
            case .table(let table): .table(FetchTable(columns: table.columns.map(\.name), rows: []))
            }
    }
}
