// SPDX-License-Identifier: Apache-2.0

// The columns of a dictionary fetch, and its rows.

import Basics
public import Predicates

/// The resolved columns of a dictionary fetch. Column names in `having` and in the order are replaced by their
/// expressions.
public struct TableRequest: Hashable, Sendable {
    public var columns: [ExpressionDescription]
    /// The key paths to group rows by.
    public var groupBy: [ObjectExpression]
    /// The condition for groups, over grouped key paths and aggregates.
    public var having: ObjectPredicate?
    /// Whether equal rows are returned once. The order then uses only columns.
    public var isDistinct: Bool

    public init(
        columns: [ExpressionDescription],
        groupBy: [ObjectExpression] = [],
        having: ObjectPredicate? = nil,
        isDistinct: Bool = false
    ) {
        self.columns = columns
        self.groupBy = groupBy
        self.having = having
        self.isDistinct = isDistinct
    }

    /// Whether a row represents a group of objects. Without grouping, this is all objects, perhaps none.
    public var isGrouped: Bool { !groupBy.isEmpty || columns.contains { $0.expression.hasAggregates } }
}

/// Rows of values by column.
public struct FetchTable: Hashable, Sendable {
    public let columns: [String]
    /// A value for each column in each row, or null; objects are references.
    public let rows: [[Value]]

    public init(columns: [String], rows: [[Value]]) {
        self.columns = columns
        self.rows = rows
    }

    /// The rows as dictionaries, without nil values.
    public var dictionaries: [[String: Value]] {
        rows.map { row in
            Dictionary(keepingFirst: zip(columns, row).filter { $1 != .null })
        }
    }
}
