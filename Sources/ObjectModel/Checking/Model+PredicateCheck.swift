// SPDX-License-Identifier: Apache-2.0

// Predicates and expressions against a model, before any of them is run.

public import Predicates

/// What a `$variable` of a predicate stands for.
public enum PredicateVariable: Hashable, Sendable {
    /// A value of any kind, or an object.
    case any
    case value(AttributeType)
    /// An object of the entity of this name.
    case object(String)
}

extension Model {
    /// What is wrong with a predicate on objects of an entity: unknown keys, operators that don't fit, and the like.
    ///
    ///     let predicate = try ObjectPredicate("titel BEGINSWITH 'A' AND tags.name == 'swift'")
    ///     model.check(predicate, on: post)   // “titel”: did you mean title? “tags.name”: ANY is missing
    ///
    /// An error means that the predicate can't be run, a warning that it doesn't do what it seems to. `$variables` may
    /// stand for anything, unless those that there are are given. A predicate that is not for a fetch request may use
    /// transient attributes and fetched properties.
    public func check(
        _ predicate: ObjectPredicate,
        on entity: Entity,
        variables: [String: PredicateVariable]? = nil,
        isForFetching: Bool = true
    ) -> [ModelIssue] {
        var check = PredicateCheck(self, entity, variables: variables, isFetched: isForFetching)
        check.check(predicate)
        return check.issues
    }

    /// What is wrong with an expression on objects of an entity.
    public func check(
        _ expression: ObjectExpression,
        on entity: Entity,
        variables: [String: PredicateVariable]? = nil,
        isForFetching: Bool = true
    ) -> [ModelIssue] {
        var check = PredicateCheck(self, entity, variables: variables, isFetched: isForFetching)
        _ = check.type(of: expression)
        return check.issues
    }
}
