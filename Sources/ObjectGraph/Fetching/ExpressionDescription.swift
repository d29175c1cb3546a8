// SPDX-License-Identifier: Apache-2.0

// A column of a dictionary fetch: a name and what stands under it.

public import Predicates

/// A name and the expression whose value stands under it.
///
///     request.propertiesToFetch = [
///         "author.name",
///         ExpressionDescription("posts", try ObjectExpression("count:(SELF)")),
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

    /// What a key path leads to, under the path's own name.
    public init(keyPath: String) {
        self.init(keyPath, .keyPath(keyPath))
    }
}

extension ExpressionDescription: ExpressibleByStringLiteral {
    public init(stringLiteral keyPath: String) { self.init(keyPath: keyPath) }
}
