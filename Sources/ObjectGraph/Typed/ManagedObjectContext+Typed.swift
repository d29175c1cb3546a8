// SPDX-License-Identifier: Apache-2.0

// The objects of IDs, with their classes.

extension ManagedObjectContext {
    /// The object of an ID as one of a class, as a fault if the context hasn't it yet; nothing is read. It is an error if the
    /// ID is of objects of another class.
    ///
    ///     let post = try context.object(with: draftID, as: Post.self)
    public func object<Object: ManagedObject>(
        with objectID: ManagedObjectID,
        as type: Object.Type
    ) throws(GraphError) -> Object {
        guard let object = object(with: objectID) as? Object else { throw .otherClass(type, than: objectID.entity) }
        return object
    }

    /// The object of an ID as one of a class, read from the store unless it is known; an error if there is none, or if it is of
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
        // Only where the names agree is it likely that the class was forgotten.
        guard type.entityName != entity.name else { return unregisteredClass(type, for: entity) }
        return GraphError(.invalidRequest, "The object is one of \(entity.name), and no \(type).")
    }
}
