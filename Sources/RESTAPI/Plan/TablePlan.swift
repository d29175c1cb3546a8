// SPDX-License-Identifier: Apache-2.0

// Rows of values instead of objects: `result=dictionary`.

import ObjectGraph
import Predicates

/// The columns, and the grouping of their values.
struct TablePlan: Equatable, Sendable {
    struct Column: Equatable, Sendable {
        /// The key path or function as the request has it, or the alias.
        var name: String
        var expression: ObjectExpression
        /// The type for rendering values, or nil if they are computed.
        var attribute: AttributeDescription?
        /// Whether values are names of entities.
        var namesEntity = false
    }

    var columns: [Column]
    /// Key paths with the model's names.
    var groupBy: [String] = []
    var having: ObjectPredicate?
    var isDistinct = false

    /// Whether a row may combine several objects.
    var combinesObjects: Bool {
        isDistinct || !groupBy.isEmpty || columns.contains { GroupAggregate($0.expression) != nil }
    }
}
