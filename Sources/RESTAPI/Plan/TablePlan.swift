// SPDX-License-Identifier: Apache-2.0

// Rows of values instead of objects: `result=dictionary`.

import ObjectGraph
import Predicates

/// Columns, and the groups whose values stand in them.
struct TablePlan: Equatable, Sendable {
    struct Column: Equatable, Sendable {
        /// The key path or the function as it was written, or the alias.
        var name: String
        var expression: ObjectExpression
        /// How values are shown; nil for what is computed.
        var attribute: AttributeDescription?
    }

    var columns: [Column]
    /// Key paths in the model's names.
    var groupBy: [String] = []
    var having: ObjectPredicate?
    var isDistinct = false

    /// Whether a row may stand for several objects.
    var takesTogether: Bool {
        isDistinct || !groupBy.isEmpty || columns.contains { GroupAggregate($0.expression) != nil }
    }
}
