// SPDX-License-Identifier: Apache-2.0

// A context's objects as rows, with all that is pending.

public import Predicates

extension ManagedObjectContext: GraphReading {
    /// The present rows of a request's objects: changed values with the version that the change is based on, and new
    /// objects under temporary IDs. Without pending changes, the rows are as before these.
    public func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot] {
        if !request.includesPendingChanges {
            try processPendingChanges()
            var currentRequest = request
            currentRequest.predicate = request.predicate.map(current)
            return try committedReader.snapshots(currentRequest)
        }
        let objects = try fetch(request)
        try fire(objects)
        return objects.compactMap(\.presentSnapshot)
    }

    /// The present rows of some objects; nil for deleted or missing ones.
    public func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?] {
        confinement.check()
        try processPendingChanges()
        let objects = objects.map(object(with:))
        try fireAgain(objects)
        return objects.map(\.presentSnapshot)
    }

    /// The present members of a to-many relationship. If pending changes may affect them, all members are read and
    /// selected here; otherwise the store does it.
    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest? = nil
    ) throws(GraphError) -> RelatedRows {
        confinement.check()
        try processPendingChanges()
        try request?.check(for: relationship, in: model)
        let owners = owners.map(current)
        guard let request, !request.isForAll else { return try members(of: relationship, owners) }
        lazy var tree = KeyPathTree(
            from: model.destination(of: relationship),
            predicate: request.predicate,
            order: request.sortDescriptors,
            in: model
        )
        if !hasChanges || !concerns(relationship, of: owners) && !tree.reachesPendingChanges(in: self) {
            let found = try source.related(along: relationship, owners: owners, matching: request)
            for members in found.members { rebindToRows(members) }
            for snapshot in found.rows { _ = object(of: snapshot, refreshing: false) }
            return RelatedRows(members: found.members, rows: try rows(found.members), places: found.places)
        }
        let all = try members(of: relationship, owners)
        try prefetch(along: tree, of: all.rows.map { object(with: $0.objectID) })
        do {
            return try request.selection(from: all) { object(with: $0.objectID) }
        } catch {
            throw .evaluation(error)
        }
    }

    public func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject> {
        confinement.check()
        return try source.ranked(request, in: model)
    }

    public func sortKeys(
        of snapshot: Snapshot,
        for request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [Value] {
        confinement.check()
        if !request.includesPendingChanges { return try committedReader.sortKeys(of: snapshot, for: request) }
        return try ranked(request).sortKeys(of: object(with: snapshot.objectID))
    }

    /// Reads the parent or the stores, without this context's pending changes.
    package var committedReader: CoordinatorReader { CoordinatorReader(source) }

    private func members(
        of relationship: RelationshipDescription,
        _ owners: [ManagedObjectID]
    ) throws(GraphError) -> RelatedRows {
        let owners = owners.map(object(with:))
        let having = owners.filter { $0.entity.toManys.contains(relationship) }
        try loadWithRows(relationship, of: having)
        let members = owners.map { owner in
            owner.entity.toManys.contains(relationship) ? owner.toMany(relationship).members?.members ?? [] : []
        }
        return RelatedRows(members: members, rows: try rows(members))
    }

    private func rows(_ members: [[ManagedObjectID]]) throws(GraphError) -> [Snapshot] {
        let objects = OrderedMembers(members.joined()).map(object(with:))
        try fire(objects)
        return objects.compactMap(\.presentSnapshot)
    }

    /// Whether pending changes may add, remove or change members.
    private func concerns(_ relationship: RelationshipDescription, of owners: [ManagedObjectID]) -> Bool {
        let root = model.destination(of: relationship).rootIndex
        let mayBeMember = { (object: ManagedObject) in object.entity.rootIndex == root }
        if inserted.contains(where: mayBeMember) || updated.contains(where: mayBeMember)
            || deleted.contains(where: mayBeMember)
        {
            return true
        }
        return owners.contains { owner in
            guard let owner = registered[owner], owner.entity.toManys.contains(relationship) else { return false }
            return owner.toMany(relationship).hasChanges
        }
    }
}

extension ManagedObject {
    /// The present row with pending changes; nil for a deleted or missing object.
    final var presentSnapshot: Snapshot? {
        guard !isFault, !isDeleted, !status.contains(.missing) else { return nil }
        if let snapshot, !hasChanges, snapshot.objectID == objectID { return snapshot }
        return Snapshot(objectID: objectID, version: snapshot?.version ?? 0, row: row)
    }
}
