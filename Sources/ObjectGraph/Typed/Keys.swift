// SPDX-License-Identifier: Apache-2.0

// Keys of attributes and relationships that the compiler knows the types of.

import Predicates

/// The keys of an object's properties, by which predicates and sort orders name them.
///
/// Classes extend it, and inherit what the classes above them have:
///
///     extension Keys where Object: Post {
///         var title: AttributeKey<String> { self[attribute: "title"] }
///         var author: Keys<User> { self[toOne: "author"] }
///         var tags: ToManyKey<Tag> { self[toMany: "tags"] }
///     }
///
/// The keys of a to-one relationship's destination are that relationship's key, so that `author.name` is a key of posts.
public struct Keys<Object: ManagedObject>: Sendable {
    let path: KeySteps

    init(_ path: KeySteps = KeySteps()) {
        self.path = path
    }

    public subscript<Content>(attribute name: String) -> AttributeKey<Content> { AttributeKey(path.adding(name)) }

    public subscript<Destination>(toOne name: String) -> Keys<Destination> { Keys<Destination>(path.adding(name)) }

    public subscript<Destination>(toMany name: String) -> ToManyKey<Destination> { ToManyKey(path.adding(name)) }
}

/// The key of an attribute, perhaps one of an object that relationships lead to.
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

/// The way from an object to a property.
struct KeySteps: Hashable, Sendable {
    /// The variable of a subquery that the way begins at; nil where it begins at the object itself.
    var variable: String?
    var keys: [Key] = []
    /// Whether it leads through members of which one will do.
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

    /// The comparison with what another way leads to.
    func compared(_ operator: Comparison.Operator, to other: KeySteps) -> ObjectPredicate {
        precondition(!other.isAny, "One of many values stands on the left of a comparison.")
        return compared(`operator`, other.expression)
    }
}
