// SPDX-License-Identifier: Apache-2.0

// What a dictionary fetch asks of a store, and what it finds: columns and rows.

public import Predicates

/// The columns of a dictionary fetch as stores see them, checked and resolved: names that `having` or the order used for
/// columns are replaced by what they stand for.
public struct TableRequest: Hashable, Sendable {
    public var columns: [ExpressionDescription]
    /// The key paths by which rows are grouped.
    public var groupBy: [ObjectExpression]
    /// What groups must satisfy, said of grouped key paths and aggregates.
    public var having: ObjectPredicate?
    /// Whether rows that are equal in all columns come once. The order names columns alone then.
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

    /// Whether a row stands for a group of objects. Without anything to group by, that is all objects, be there none.
    public var isGrouped: Bool { !groupBy.isEmpty || columns.contains { $0.expression.hasAggregates } }
}

/// Rows of values under the names of columns.
public struct FetchTable: Hashable, Sendable {
    public let columns: [String]
    /// A value for each column in each row, null where there is none; objects are references.
    public let rows: [[Value]]

    public init(columns: [String], rows: [[Value]]) {
        self.columns = columns
        self.rows = rows
    }

    /// The rows as dictionaries, from which nil values are left out.
    public var dictionaries: [[String: Value]] {
        rows.map { row in
            Dictionary(zip(columns, row).filter { $1 != .null }, uniquingKeysWith: { first, _ in first })
        }
    }
}
