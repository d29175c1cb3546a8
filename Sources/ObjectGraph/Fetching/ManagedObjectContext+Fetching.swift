// SPDX-License-Identifier: Apache-2.0

// Fetching: the store answers, and what is pending in the context is laid over the answer.

import FoundationEssentials
import Predicates

extension ManagedObjectContext {
    /// The objects that a request asks for.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [Object] {
        let (entity, overlay) = try prepare(request)
        let found: [ManagedObject]
        if let overlay {
            found = try overlay.window(over: try stored(request, entity, overlay: overlay))
        } else {
            found = try stored(request, entity, overlay: nil)
        }
        try prefetch(request.relationshipKeyPathsForPrefetching, of: found)
        if !request.returnsObjectsAsFaults { try fire(found) }
        return try found.map { object throws(GraphError) in
            guard let typed = object as? Object else { throw .unregisteredClass(Object.self, for: object.entity) }
            return typed
        }
    }

    /// How many objects a request asks for.
    public func count<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> Int {
        let (entity, overlay) = try prepare(request)
        if let overlay { return try overlay.window(over: try stored(request, entity, overlay: overlay)).count }
        var stored = storeRequest(request, entity)
        stored.kind = .count
        guard case .count(let count) = try source.fetch(stored) else { return 0 }
        return count
    }

    /// The IDs of the objects that a request asks for.
    public func objectIDs<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [ManagedObjectID] {
        let (entity, overlay) = try prepare(request)
        if let overlay {
            return try overlay.window(over: try stored(request, entity, overlay: overlay)).map(\.objectID)
        }
        var stored = storeRequest(request, entity)
        stored.kind = .objectIDs
        guard case .objectIDs(let ids) = try source.fetch(stored) else { return [] }
        return ids
    }

    /// The entity of a request, and what is pending of it, if anything is.
    private func prepare<Object>(
        _ request: FetchRequest<Object>
    ) throws(GraphError) -> (EntityDescription, FetchOverlay?) {
        try processPendingChanges()
        guard let entity = model.entity(named: request.entityName) else {
            throw .unknownEntity(request.entityName, in: model)
        }
        let kinds = request.includesSubentities ? entity.kinds : entity.index..<entity.index + 1
        let overlay = FetchOverlay(request, entity, of: self)
        // Several stores' answers are put in order and cut as if all of them were pending.
        return (entity, overlay.isEmpty && !source.isSpread(over: kinds) ? nil : overlay)
    }

    private func storeRequest<Object>(_ request: FetchRequest<Object>, _ entity: EntityDescription) -> StoreFetchRequest
    {
        StoreFetchRequest(
            entity: entity,
            includesSubentities: request.includesSubentities,
            predicate: request.predicate,
            sortDescriptors: request.sortDescriptors,
            offset: request.fetchOffset,
            limit: request.fetchLimit > 0 ? request.fetchLimit : nil
        )
    }

    /// What the store finds. Under pending changes the window is cut later, and the store gives as many as may be in it.
    private func stored<Object>(
        _ request: FetchRequest<Object>,
        _ entity: EntityDescription,
        overlay: FetchOverlay?
    ) throws(GraphError) -> [ManagedObject] {
        var stored = storeRequest(request, entity)
        if let overlay {
            stored.offset = 0
            stored.limit = stored.limit.map { $0 + request.fetchOffset + overlay.withdrawn }
        }
        guard case .snapshots(let snapshots) = try source.fetch(stored) else { return [] }
        return snapshots.map { object(of: $0, refreshing: request.shouldRefreshRefetchedObjects) }
    }

    /// The object of a row. Values that it has already stay, unless they are to be read anew and weren't changed.
    private func object(of snapshot: Snapshot, refreshing: Bool) -> ManagedObject {
        guard let object = registered[snapshot.objectID] else {
            let object = register(snapshot.objectID, status: .fault)
            object.snapshot = snapshot
            return object
        }
        if object.isFault {
            object.snapshot = snapshot
            object.status.remove(.missing)
        } else if refreshing, !object.hasChanges, object.snapshot !== snapshot {
            refresh(object, with: snapshot)
        }
        return object
    }

    /// Reads the objects of relationships along, key path by key path, step by step.
    private func prefetch(_ keyPaths: [String], of objects: [ManagedObject]) throws(GraphError) {
        for keyPath in keyPaths {
            var objects = objects
            for name in keyPath.split(separator: ".").map(String.init) {
                try fire(objects)
                var next = OrderedMembers<ManagedObject>()
                for object in objects {
                    guard let relationship = object.entity.relationship(named: name) else {
                        throw .unknownKey(name, of: object.entity)
                    }
                    if relationship.isToMany, object === objects.first { try load(relationship, of: objects) }
                    for objectID in try object.objectIDs(of: relationship) { next.append(self.object(with: objectID)) }
                }
                objects = next.members
            }
            try fire(objects)
        }
    }
}
