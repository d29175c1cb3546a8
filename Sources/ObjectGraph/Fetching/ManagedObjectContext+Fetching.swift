// SPDX-License-Identifier: Apache-2.0

// Fetching: the store answers, and what is pending in the context is laid over the answer.

import FoundationEssentials
import ObjectModel
public import Predicates

extension ManagedObjectContext {
    /// The objects that a request asks for.
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

    /// Throws for a class that no object can be of, before there is one.
    private func requireClass<Object>(of request: FetchRequest<Object>) throws(GraphError) {
        guard let entity = model.entity(named: request.entityName) else { return }
        let classes = model.kinds(of: entity).map(source.objectClass)
        guard classes.contains(where: { $0 is Object.Type }) else { throw .unregisteredClass(Object.self, for: entity) }
    }

    /// How many objects a request asks for, by its limit and offset, too.
    public func count<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> Int {
        // Whatever the order, the window is as long.
        let (stored, overlay) = try prepare(request, isOrdered: false)
        guard let overlay else { return try source.count(stored) }
        var asked = overlay.widened(stored)
        asked.kind = .objectIDs
        guard case .objectIDs(let ids) = try source.fetch(asked) else { return 0 }
        reclaim(ids)
        return stored.window(of: try overlay.count(ids, in: self))
    }

    /// The IDs of the objects that a request asks for.
    public func objectIDs<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [ManagedObjectID] {
        var (stored, overlay) = try prepare(request)
        if overlay != nil || source.isSpread(stored) {
            return try objects(stored, overlay, as: .objectIDs).map(\.objectID)
        }
        stored.kind = .objectIDs
        guard case .objectIDs(let ids) = try source.fetch(stored) else { return [] }
        reclaim(ids)
        return ids
    }

    /// What a request asks for, in the form that it asks for.
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

    /// What the stores are asked, and what is pending of it, if anything is.
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

    /// The request by the names that objects have now, and what is pending of it, if anything is.
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

    /// What is found, in order and cut to the window: by the store where it can be, else here, for which values are needed
    /// where there is an order.
    func objects(
        _ request: StoreFetchRequest,
        _ overlay: FetchOverlay?,
        as kind: StoreFetchRequest.Kind,
        refreshing: Bool = false
    ) throws(GraphError) -> [ManagedObject] {
        let isSpread = source.isSpread(request)
        var asked = overlay?.widened(request) ?? (isSpread ? request.widened() : request)
        let isOrderedHere = (overlay != nil || isSpread) && request.isOrdered
        asked.kind = isOrderedHere ? .snapshots : kind
        let answer = try source.fetch(asked)
        do {
            if let overlay {
                let matching = try overlay.matching(objects(in: answer, refreshing: refreshing), in: self)
                if isOrderedHere {
                    let routes = FetchRoute(from: request.entity, nil, request.sortDescriptors, in: model)
                    try prefetch(along: routes, of: matching)
                }
                return request.window(of: try request.ordered(matching))
            }
            guard isSpread else { return objects(in: answer, refreshing: refreshing) }
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
            reclaim(ids)
            return ids.map(object(with:))
        case .count, .table:
            return []
        }
    }

    /// The object of a row. Values that it has already stay, unless they are to be read anew and weren't changed.
    func object(of snapshot: Snapshot, refreshing: Bool) -> ManagedObject {
        guard let object = registered[snapshot.objectID] else {
            let object = register(snapshot.objectID, status: .fault)
            object.snapshot = snapshot
            return object
        }
        if object.isFault {
            guard object.entity == snapshot.objectID.entity || object.hasChanges else {
                // It was asked for under an entity above its own, when nobody knew that.
                registered[object.objectID] = nil
                object.leaveArchive()
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

/// What `execute` answers with.
public enum FetchResult<Object: ManagedObject> {
    case objects([Object])
    case objectIDs([ManagedObjectID])
    case dictionaries([[String: Value]])
}
