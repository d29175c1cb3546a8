// SPDX-License-Identifier: Apache-2.0

// Fetching: the context's pending changes are applied to the stores' result.

import FoundationEssentials
import ObjectModel
public import Predicates

extension ManagedObjectContext {
    /// Fetches the objects of a request.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [Object] {
        try requireClass(of: request)
        let found = try objects(
            request,
            as: request.includesPropertyValues ? .snapshots : .objectIDs,
            refreshing: request.shouldRefreshRefetchedObjects
        )
        try prefetch(request, of: found)
        if !request.returnsObjectsAsFaults { try fire(found) }
        return try found.map { object throws(GraphError) in
            guard let typed = object as? Object else { throw .unregisteredClass(Object.self, for: object.entity) }
            return typed
        }
    }

    /// Throws early if no object can be of the class.
    private func requireClass<Object>(of request: FetchRequest<Object>) throws(GraphError) {
        guard let entity = model.entity(named: request.entityName) else { return }
        let classes = model.kinds(of: entity).map(source.objectClass)
        guard classes.contains(where: { $0 is Object.Type }) else { throw .unregisteredClass(Object.self, for: entity) }
    }

    /// The number of objects of a request, within its offset and limit.
    public func count<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> Int {
        // The order doesn't affect the number.
        let (stored, overlay) = try prepare(request, isOrdered: false)
        guard let overlay else { return try source.count(stored) }
        var asked = overlay.widened(stored)
        asked.kind = .objectIDs
        guard case .objectIDs(let ids) = try source.fetch(asked) else { return 0 }
        rebindToRows(ids)
        return stored.window(of: try overlay.count(ids, in: self))
    }

    /// Fetches the IDs of a request's objects.
    public func objectIDs<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [ManagedObjectID] {
        var (stored, overlay) = try prepare(request)
        if overlay != nil || source.spansStores(stored) {
            return try objects(stored, overlay, as: .objectIDs).map(\.objectID)
        }
        stored.kind = .objectIDs
        guard case .objectIDs(let ids) = try source.fetch(stored) else { return [] }
        rebindToRows(ids)
        return ids
    }

    /// Executes a request with its own kind of result.
    public func execute<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> FetchResult<Object> {
        switch request.resultType {
        case .objects: .objects(try fetch(request))
        case .objectIDs: .objectIDs(try objectIDs(request))
        case .dictionaries: .dictionaries(try dictionaries(request))
        }
    }

    private func objects<Object>(
        _ request: FetchRequest<Object>,
        as kind: StoreFetchRequest.Kind,
        refreshing: Bool
    ) throws(GraphError) -> [ManagedObject] {
        let (stored, overlay) = try prepare(request)
        return try objects(stored, overlay, as: kind, refreshing: refreshing)
    }

    /// The resolved request, and the pending changes that affect it, or nil.
    private func prepare<Object>(
        _ request: FetchRequest<Object>,
        isOrdered: Bool = true
    ) throws(GraphError) -> (StoreFetchRequest, FetchOverlay?) {
        var stored = try request.storeRequest(in: model)
        if !isOrdered {
            stored.sortDescriptors = []
            stored.search?.isRanked = false
        }
        return try prepare(stored, includingPending: request.includesPendingChanges)
    }

    /// The request with the objects' current IDs, and the pending changes that affect it, or nil.
    func prepare(
        _ request: StoreFetchRequest,
        includingPending: Bool
    ) throws(GraphError) -> (StoreFetchRequest, FetchOverlay?) {
        try processPendingChanges()
        var request = request
        request.predicate = request.predicate.map(current)
        request = try source.ranked(request)
        guard includingPending, hasChanges else { return (request, nil) }
        let overlay = try FetchOverlay(request, of: self)
        return (request, overlay.isEmpty ? nil : overlay)
    }

    /// The result, ordered and limited: by the store if possible, else here, which needs values for sorting.
    func objects(
        _ request: StoreFetchRequest,
        _ overlay: FetchOverlay?,
        as kind: StoreFetchRequest.Kind,
        refreshing: Bool = false
    ) throws(GraphError) -> [ManagedObject] {
        let spansStores = source.spansStores(request)
        var asked = overlay?.widened(request) ?? (spansStores ? request.widened() : request)
        let isOrderedHere = (overlay != nil || spansStores) && request.isOrdered
        asked.kind = isOrderedHere ? .snapshots : kind
        let answer = try source.fetch(asked)
        do {
            if let overlay {
                let matching = try overlay.matching(objects(in: answer, refreshing: refreshing), in: self)
                if isOrderedHere {
                    let tree = KeyPathTree(from: request.entity, order: request.sortDescriptors, in: model)
                    try prefetch(along: tree, of: matching)
                }
                return request.window(of: try request.ordered(matching))
            }
            guard spansStores else { return objects(in: answer, refreshing: refreshing) }
            guard isOrderedHere, case .snapshots(let snapshots) = answer else {
                return request.window(of: objects(in: answer, refreshing: refreshing))
            }
            let rows = StoredRows(snapshots, of: source)
            let ordered = try request.ordered(snapshots.map { StoredObject(snapshot: $0, rows: rows) })
            return request.window(of: ordered).map { object(of: $0.snapshot, refreshing: refreshing) }
        } catch {
            throw .evaluation(error)
        }
    }

    private func objects(in answer: StoreFetchResult, refreshing: Bool) -> [ManagedObject] {
        switch answer {
        case .snapshots(let snapshots):
            return snapshots.map { object(of: $0, refreshing: refreshing) }
        case .objectIDs(let ids):
            rebindToRows(ids)
            return ids.map(object(with:))
        case .count, .table:
            return []
        }
    }

    /// The object of a row. It keeps values that it has, unless it is refreshed and unchanged.
    func object(of snapshot: Snapshot, refreshing: Bool) -> ManagedObject {
        guard let object = registered[snapshot.objectID] else {
            let object = register(snapshot.objectID, status: .fault)
            object.snapshot = snapshot
            return object
        }
        if object.isFault {
            guard object.entity == snapshot.objectID.entity || object.hasChanges else {
                // It was requested under a superentity when its own entity was unknown.
                registered[object.objectID] = nil
                object.markChangedSinceArchive()
                return self.object(of: snapshot, refreshing: false)
            }
            object.snapshot = snapshot
            object.status.remove(.missing)
        } else if refreshing, !object.hasChanges, object.snapshot !== snapshot {
            refresh(object, with: snapshot)
        }
        return object
    }
}

/// The result of `execute`.
public enum FetchResult<Object: ManagedObject> {
    case objects([Object])
    case objectIDs([ManagedObjectID])
    case dictionaries([[String: Value]])
}
