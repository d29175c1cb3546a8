// SPDX-License-Identifier: Apache-2.0

// Batches: checked, passed to the stores, and merged into all live contexts.

import FoundationEssentials
import Predicates

extension PersistentStoreCoordinator {
    /// Inserts the rows of a batch. An error has the number of the row, and how many rows are stored nevertheless.
    ///
    /// - Parameters:
    ///   - mergePolicy: Resolves violations of uniqueness.
    ///   - origin: The origin of the batch for observers.
    ///   - note: A note kept in the same transaction; not for batches in chunks.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest,
        mergePolicy: MergePolicy = .error,
        of origin: SaveOrigin = SaveOrigin(),
        noting note: PendingNote<BatchResult>? = nil
    ) throws(GraphError) -> BatchResult {
        try insert(request, mergePolicy: mergePolicy, for: BatchCaller(origin, noting: note))
    }

    /// Updates the objects that a batch finds: all or none.
    @discardableResult
    public func execute(
        _ request: BatchUpdateRequest,
        of origin: SaveOrigin = SaveOrigin(),
        noting note: PendingNote<BatchResult>? = nil
    ) throws(GraphError) -> BatchResult {
        try update(request, for: BatchCaller(origin, noting: note))
    }

    /// Deletes the objects of a batch: all or none.
    @discardableResult
    public func execute(
        _ request: BatchDeleteRequest,
        of origin: SaveOrigin = SaveOrigin(),
        noting note: PendingNote<BatchResult>? = nil
    ) throws(GraphError) -> BatchResult {
        try delete(request, for: BatchCaller(origin, noting: note))
    }
}

extension PersistentStoreCoordinator {
    func insert(
        _ request: BatchInsertRequest,
        mergePolicy: MergePolicy,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        try StoreCallback.checkWriting(self)
        let entity = try entity(named: request.entityName)
        guard !entity.isAbstract else { throw .abstract(entity) }
        try check(chunkSize: request.chunkSize, maximum: request.maximum)
        guard request.chunkSize == nil || caller.note == nil else {
            throw GraphError(.invalidRequest, "A batch that is committed in chunks can't have a note.")
        }
        let store = try storeForInserting(entity, among: request.affectedStores)
        var reader = BatchRowReader(request.guarded(by: self), of: entity, in: model, for: store)
        var result = BatchResult()
        let caller = caller.rehearsing(request.isRehearsal)
        func write(_ next: @escaping () throws -> StoreBatchInsertion.Row?) throws(GraphError) {
            let insertion = StoreBatchInsertion(
                entity: entity,
                policy: mergePolicy.kind,
                keepsReferences: request.keepsReferences,
                next: next
            )
            let batch = batch(.insert(insertion), returning: request.resultType)
            try self.write(batch, to: store, into: &result, for: caller)
        }
        do throws(GraphError) {
            let chunkSize = request.isRehearsal ? nil : request.chunkSize
            if chunkSize == nil, store.streamsBatchInserts {
                try write { try reader.next() }
                return result
            }
            // Read outside of the write, since rows may be slow and other saves must not wait for them.
            var isDone = caller.note == nil
            while case let rows = try reader.next(chunkSize), !rows.isEmpty || !isDone {
                isDone = true
                var rest = rows.makeIterator()
                do {
                    try WorkLimits.withNewAllowance { try write { rest.next() } }
                } catch {
                    throw .ofStore(error)
                }
            }
            return result
        } catch {
            var error = error
            error.inserted = result.count
            throw error
        }
    }

    func update(
        _ request: BatchUpdateRequest,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        try StoreCallback.checkWriting(self)
        let entity = try entity(named: request.entityName)
        try check(chunkSize: nil, maximum: request.maximum)
        guard !request.propertiesToUpdate.isEmpty else {
            throw GraphError(.invalidRequest, "A batch update of \(entity.name) needs properties to update.")
        }
        let rows = StoreFetchRequest(
            entity: entity,
            includesSubentities: request.includesSubentities,
            predicate: request.predicate
        )
        let update = StoreBatchUpdate(rows: rows, assignments: try assignments(request, entity))
        let stores = try storesForBatch(rows, among: request.affectedStores)
        let caller = caller.rehearsing(request.isRehearsal)
        return try write(
            .update(update),
            to: stores,
            having: rows,
            maximum: request.maximum,
            returning: request.resultType,
            for: caller
        )
    }

    func delete(
        _ request: BatchDeleteRequest,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        try StoreCallback.checkWriting(self)
        try check(chunkSize: nil, maximum: request.maximum)
        let caller = caller.rehearsing(request.isRehearsal)
        switch request.target {
        case .objectIDs(let ids): return try delete(ids, by: request, for: caller)
        case .fetch(let fetch):
            let rows = StoreFetchRequest(
                entity: try entity(named: fetch.entityName),
                includesSubentities: fetch.includesSubentities,
                predicate: fetch.predicate,
                sortDescriptors: fetch.sortDescriptors,
                offset: fetch.fetchOffset,
                limit: fetch.fetchLimit > 0 ? fetch.fetchLimit : nil
            )
            let stores = try storesForBatch(rows, among: request.affectedStores)
            guard stores.count == 1 || rows.limit == nil && rows.offset == 0 else {
                throw GraphError(
                    .invalidRequest,
                    "A batch deletion with a limit or an offset can't affect several stores.",
                    hint: "Name one of them as the affected store."
                )
            }
            return try write(
                .delete(rows),
                to: stores,
                having: rows,
                maximum: request.maximum,
                returning: request.resultType,
                for: caller
            )
        }
    }

    private func delete(
        _ objectIDs: [ManagedObjectID],
        by request: BatchDeleteRequest,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        let root = objectIDs.first?.entity.rootIndex
        var groupedByStore: [UUID: [ManagedObjectID]] = [:]
        for objectID in objectIDs {
            guard objectID.entity.rootIndex == root else {
                throw GraphError(
                    .invalidRequest,
                    "A batch can only delete objects of one hierarchy of entities; \(objectID) isn't in that of "
                        + "\(objectIDs[0].entity.name).",
                    object: objectID
                )
            }
            guard let identifier = objectID.storeIdentifier, let store = store(identifier) else {
                throw GraphError(.unknownStore, "\(objectID) is in no store of the coordinator.", object: objectID)
            }
            guard !store.isReadOnly else { throw .readOnly(objectID.entity) }
            if let affected = request.affectedStores, !affected.contains(identifier) { continue }
            groupedByStore[identifier, default: []].append(objectID)
        }
        if let maximum = request.maximum, groupedByStore.count > 1, Set(objectIDs).count > maximum {
            throw .limitExceeded(maximum)
        }
        let operations = try groupedByStore.sorted { $0.key.uuidString < $1.key.uuidString }.map {
            identifier,
            objects throws(GraphError) -> StoreBatchOperation in
            guard let store = store(identifier) else { throw .unknownStore(identifier) }
            return (store, .deleteObjects(objects))
        }
        switch operations.count {
        case 0:
            if let note = caller.note { try keep(note) }
            return BatchResult()
        case 1:
            let (store, operation) = operations[0]
            return try writeAlone(
                operation,
                to: store,
                maximum: request.maximum,
                returning: request.resultType,
                for: caller
            )
        default:
            return try writeJointly(
                operations,
                maximum: request.maximum,
                returning: request.resultType,
                for: caller
            )
        }
    }
}

extension PersistentStoreCoordinator {
    private func entity(named name: String) throws(GraphError) -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw .unknownEntity(name, in: model) }
        return entity
    }

    private func check(chunkSize: Int?, maximum: Int?) throws(GraphError) {
        if let chunkSize, chunkSize < 1 { throw GraphError(.invalidRequest, "A chunk must have at least one row.") }
        if let maximum, maximum < 0 { throw GraphError(.invalidRequest, "The maximum of a batch can't be negative.") }
    }

    func storeForInserting(
        _ entity: EntityDescription,
        among affected: Set<UUID>?
    ) throws(GraphError) -> any PersistentStore {
        guard let affected else { return try storeForInserting(entity) }
        let keeping = stores(of: entity.index..<entity.index + 1).filter { store in
            affected.contains(store.identifier)
        }
        guard let store = keeping.first(where: { !$0.isReadOnly }) else {
            throw keeping.isEmpty ? .noStore(for: entity) : .readOnly(entity)
        }
        return store
    }

    private func storesForBatch(
        _ rows: StoreFetchRequest,
        among affected: Set<UUID>?
    ) throws(GraphError) -> [any PersistentStore] {
        let entity = rows.entity
        let kinds = rows.includesSubentities ? entity.kinds : entity.index..<entity.index + 1
        let stores = stores(of: kinds).filter { store in affected?.contains(store.identifier) ?? true }
        guard !stores.isEmpty else { throw .noStore(for: entity) }
        guard !stores.contains(where: \.isReadOnly) else {
            var error = GraphError.readOnly(entity)
            if stores.count > 1 { error.hint = "Set affectedStores to those that are writable." }
            throw error
        }
        return stores
    }

    /// The assignments of an update. Values that no row may have are refused even if there are no rows.
    private func assignments(
        _ request: BatchUpdateRequest,
        _ entity: EntityDescription
    ) throws(GraphError) -> [StoreBatchUpdate.Assignment] {
        let patterns = PatternChecker()
        return try request.propertiesToUpdate.sorted { $0.key < $1.key }.map { (name, value) throws(GraphError) in
            let assignment = try entity.assignment(of: value, to: name)
            guard case .constant(let constant) = assignment.value else { return assignment }
            switch assignment.property {
            case .attribute(let attribute):
                var failures = attribute.failures(of: constant, using: patterns)
                for index in failures.indices { failures[index].entityName = entity.name }
                guard failures.isEmpty else { throw .validation(failures) }
            case .relationship(let relationship): try checkDestination(constant, of: relationship, entity, request)
            case .fetched: break
            }
            return assignment
        }
    }

    /// The object must exist in one of the stores. Whether rows of other stores would refer to it is checked later.
    private func checkDestination(
        _ value: Value,
        of relationship: RelationshipDescription,
        _ entity: EntityDescription,
        _ request: BatchUpdateRequest
    ) throws(GraphError) {
        let stores = try storesForBatch(
            StoreFetchRequest(entity: entity, includesSubentities: request.includesSubentities),
            among: request.affectedStores
        )
        var reason: GraphError?
        for store in stores {
            do throws(GraphError) {
                _ = try model.destination(value, of: relationship, ownedBy: entity, in: store)
                return
            } catch {
                reason = error
            }
        }
        if let reason { throw reason }
    }
}

extension BatchInsertRequest {
    /// The same request, with a closure that can't write through a coordinator.
    fileprivate func guarded(by coordinator: PersistentStoreCoordinator) -> BatchInsertRequest {
        var request = self
        request.nextRow = { try StoreCallback.run(.rows, of: coordinator) { try nextRow() } }
        return request
    }
}
