// SPDX-License-Identifier: Apache-2.0

// A fetch as passed to a store, and its result.

public import FoundationEssentials
public import Predicates

/// A resolved fetch, independent of contexts.
public struct StoreFetchRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Rows with their values.
        case snapshots
        case objectIDs
        case count
        /// Rows of named values: of objects, or of groups.
        case table(TableRequest)
    }

    public var entity: EntityDescription
    public var includesSubentities: Bool
    public var predicate: ObjectPredicate?
    /// A full-text search. Without sort descriptors and with statistics, the best match comes first, ties ordered by
    /// ID.
    public var search: Search?
    public var sortDescriptors: [ObjectSortDescriptor]
    public var offset: Int
    /// Nil for no limit.
    public var limit: Int?
    public var kind: Kind
    /// The stores to ask; nil for all. A store that gets the request can ignore it.
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

    /// Concatenates the results of several stores. Tables can't be joined like this, since groups may have objects in
    /// several stores; the result is empty.
    init(joining answers: [StoreFetchResult], of kind: StoreFetchRequest.Kind) {
        var snapshots: [Snapshot] = []
        var ids: [ManagedObjectID] = []
        var count = 0
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
