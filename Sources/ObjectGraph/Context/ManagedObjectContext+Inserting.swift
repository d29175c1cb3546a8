// SPDX-License-Identifier: Apache-2.0

// Inserting objects.

import SourceText

extension ManagedObjectContext {
    /// Inserts a new object of an entity.
    ///
    ///     let post = try context.insert("Post")
    @discardableResult
    public func insert(_ entityName: String) throws(GraphError) -> ManagedObject {
        guard let entity = model.entity(named: entityName) else { throw .unknownEntity(entityName, in: model) }
        return try insert(entity)
    }

    /// Inserts a new object of an entity.
    @discardableResult
    public func insert(_ entity: EntityDescription) throws(GraphError) -> ManagedObject {
        confinement.check()
        guard !entity.isAbstract else { throw .abstract(entity) }
        let object = source.objectClass(for: entity).init(birth(of: entity))
        try recordInsertion(of: object)
        try begin(object)
        return object
    }

    /// Inserts a new object of a typed class.
    ///
    ///     let post = try context.insert(Post.self)
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) throws(GraphError) -> Object {
        let object = try insert(type.entityName)
        guard let typed = object as? Object else { throw .unregisteredClass(type, for: object.entity) }
        return typed
    }

    /// Restores a deleted object. A pending deletion is reverted as by `undo()`; after a saved one, the object is a new
    /// one with the same values. Relationships that delete rules have ended stay ended. An object that isn't deleted
    /// stays as it is.
    ///
    ///     context.delete(post)
    ///     try context.insert(post)
    public func insert(_ object: ManagedObject) throws(GraphError) {
        confinement.check()
        guard object.confinement === confinement else { throw .insertedElsewhere(object) }
        guard registered[object.objectID] !== object || object.isDeleted else { return }
        guard !object.status.contains(.missing), deleted.contains(object) || !object.isFault,
            registered[current(object.objectID)].map({ $0 === object }) ?? true
        else { throw .withoutContext(object) }
        try recordInsertion(of: object)
        pending.unpropagated.removeAll { $0 === object }
        let wasNeverSaved = object.isDeleted && !deleted.contains(object)
        let status = object.status.subtracting([.deleted, .inserted, .updated]).union(wasNeverSaved ? .inserted : [])
        let edit = ContextEdit.restore(object, status, lost: object.toManys.map(\.removed.members))
        assignNewIDs(for: [edit])
        perform(edit)
    }

    /// Assigns a new object to a store, instead of the first one that keeps its entity.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(GraphError) {
        confinement.check()
        guard object.isInserted, object.objectID.isTemporary else {
            throw GraphError(.invalidRequest, "Only a new object can be assigned to a store.", object: object.objectID)
        }
        _ = try source.coordinator.store(store.identifier, forInserting: object.entity)
        pending.assignments[object.objectID] = store.identifier
    }

    /// Lets a new object keep a reference that it had elsewhere, if its store has never used that reference. Otherwise
    /// it gets a new one, like any object. Archives of the context don't include it.
    public func keep(_ identity: RetainedReference?, for object: ManagedObject) throws(GraphError) {
        confinement.check()
        guard object.isInserted, object.objectID.isTemporary else {
            let message = "Only a new object can keep a reference that it had elsewhere."
            throw GraphError(.invalidRequest, message, object: object.objectID)
        }
        pending.kept[object.objectID] = identity
    }

    /// The references that new objects keep, by ID, without those that other new objects already have.
    var retainableReferences: [ManagedObjectID: RetainedReference] {
        guard !pending.kept.isEmpty else { return [:] }
        var given: [Int: Set<ManagedObjectID.Reference>] = [:]
        for objectID in inserted.members.map(\.objectID) {
            if let reference = objectID.reference { given[objectID.entity.rootIndex, default: []].insert(reference) }
        }
        return pending.kept.filter { objectID, identity in
            !objectID.isTemporary || given[objectID.entity.rootIndex]?.contains(identity.reference) != true
        }
    }

    /// The ID of a new object.
    func temporaryID(for entity: EntityDescription) -> ManagedObjectID {
        temporaryIDs?.next(for: entity) ?? ManagedObjectID(temporaryFor: entity)
    }

    private func birth(of entity: EntityDescription) -> ManagedObject.Birth {
        ManagedObject.Birth(
            entity: entity,
            objectID: temporaryID(for: entity),
            confinement: confinement
        )
    }

    private func begin(_ object: ManagedObject) throws(GraphError) {
        guard insertionDepth < Self.insertionDepthLimit else {
            let error = GraphError.endlessInsertion(object.entity)
            deferredErrors.record(error)
            throw error
        }
        insertionDepth += 1
        defer { insertionDepth -= 1 }
        object.row = Row(of: object.entity)
        object.toManys = object.entity.toManys.map(ToMany.empty)
        addRegistered(object)
        perform(.insert(object))
        object.awakeFromInsert()
    }

    private static let insertionDepthLimit = 50
}

extension GraphError {
    static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> GraphError {
        GraphError(
            .unknownName,
            "There is no entity “\(name)”.",
            hint: Spelling.hint(for: name, among: model.entities.map(\.name))
        )
    }

    fileprivate static func endlessInsertion(_ entity: EntityDescription) -> GraphError {
        GraphError(
            .endlessChanges,
            "awakeFromInsert() of \(entity.name) endlessly inserts objects that insert others in turn.",
            hint: "Roll back the context to continue."
        )
    }

    fileprivate static func insertedElsewhere(_ object: ManagedObject) -> GraphError {
        GraphError(
            .otherContext,
            "This \(object.entity.name) belongs to another context, and can't be inserted into this one.",
            object: object.objectID
        )
    }

    static func abstract(_ entity: EntityDescription) -> GraphError {
        GraphError(.invalidRequest, "\(entity.name) is abstract; insert objects of its subentities.")
    }

    static func unregisteredClass(_ type: ManagedObject.Type, for entity: EntityDescription) -> GraphError {
        GraphError(
            .invalidRequest,
            "The coordinator doesn't know the class \(type) of \(entity.name).",
            hint: "Pass the class to the coordinator: classes: [\(type).self]."
        )
    }
}
