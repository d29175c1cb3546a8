// SPDX-License-Identifier: Apache-2.0

// Batches as pending changes of a context, based on its present objects.

import Predicates

extension ManagedObjectContext {
    /// Inserts an object for each row. Validation and uniqueness are checked by the save. If a row can't be read, the
    /// rows before it stay pending, unless a group reverts them.
    ///
    ///     try context.withUndoGroup {
    ///         try context.draft(BatchInsertRequest("Tag", rows: [["name": "swift"], ["name": "sql"]]))
    ///     }
    @discardableResult
    public func draft(_ request: BatchInsertRequest) throws(GraphError) -> BatchResult {
        let entity = try entity(named: request.entityName)
        let coordinator = source.coordinator
        let store = try request.affectedStores.map { (affected) throws(GraphError) in
            try coordinator.storeForInserting(entity, among: affected)
        }
        var objects: [ManagedObject] = []
        while true {
            do {
                guard let row = try request.nextRow() else { break }
                if let maximum = request.maximum, objects.count >= maximum { throw GraphError.limitExceeded(maximum) }
                try WorkLimits.check()
                let object = try insert(entity)
                if let store { try assign(object, to: store) }
                try keep(row.kept, for: object)
                for (name, value) in row.values.sorted(by: { $0.key < $1.key }) {
                    try set(try entity.settableProperty(named: name, orTransient: true), of: object, to: value)
                }
                objects.append(object)
            } catch {
                let number = objects.count + 1
                guard let error = error as? GraphError else { throw .unreadable(row: number, error) }
                throw error.of(row: number)
            }
        }
        return try drafted(objects, request.resultType)
    }

    /// Sets properties of all objects that a batch finds. All expressions are evaluated before anything is changed.
    @discardableResult
    public func draft(_ request: BatchUpdateRequest) throws(GraphError) -> BatchResult {
        let entity = try entity(named: request.entityName)
        let assignments = try request.propertiesToUpdate.sorted { $0.key < $1.key }
            .map { (name, value) throws(GraphError) in try entity.assignment(of: value, to: name, orTransient: true) }
        var found = FetchRequest<ManagedObject>(request.entityName, predicate: request.predicate)
        found.includesSubentities = request.includesSubentities
        found.affectedStores = request.affectedStores
        let objects = try objects(found, request.maximum)
        if objects.count > 1 {
            for assignment in assignments { try assignment.checkOneToOneAssignment(to: objects.count) }
        }
        let evaluator = Evaluator.limited()
        let values = try objects.map { (object) throws(GraphError) in
            try assignments.map { (assignment) throws(GraphError) in
                try assignment.newValue(for: object, id: object.objectID, with: evaluator)
            }
        }
        for (object, values) in zip(objects, values) {
            for (assignment, value) in zip(assignments, values) { try set(assignment.property, of: object, to: value) }
        }
        return try drafted(objects, request.resultType)
    }

    /// Deletes the objects of a batch, and others by delete rules. The save checks the rule Deny.
    @discardableResult
    public func draft(_ request: BatchDeleteRequest) throws(GraphError) -> BatchResult {
        var deleted: [ManagedObject] = []
        try processPendingChanges()
        let observation = observeChanges { deleted += $0.deleted }
        defer { remove(observation) }
        for object in try objects(request) { delete(object) }
        try processPendingChanges()
        if let maximum = request.maximum, deleted.count > maximum { throw .limitExceeded(maximum) }
        return try drafted(deleted, request.resultType)
    }

    // MARK: Which objects

    private func entity(named name: String) throws(GraphError) -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw .unknownEntity(name, in: model) }
        return entity
    }

    private func objects(_ request: BatchDeleteRequest) throws(GraphError) -> [ManagedObject] {
        switch request.target {
        case .objectIDs(let ids):
            return try existingObjects(with: ids).compactMap(\.self)
        case .fetch(var found):
            found.affectedStores = request.affectedStores
            return try objects(found, request.maximum)
        }
    }

    /// The objects of a request, created only if there aren't too many. The condition is evaluated once.
    private func objects(
        _ request: FetchRequest<ManagedObject>,
        _ maximum: Int?
    ) throws(GraphError) -> [ManagedObject] {
        let found = try objectIDs(request)
        if let maximum, found.count > maximum { throw .limitExceeded(maximum) }
        try checkMemoryLimit(for: found.count)
        return try existingObjects(with: found).compactMap(\.self)
    }

    private func drafted(
        _ objects: [ManagedObject],
        _ type: BatchResultType
    ) throws(GraphError) -> BatchResult {
        try processPendingChanges()
        var result = BatchResult()
        result.count = objects.count
        if type == .objectIDs { result.objectIDs = objects.map(\.objectID) }
        return result
    }

    // MARK: Values

    private func set(
        _ property: PropertyDescription,
        of object: ManagedObject,
        to value: Value
    ) throws(GraphError) {
        switch (property, value) {
        case (.attribute, _): try set(property, of: object, to: .value(value))
        case (.relationship(let relationship), .array(let members)) where relationship.isToMany:
            let members = try members.map { (member) throws(GraphError) in
                try destination(StoreBatchUpdate.NewValue(member, for: relationship, of: object.entity), relationship)
            }
            try object.setObjects(members.compactMap(\.self), of: relationship)
        case (.relationship(let relationship), _):
            let value = try StoreBatchUpdate.NewValue(value, for: relationship, of: object.entity)
            try set(property, of: object, to: value)
        case (.fetched, _): return
        }
    }

    /// Setting a value resolves a conflict of the property.
    private func set(
        _ property: PropertyDescription,
        of object: ManagedObject,
        to value: StoreBatchUpdate.NewValue
    ) throws(GraphError) {
        switch (property, value) {
        case (.attribute(let attribute), .value(let value)): try object.setValue(value, of: attribute)
        case (.relationship(let relationship), _):
            try object.setObject(try destination(value, relationship), of: relationship)
        case (.attribute, .object), (.fetched, _): return
        }
        resolveEditConflict(of: property, of: object)
    }

    /// The new destination of a relationship, which must exist.
    private func destination(
        _ value: StoreBatchUpdate.NewValue,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> ManagedObject? {
        guard case .object(let reference?) = value else { return nil }
        guard let objectID = model.temporaryID(forURI: reference.uri) ?? source.objectID(forURI: reference.uri) else {
            throw GraphError(.objectMissing, "\(reference) doesn't exist.", property: relationship.name)
        }
        guard let found = try snapshots(of: [objectID])[0] else {
            var error = GraphError.objectMissing(objectID)
            error.property = relationship.name
            throw error
        }
        let object = object(with: found.objectID)
        guard object.entity.isKind(of: model.destination(of: relationship)) else {
            throw .wrongDestination(object.entity, of: relationship)
        }
        return object
    }
}
