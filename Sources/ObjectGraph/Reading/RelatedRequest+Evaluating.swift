// SPDX-License-Identifier: Apache-2.0

// Checks a request for members, and evaluates it in memory.

import FoundationEssentials
public import Predicates

extension RelatedRequest {
    /// Throws for names that the destination doesn't have, and for invalid combinations.
    func check(for relationship: RelationshipDescription, in model: ManagedObjectModel) throws(GraphError) {
        if let limit, limit < 0 { throw .negative("limit", limit) }
        if let totalLimit, totalLimit < 0 { throw .negative("totalLimit", totalLimit) }
        if start != nil, !sortDescriptors.isEmpty { throw .startOutsideOrder() }
        let check = FetchCheck(model: model, entity: model.destination(of: relationship))
        if let predicate { try check.check(predicate) }
        for descriptor in sortDescriptors {
            if try check.expressionType(of: descriptor.keyPath).isMany { throw .toManyInOrder(descriptor.keyPath) }
        }
    }

    /// The selected members, for stores that evaluate the request in memory.
    ///
    /// - Parameter object: Wraps a row for predicates.
    public func selection<Object: KeyValueObject>(
        from related: RelatedRows,
        as object: (Snapshot) -> Object
    ) throws -> RelatedRows {
        if isForAll { return related }
        let evaluator = Evaluator.limited()
        var matching: [ManagedObjectID: RelatedObject<Object>] = [:]
        var meter = WorkMeter()
        for snapshot in related.rows {
            try meter.step()
            let object = object(snapshot)
            guard try predicate.map({ try evaluator.matches($0, object) }) ?? true else { continue }
            matching[snapshot.objectID] = RelatedObject(snapshot: snapshot, object: object)
        }
        let chosen = try related.members.map { members in
            let first = firstPlace(among: members)
            var found = zip(first..., members[first...]).compactMap { place, member in
                matching[member].map { (place: Int64(place), object: $0) }
            }
            if !sortDescriptors.isEmpty {
                found = try found.map(\.object).sorted(by: sortDescriptors, evaluator).map { (place: 0, object: $0) }
            }
            return found.prefix(limit ?? .max)
        }
        let members = chosen.map { $0.map(\.object.snapshot.objectID) }
        let kept = Set(members.joined())
        return RelatedRows(
            members: members,
            rows: related.rows.filter { kept.contains($0.objectID) },
            places: includesPositions ? chosen.map { $0.map(\.place) } : []
        )
    }

    /// The index of the first selected member: after the start, or in its place if it is gone.
    private func firstPlace(among members: [ManagedObjectID]) -> Int {
        guard let start else { return 0 }
        if let place = members.firstIndex(of: start.member) { return place + 1 }
        return min(max(0, Int(clamping: start.number ?? 0)), members.count)
    }
}

extension GraphError {
    fileprivate static func startOutsideOrder() -> GraphError {
        GraphError(
            .invalidRequest,
            "A request for members can't have both a start and sort descriptors.",
            hint: "The start is a position in the relationship's own order."
        )
    }
}

/// An object with its row, for sorting.
private struct RelatedObject<Object: KeyValueObject>: KeyValueObject {
    let snapshot: Snapshot
    let object: Object

    var reference: ObjectReference? { object.reference }

    func isUntyped(_ key: String) -> Bool { object.isUntyped(key) }

    func operand(forKey key: String) throws -> Operand? { try object.operand(forKey: key) }
}

extension PersistentStore {
    /// The default: reads all members of one state with two calls, and evaluates the request in memory.
    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        let generation = try generation ?? currentGeneration()
        let members = try members(of: relationship, owners: owners, at: generation)
        let found = try snapshots(of: OrderedMembers(members.joined()).members, at: generation)
        let all = RelatedRows(members: members, rows: found.compactMap(\.self))
        guard let request else { return all }
        let rows = StoredRows(all.rows, of: StoreGenerationRows(store: self, generation: generation))
        return try request.selection(from: all) { StoredObject(snapshot: $0, rows: rows) }
    }

    public func snapshotInMemory(of objectID: ManagedObjectID) -> Snapshot? { nil }
}

/// One state of one store.
private final class StoreGenerationRows: RowProvider {
    private let store: any PersistentStore
    private let generation: any StoreGeneration

    init(store: any PersistentStore, generation: any StoreGeneration) {
        self.store = store
        self.generation = generation
    }

    func snapshots(of objects: [ManagedObjectID], staleness: Duration?) throws(GraphError) -> [Snapshot?] {
        try GraphError.wrapping { try store.snapshots(of: objects, at: generation) }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]] {
        try GraphError.wrapping { try store.members(of: relationship, owners: owners, at: generation) }
    }
}
