// SPDX-License-Identifier: Apache-2.0

// Checks predicates and expressions against a model before they are run.

public import Predicates

/// The kind of value that a `$variable` of a predicate has.
public enum PredicateVariable: Hashable, Sendable {
    /// A value of any kind, or an object.
    case any
    case value(AttributeType)
    /// An object of the entity of this name.
    case object(String)
}

extension Model {
    /// Checks a predicate on an entity: unknown keys, operators that don't fit, and the like.
    ///
    ///     let predicate = try ObjectPredicate("titel BEGINSWITH 'A' AND tags.name == 'swift'")
    ///     model.check(predicate, on: post)   // “titel”: did you mean title? “tags.name”: ANY is missing
    ///
    /// An error means that the predicate can't be run; a warning, that it may not do what it seems to. If `variables`
    /// is nil, every `$variable` is allowed; otherwise only the given ones are. If `isForFetching` is false, transient
    /// attributes and fetched properties are allowed.
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

    /// Checks an expression on an entity.
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
