// SPDX-License-Identifier: Apache-2.0

// Predicates over the members of a relationship.

public import Predicates

extension ToManyKey {
    /// The keys of the members, for comparisons that one of them must satisfy: `$0.tags.any.name == "swift"`.
    ///
    /// Two comparisons may be satisfied by different members; see `contains(where:)`.
    public var any: Keys<Destination> {
        var path = path
        path.isAny = true
        return Keys(path)
    }

    /// The number of members.
    public var count: AttributeKey<Int> { AttributeKey(aggregating([.collection(.count)])) }

    public var isEmpty: ObjectPredicate { count == 0 }

    public func contains(_ object: Destination) -> ObjectPredicate { any == object }

    public func contains(_ objectID: ManagedObjectID) -> ObjectPredicate { any == objectID }

    /// Whether one member satisfies a whole condition: `$0.comments.contains { $0.isSpam && $0.likes > 3 }`.
    public func contains(where condition: (Keys<Destination>) -> some PredicateConvertible) -> ObjectPredicate {
        .comparing(count(condition), .greater, .constant(0))
    }

    /// Whether all members satisfy a condition.
    public func allSatisfy(_ condition: (Keys<Destination>) -> some PredicateConvertible) -> ObjectPredicate {
        .comparing(count { !condition($0) }, .equal, .constant(0))
    }

    public func sum<Content>(
        of attribute: KeyPath<Keys<Destination>, AttributeKey<Content>>
    ) -> AttributeKey<Content> where Content.Unwrapped: Numeric {
        aggregate(.sum, attribute)
    }

    public func average<Content>(
        of attribute: KeyPath<Keys<Destination>, AttributeKey<Content>>
    ) -> AttributeKey<Double> where Content.Unwrapped: Numeric {
        aggregate(.average, attribute)
    }

    public func minimum<Content>(
        of attribute: KeyPath<Keys<Destination>, AttributeKey<Content>>
    ) -> AttributeKey<Content> where Content.Unwrapped: Comparable {
        aggregate(.minimum, attribute)
    }

    public func maximum<Content>(
        of attribute: KeyPath<Keys<Destination>, AttributeKey<Content>>
    ) -> AttributeKey<Content> where Content.Unwrapped: Comparable {
        aggregate(.maximum, attribute)
    }

    private func aggregate<Content, Result>(
        _ operator: CollectionOperator,
        _ attribute: KeyPath<Keys<Destination>, AttributeKey<Content>>
    ) -> AttributeKey<Result> {
        AttributeKey(aggregating([.collection(`operator`)] + Keys()[keyPath: attribute].path.keys))
    }

    private func aggregating(_ keys: [Key]) -> KeySteps {
        precondition(
            !path.isAny,
            "A relationship after any has no count or sum of its own. Write contains(where:) instead of any."
        )
        return path.adding(keys)
    }

    /// The number of members that satisfy a condition.
    private func count(_ condition: (Keys<Destination>) -> some PredicateConvertible) -> ObjectExpression {
        precondition(
            !path.isAny,
            "A relationship after any requires any for its members too. Write contains(where:) instead of both."
        )
        // Each nested subquery has a variable of its own.
        let variable = (path.variable ?? "") + "x"
        let members = Keys<Destination>(KeySteps(variable: variable))
        let matching = ObjectExpression.subquery(
            path.expression,
            variable: variable,
            condition(members).predicate
        )
        return .keyPath(of: matching, [.collection(.count)])
    }
}
