// SPDX-License-Identifier: Apache-2.0

// A column of a dictionary fetch: a name and what stands under it.

public import Predicates

/// A name and the expression whose value stands under it.
///
///     request.propertiesToFetch = [
///         "author.name",
///         ExpressionDescription("posts", .count),
///         ExpressionDescription("readers", try ObjectExpression("count:(SELF.@distinctUnionOfObjects.reader)")),
///     ]
///
/// A string is a key path and its own name: of an attribute, an element of a composite one, a relationship to one object,
/// each also through such relationships; `objectID` is the object itself. What aggregates are is told by `GroupAggregate`.
public struct ExpressionDescription: Hashable, Sendable {
    public var name: String
    public var expression: ObjectExpression

    public init(_ name: String, _ expression: ObjectExpression) {
        self.name = name
        self.expression = expression
    }

    /// A function over the objects of a group, or over what a key path leads to from them, equal values once if they are to be
    /// distinct.
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

    /// What a key path leads to, under the path's own name.
    public init(keyPath: String) {
        self.init(keyPath, .keyPath(keyPath))
    }
}

extension ExpressionDescription: ExpressibleByStringLiteral {
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}
