// SPDX-License-Identifier: Apache-2.0

// Typed keys of attributes and relationships.

import Predicates

/// The keys of an object's properties, for predicates and sort orders.
///
/// Classes extend it, and inherit the keys of their superclasses:
///
///     extension Keys where Object: Post {
///         var title: AttributeKey<String> { self[attribute: "title"] }
///         var author: Keys<User> { self[toOne: "author"] }
///         var tags: ToManyKey<Tag> { self[toMany: "tags"] }
///     }
///
/// A to-one relationship's key provides the keys of its destination, so `author.name` is a key of posts.
public struct Keys<Object: ManagedObject>: Sendable {
    let path: KeySteps

    init(_ path: KeySteps = KeySteps()) {
        self.path = path
    }

    public subscript<Content>(attribute name: String) -> AttributeKey<Content> { AttributeKey(path.adding(name)) }

    public subscript<Destination>(toOne name: String) -> Keys<Destination> { Keys<Destination>(path.adding(name)) }

    public subscript<Destination>(toMany name: String) -> ToManyKey<Destination> { ToManyKey(path.adding(name)) }
}

/// The key of an attribute, possibly of a related object.
@dynamicMemberLookup
public struct AttributeKey<Content: AttributeValue>: Sendable {
    let path: KeySteps

    init(_ path: KeySteps) {
        self.path = path
    }

    /// The key of an attribute within a composite: `address.city`.
    public subscript<Member>(
        dynamicMember member: KeyPath<CompositeKeys<Content.Unwrapped>, AttributeKey<Member>>
    ) -> AttributeKey<Member> where Content.Unwrapped: CompositeValue {
        CompositeKeys(path: path)[keyPath: member]
    }
}

/// The key of a to-many relationship.
public struct ToManyKey<Destination: ManagedObject>: Sendable {
    let path: KeySteps

    init(_ path: KeySteps) {
        self.path = path
    }
}

/// The path from an object to a property.
struct KeySteps: Hashable, Sendable {
    /// The variable of a subquery that the path begins at; nil for the object itself.
    var variable: String?
    var keys: [Key] = []
    /// Whether a comparison of any one member is enough.
    var isAny = false

    func adding(_ name: String) -> KeySteps { adding([.name(name)]) }

    func adding(_ keys: [Key]) -> KeySteps {
        var steps = self
        steps.keys += keys
        return steps
    }

    var expression: ObjectExpression {
        let root = variable.map(ObjectExpression.variable) ?? .evaluatedObject
        return keys.isEmpty ? root : .keyPath(of: root, keys)
    }

    func compared(
        _ operator: Comparison.Operator,
        _ other: ObjectExpression,
        _ options: Comparison.Options = []
    ) -> ObjectPredicate {
        .comparing(expression, `operator`, other, modifier: isAny ? .any : .direct, options: options)
    }

    /// The comparison with the value of another path.
    func compared(_ operator: Comparison.Operator, to other: KeySteps) -> ObjectPredicate {
        precondition(!other.isAny, "The left side of a comparison has many values.")
        return compared(`operator`, other.expression)
    }
}
