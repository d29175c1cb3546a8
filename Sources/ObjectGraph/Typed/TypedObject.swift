// SPDX-License-Identifier: Apache-2.0

// Access to properties by typed keys, with errors thrown at once.

import FoundationEssentials
public import Predicates

/// Gives methods of all object classes access to `Self`. Only `ManagedObject` conforms to it.
public protocol TypedObject: ManagedObject {}

extension ManagedObject: TypedObject {}

extension TypedObject {
    /// The value of an attribute, possibly through to-one relationships, or of an aggregate.
    ///
    ///     let name = try post.value(of: \.author.name)
    public func value<Content>(of key: KeyPath<Keys<Self>, AttributeKey<Content>>) throws(GraphError) -> Content {
        let path = Keys()[keyPath: key].path
        if let name = path.onlyName, let attribute = entity.attribute(named: name) {
            return try content(value(of: attribute), of: attribute)
        }
        let operand: Operand
        do {
            operand = try path.expression.evaluate(with: self)
        } catch {
            throw .evaluation(error)
        }
        guard case .value(let value) = operand else { throw .notOwn(path, of: self) }
        guard value != .null else { return .absent }
        guard let content = Content(attributeValue: value) else {
            throw .unfit(value, Content.self, of: "\(path.expression)", of: self)
        }
        return content
    }

    public func setValue<Content>(
        _ content: Content,
        of key: KeyPath<Keys<Self>, AttributeKey<Content>>
    ) throws(GraphError) {
        try setValue(content.value, forKey: ownName(Keys()[keyPath: key].path))
    }

    public func object<Destination>(
        of key: KeyPath<Keys<Self>, Keys<Destination>>
    ) throws(GraphError) -> Destination? {
        try object(of: relationship(Keys()[keyPath: key].path)).map { object throws(GraphError) in try typed(object) }
    }

    public func setObject<Destination>(
        _ destination: Destination?,
        of key: KeyPath<Keys<Self>, Keys<Destination>>
    ) throws(GraphError) {
        try setObject(destination, of: relationship(Keys()[keyPath: key].path))
    }

    public func objects<Member>(of key: KeyPath<Keys<Self>, ToManyKey<Member>>) throws(GraphError) -> [Member] {
        try objects(of: relationship(Keys()[keyPath: key].path)).map { object throws(GraphError) in
            try typed(object)
        }
    }

    public func setObjects<Member>(
        _ members: some Sequence<Member>,
        of key: KeyPath<Keys<Self>, ToManyKey<Member>>
    ) throws(GraphError) {
        try setObjects(Array(members), of: relationship(Keys()[keyPath: key].path))
    }

    /// The reference to a to-one relationship's object.
    public func reference<Destination>(
        of key: KeyPath<Keys<Self>, Keys<Destination>>
    ) throws(GraphError) -> ObjectReference? {
        try objectIDs(of: relationship(Keys()[keyPath: key].path)).first?.objectReference
    }

    /// Sets a to-one relationship to the object that a reference names.
    public func setReference<Destination>(
        _ reference: ObjectReference?,
        of key: KeyPath<Keys<Self>, Keys<Destination>>
    ) throws(GraphError) {
        let relationship = try relationship(Keys()[keyPath: key].path)
        guard let reference else { return try setObject(nil, of: relationship) }
        let context = confinement.context
        guard let objectID = context.objectID(forURI: reference.uri) else {
            throw .unknownReference(reference, for: relationship, of: self)
        }
        try setObject(context.existingObject(with: objectID), of: relationship)
    }

    private func relationship(_ path: KeySteps) throws(GraphError) -> RelationshipDescription {
        try requireRelationship(ownName(path))
    }

    private func ownName(_ path: KeySteps) throws(GraphError) -> String {
        guard let name = path.onlyName else { throw .notOwn(path, of: self) }
        return name
    }
}

extension KeySteps {
    /// The name, if the path is a single property of the object itself.
    fileprivate var onlyName: String? {
        if keys.count == 1, !isAny, case .name(let name) = keys[0] { name } else { nil }
    }
}

extension GraphError {
    fileprivate static func notOwn(_ path: KeySteps, of object: ManagedObject) -> GraphError {
        GraphError(
            .invalidRequest,
            "“\(path.expression)” isn't a property of \(object.entity.name) itself.",
            object: object.objectID
        )
    }

    fileprivate static func unknownReference(
        _ reference: ObjectReference,
        for relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .unknownStore,
            "\(object.entity.name).\(relationship.name) can't refer to \(reference), which isn't in a store of the coordinator.",
            object: object.objectID,
            property: relationship.name
        )
    }
}
