// SPDX-License-Identifier: Apache-2.0

// One change of many objects, straight in the stores.

public import FoundationEssentials
public import Predicates

/// New values for all objects that a predicate holds for, without objects being made of them. No hooks run; what the model
/// demands of the new values holds, and both sides of relationships follow.
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
    /// The new values of attributes and to-one relationships: constants, or expressions over the row, which all see the store
    /// as it was before the batch.
    public var propertiesToUpdate: [String: ObjectExpression] = [:]
    public var resultType = BatchResultType.status
    /// The batch is refused if the predicate holds for more objects than that.
    public var maximum: Int?
    /// Whether it is only found out what the batch would come to: it is done, and taken back. No context is told.
    public var isRehearsal = false
    /// The identifiers of the stores that count; nil for all that keep the entity.
    public var affectedStores: Set<UUID>?

    public init(_ entityName: String, predicate: ObjectPredicate? = nil) {
        self.entityName = entityName
        self.predicate = predicate
    }
}
