// SPDX-License-Identifier: Apache-2.0

// Reads rows, in the latest state or in that of a generation.

import FoundationEssentials
public import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

extension SQLiteStore {
    public func currentGeneration() throws -> any StoreGeneration {
        let pin = tables.files?.pin()
        return try naming {
            let patience = ContinuousClock.now + options.busyTimeout
            let deadline = min(WorkLimits.current?.deadline ?? patience, patience)
            return SQLiteGeneration(snapshot: try database.snapshot(deadline: deadline), pin: pin)
        }
    }

    public func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        // Held states can't be indexed any more.
        if request.search != nil, generation == nil { indexChangesOfOthers(request.entity) }
        return try activity.fetch {
            try reading(generation) { [limit = options.evaluationLimit, longReads] in
                try StoreFetch(request, $0, evaluationLimit: limit, longReads).result()
            }
        }
    }

    /// Rows with values in files have no page, since these are read only when they are used.
    public func page(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> RowPage? {
        guard let rows = tables.rowReader(of: request.entity), !rows.hasFiles else { return nil }
        if request.search != nil, generation == nil { indexChangesOfOthers(request.entity) }
        return try activity.page {
            try reading(generation) { [limit = options.evaluationLimit, longReads] in
                try StoreFetch(request, $0, evaluationLimit: limit, longReads).page()
            }
        }
    }

    public func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        // A single object is read by one statement.
        try activity.faults(objects) {
            try reading(generation, inTransaction: objects.count > 1) { try $0.snapshots(of: objects) }
        }
    }

    public func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try activity.members(of: relationship, owners) {
            try reading(generation) { try $0.members(of: relationship, owners: owners) }
        }
    }

    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        try activity.related(along: relationship, owners) {
            try reading(generation) { [limit = options.evaluationLimit] reader in
                guard let request else { return try reader.related(along: relationship, owners: owners) }
                let fetch = RelatedFetch(request, reader, evaluationLimit: limit)
                return try fetch.result(along: relationship, owners: owners)
            }
        }
    }

    /// As for `page`, rows with values in files have none.
    public func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedPage? {
        guard let rows = tables.rowReader(of: tables.schema.model.destination(of: relationship)), !rows.hasFiles
        else { return nil }
        return try activity.relatedPage(along: relationship, ownerCount: owners.count) {
            try reading(generation) { [limit = options.evaluationLimit] reader in
                guard relationship.isToMany else {
                    return try reader.relatedPage(alongToOne: relationship, owners: owners, rows)
                }
                let fetch = RelatedFetch(request ?? RelatedRequest(), reader, evaluationLimit: limit)
                return try fetch.page(along: relationship, owners: owners, rows)
            }
        }
    }

    /// - Parameter inTransaction: Whether the closure runs several statements, which must read the same state.
    func reading<Result: Sendable>(
        _ generation: (any StoreGeneration)?,
        inTransaction: Bool = true,
        _ body: @Sendable (StoreReader) throws -> Result
    ) throws -> Result {
        // Pinned before the state is chosen: see `ExternalFiles`, 4.
        let pin = generation == nil ? tables.files?.pin() : nil
        defer { withExtendedLifetime(pin) {} }
        let limits = WorkLimits.current
        return try naming {
            if let generation = generation as? SQLiteGeneration {
                return try generation.snapshot.read(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                    try body(StoreReader(connection: $0, tables: tables))
                }
            }
            return try database.read(deadline: limits?.deadline, cancellation: limits?.cancellation) { connection in
                let reader = StoreReader(connection: connection, tables: tables)
                return inTransaction ? try connection.transaction { try body(reader) } : try body(reader)
            }
        }
    }
}

/// A state of the file that stays readable.
struct SQLiteGeneration: StoreGeneration {
    let snapshot: ReadSnapshot
    let pin: ReadPin?
}
