// SPDX-License-Identifier: Apache-2.0

// Typed properties of objects. Their errors are deferred; see `DeferredErrors`.

import Predicates

extension ManagedObject {
    /// An attribute as a typed property; the type's absent value if it is null.
    ///
    ///     var title: String {
    ///         get { self[attribute: "title"] }
    ///         set { self[attribute: "title"] = newValue }
    ///     }
    public final subscript<Content: AttributeValue>(attribute name: String) -> Content {
        get {
            deferring(.absent) { () throws(GraphError) in
                guard let attribute = entity.attribute(named: name) else { throw .unknownKey(name, of: entity) }
                return try content(value(of: attribute), of: attribute)
            }
        }
        set { deferring(()) { () throws(GraphError) in try setValue(newValue.value, forKey: name) } }
    }

    /// The object of a to-one relationship, perhaps a fault.
    public final subscript<Destination: ManagedObject>(toOne name: String) -> Destination? {
        get {
            deferring(nil) { () throws(GraphError) in
                try object(of: requireRelationship(name)).map { object throws(GraphError) in try typed(object) }
            }
        }
        set { deferring(()) { () throws(GraphError) in try setObject(newValue, of: requireRelationship(name)) } }
    }

    /// The members of a to-many relationship.
    public final subscript<Member>(toMany name: String) -> ToManyObjects<Member> {
        ToManyObjects(ToManyMembers(of: self, name))
    }

    /// The members of an ordered relationship.
    public final subscript<Member>(ordered name: String) -> OrderedObjects<Member> {
        OrderedObjects(ToManyMembers(of: self, name))
    }

    /// The objects of a fetched property.
    public final subscript<Member: ManagedObject>(fetched name: String) -> [Member] {
        deferring([]) { () throws(GraphError) in
            try objects(ofFetchedProperty: name).map { object throws(GraphError) in try typed(object) }
        }
    }

    /// Runs throwing work where errors must be deferred.
    final func deferring<Result>(
        _ absent: @autoclosure () -> Result,
        _ work: () throws(GraphError) -> Result
    ) -> Result {
        do {
            return try work()
        } catch {
            confinement.context.deferredErrors.record(error)
            return absent()
        }
    }

    final func requireRelationship(_ name: String) throws(GraphError) -> RelationshipDescription {
        guard let relationship = entity.relationship(named: name) else { throw .unknownKey(name, of: entity) }
        return relationship
    }

    /// An object of a relationship as its class.
    final func typed<Destination: ManagedObject>(_ object: ManagedObject) throws(GraphError) -> Destination {
        guard let typed = object as? Destination else { throw .unregisteredClass(Destination.self, for: object.entity) }
        return typed
    }

    final func content<Content: AttributeValue>(
        _ value: Value,
        of attribute: AttributeDescription
    ) throws(GraphError) -> Content {
        guard value != .null else { return .absent }
        guard let content = Content(attributeValue: value) else {
            throw .unfit(value, Content.self, of: attribute.name, of: self)
        }
        return content
    }
}

extension GraphError {
    static func unfit(_ value: Value, _ type: Any.Type, of name: String, of object: ManagedObject) -> GraphError {
        GraphError(
            .wrongType,
            "\(object.entity.name).\(name) is \(ObjectExpression.constant(value)), which isn't of type \(type).",
            object: object.objectID,
            property: name
        )
    }
}
