// SPDX-License-Identifier: Apache-2.0

// A column of a dictionary fetch.

public import Predicates

/// A named expression whose value is fetched.
///
///     request.propertiesToFetch = [
///         "author.name",
///         ExpressionDescription("posts", .count),
///         ExpressionDescription("readers", try ObjectExpression("count:(SELF.@distinctUnionOfObjects.reader)")),
///     ]
///
/// A string is a key path that is also the name: of an attribute, an element of a composite one, or a to-one
/// relationship, each also through to-one relationships; `objectID` is the object itself. `GroupAggregate` defines
/// aggregates.
public struct ExpressionDescription: Hashable, Sendable {
    public var name: String
    public var expression: ObjectExpression

    public init(_ name: String, _ expression: ObjectExpression) {
        self.name = name
        self.expression = expression
    }

    /// A function over the objects of a group, or over the values of a key path from them, optionally distinct.
    ///
    ///     ExpressionDescription("readers", .count, of: "reader", isDistinct: true)   // COUNT(DISTINCT reader)
    public init(_ name: String, _ function: Function, of keyPath: String? = nil, isDistinct: Bool = false) {
        let keys = keyPath.map(Key.path) ?? []
        let operand =
            isDistinct
            ? ObjectExpression.keyPath(of: .evaluatedObject, [.collection(.distinctUnionOfObjects)] + keys)
            : keys.isEmpty ? .evaluatedObject : .keyPath(of: .evaluatedObject, keys)
        self.init(name, .function(function, [operand]))
    }

    /// The value of a key path, named by the path.
    public init(keyPath: String) {
        self.init(keyPath, .keyPath(keyPath))
    }
}

extension ExpressionDescription: ExpressibleByStringLiteral {
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}
