// SPDX-License-Identifier: Apache-2.0

// Looking up typed objects by ID.

extension ManagedObjectContext {
    /// The object of an ID as its class, a fault if it isn't registered; nothing is read. Throws if the ID is of
    /// another class.
    ///
    ///     let post = try context.object(with: draftID, as: Post.self)
    public func object<Object: ManagedObject>(
        with objectID: ManagedObjectID,
        as type: Object.Type
    ) throws(GraphError) -> Object {
        guard let object = object(with: objectID) as? Object else { throw .otherClass(type, than: objectID.entity) }
        return object
    }

    /// The object of an ID as its class, read from the store unless it is known. Throws if there is none or it is of
    /// another class.
    public func existingObject<Object: ManagedObject>(
        with objectID: ManagedObjectID,
        as type: Object.Type
    ) throws(GraphError) -> Object {
        guard let object = try existingObject(with: objectID) as? Object else {
            throw .otherClass(type, than: objectID.entity)
        }
        return object
    }
}

extension GraphError {
    fileprivate static func otherClass(_ type: ManagedObject.Type, than entity: EntityDescription) -> GraphError {
        // If the names agree, the class probably wasn't registered.
        guard type.entityName != entity.name else { return unregisteredClass(type, for: entity) }
        return GraphError(.invalidRequest, "The object's class is \(entity.name), not \(type).")
    }
}
