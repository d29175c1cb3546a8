// SPDX-License-Identifier: Apache-2.0

// New objects.

import SourceText

extension ManagedObjectContext {
    /// A new object of an entity.
    ///
    ///     let post = try context.insert("Post")
    @discardableResult
    public func insert(_ entityName: String) throws(GraphError) -> ManagedObject {
        guard let entity = model.entity(named: entityName) else { throw .unknownEntity(entityName, in: model) }
        return try insert(entity)
    }

    /// A new object of an entity.
    @discardableResult
    public func insert(_ entity: EntityDescription) throws(GraphError) -> ManagedObject {
        confinement.check()
        guard !entity.isAbstract else { throw .abstract(entity) }
        let object = source.objectClass(for: entity).init(birth(of: entity))
        begin(object)
        return object
    }

    /// A new object of a class of one's own.
    ///
    ///     let post = try context.insert(Post.self)
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) throws(GraphError) -> Object {
        let object = try insert(type.entityName)
        guard let typed = object as? Object else { throw .unregisteredClass(type, for: object.entity) }
        return typed
    }

    /// Makes a new object go to a store of one's choice with the next save, instead of to the first one that keeps its entity.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(GraphError) {
        confinement.check()
        guard object.isInserted, object.objectID.isTemporary else {
            throw GraphError(.invalidRequest, "Only a new object can be assigned to a store.", object: object.objectID)
        }
        _ = try source.coordinator.store(store.identifier, forInserting: object.entity)
        assignments[object.objectID] = store.identifier
    }

    /// Has a new object keep the reference that it had elsewhere, if the store that it is saved to never gave that to another one. Else it
    /// gets a new reference, as any new object does. An archive of the context doesn't have it.
    public func keep(_ identity: KeptIdentity?, for object: ManagedObject) throws(GraphError) {
        confinement.check()
        guard object.isInserted, object.objectID.isTemporary else {
            let message = "Only a new object can keep a reference that it had elsewhere."
            throw GraphError(.invalidRequest, message, object: object.objectID)
        }
        kept[object.objectID] = identity
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

    private func begin(_ object: ManagedObject) {
        object.row = Row(of: object.entity)
        object.toManys = object.entity.toManys.map(ToMany.empty)
        enroll(object)
        perform(.insert(object))
        object.awakeFromInsert()
    }
}

extension GraphError {
    static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> GraphError {
        GraphError(
            .unknownName,
            "There is no entity “\(name)”.",
            hint: Spelling.hint(for: name, among: model.entities.map(\.name))
        )
    }

    static func abstract(_ entity: EntityDescription) -> GraphError {
        GraphError(.invalidRequest, "\(entity.name) is abstract: there are only objects of the entities below it.")
    }

    static func unregisteredClass(_ type: ManagedObject.Type, for entity: EntityDescription) -> GraphError {
        GraphError(
            .invalidRequest,
            "The coordinator was not told that objects of \(entity.name) are of the class \(type).",
            hint: "Hand the class to the coordinator: classes: [\(type).self]."
        )
    }
}
