// SPDX-License-Identifier: Apache-2.0

// Updating many objects directly in the stores.

public import FoundationEssentials
public import Predicates

/// Sets values of all objects that match a predicate, without creating objects. No hooks run; the model's rules are
/// checked for the new values, and inverse relationships are updated.
///
///     var request = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views < 10"))
///     request.propertiesToUpdate = [
///         "views": .constant(0),
///         "title": try ObjectExpression("uppercase:(title)"),
///         "author": .constant(ann.value),
///     ]
///     try coordinator.execute(request)
public struct BatchUpdateRequest: Sendable {
    public var entityName: String
    public var predicate: ObjectPredicate?
    public var includesSubentities = true
    /// The new values of attributes and to-one relationships: constants, or expressions over the row, evaluated on the
    /// store as it was before the batch.
    public var propertiesToUpdate: [String: ObjectExpression] = [:]
    public var resultType = BatchResultType.status
    /// The largest number of objects that the predicate may match; a larger batch is refused.
    public var maximum: Int?
    /// Whether the batch is only evaluated: it is executed and rolled back, and no context is notified.
    public var isRehearsal = false
    /// The identifiers of the stores to use; nil for all that keep the entity.
    public var affectedStores: Set<UUID>?

    public init(_ entityName: String, predicate: ObjectPredicate? = nil) {
        self.entityName = entityName
        self.predicate = predicate
    }
}
